/**
 * The texts that bash runs in the jail around a script of the guest. All of it is read-only there, and all of it runs
 * as the guest: it can break what it reports, and only its own results with it.
 *
 * Each command is a bash of its own, so that `exit`, `set -e`, `exec` and a syntax error end the command and not the
 * shell; what it leaves is written out at its end and read in by the next one. Names of ours begin with
 * `__harness_`. A guest may have functions and aliases of any name: builtins are called before they are restored,
 * or where POSIX mode puts special builtins in front of functions (an assignment to `POSIXLY_CORRECT` turns it on).
 * Functions named `builtin`, `eval` and `trap` end with their command: what is restored could not go on with them.
 */

/** Where the host's files of a command lie in the jail, read-only. */
export const CONTROL = "/run/harness";

/**
 * Closes what this process had open and not marked for itself, which programs would inherit. Then waits for the
 * numbers of commands on standard input and starts each beside the others; ends with the input. A
 * process group for each command, and signals caught, so that `kill 0` and `kill -TERM -1` end what the guest has
 * started. It is process 1: no signal from inside ends it, and the kernel ends all the others with it. `end` gives what is left in the background a moment to leave. `$1`: the shell.
 */
export const SUPERVISOR = `
for descriptor in /proc/$$/fd/*; do
  descriptor=\${descriptor##*/}
  # 255 is where bash reads this text; no program gets it.
  ((descriptor > 3 && descriptor != 255)) && eval "exec $descriptor>&-"
done
ulimit -c 0
{ echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null
set -m
trap : HUP INT QUIT TERM USR1 USR2 ALRM
while :; do
  if ! IFS= read -r number; then
    (($? > 128)) && continue
    exit 0
  fi
  [[ $number == end ]] && break
  {
    trap : HUP INT QUIT TERM USR1 USR2 ALRM
    (exec -c -a bash "$1" --noprofile --norc -O expand_aliases -c \\
      'eval "$(<${CONTROL}/'"$number"'/start)"; eval "$(<${CONTROL}/'"$number"'/script)"' \\
      bash <"${CONTROL}/$number/stdin" >"${CONTROL}/$number/out" 2>"${CONTROL}/$number/err" 3>&-)
    printf 'e%d\\0' "$?"
  } >"${CONTROL}/$number/report" 2>/dev/null </dev/null &
done
set +m
kill -TERM -1
while :; do
  left=
  for process in /proc/[0-9]*; do
    process=\${process#/proc/}
    [[ $process == 1 ]] || left=1
  done
  [[ $left ]] || exit 0
  read -r -t 0.02 <>${CONTROL}/tick
done
`;

/**
 * What a command's bash does at its end, in a subshell: tells what it leaves, one record after the other, each of a
 * letter, a text and a NUL. `z` says that all was told.
 */
export const SAVE = `
\\unset -f builtin eval trap
\\set +o posix
\\builtin shopt -u expand_aliases
\\builtin mapfile -t __harness_names < <(\\builtin compgen -v)
for __harness_name in "\${__harness_names[@]}"; do
  \\builtin printf v
  \\builtin declare -p "$__harness_name"
  \\builtin printf '\\0'
done
\\builtin printf d
\\builtin pwd
\\builtin printf '\\0f'
\\builtin declare -f
while IFS=' ' \\builtin read -r __harness_a __harness_b __harness_name; do
  \\builtin printf '\\\\builtin declare -fx %q\\n' "$__harness_name"
done < <(\\builtin declare -Fx)
\\builtin printf '\\0z\\0'
`;

/** Takes the EXIT trap, which writes the state out and then runs the guest's own. */
export function exitTrap(folder: string): string {
  return `__harness_trap='
{ __harness_code=$?; } 2>/dev/null
( POSIXLY_CORRECT=1; \\set +xevuf; \\. ${CONTROL}/save ) >${folder}/report 2>/dev/null || [[ 1 ]]
if [[ \${__harness_exit-} ]]; then
  \\builtin eval "__harness_exit=(\${__harness_exit#trap -- })"
  if ( POSIXLY_CORRECT=1; \\exit "$__harness_code" ); then \\eval "\${__harness_exit[0]}"; else \\eval "\${__harness_exit[0]}"; fi
fi'
builtin trap "$__harness_trap" EXIT
`;
}

/** Whether a text may set or ask for an EXIT trap of its own. */
export function mayTrapExit(text: string): boolean {
  return /\btrap\b/.test(text) && /\bEXIT\b|\b0\b|\btrap(?:\s+-p)?\s*(?:$|[;|&)}])/im.test(text);
}

/**
 * Lets the guest have an EXIT trap of its own all the same: it is set and listed as if it were the only one. Only for
 * scripts that ask for it: traps on DEBUG and RETURN see that `trap` is a function.
 */
export const OWN_EXIT_TRAP = `
__harness_listed=$(builtin trap -p EXIT)
trap() {
  { local -; set +x; } 2>/dev/null
  if [[ $BASHPID != "$$" ]]; then
    if [[ $# == 0 || $1 == -p ]]; then
      local __harness_list=$(builtin trap "$@")
      if [[ \${__harness_exit-} ]]; then __harness_list=\${__harness_list/"$__harness_listed"/"$__harness_exit"}
      else __harness_list=\${__harness_list/"$__harness_listed"/}; fi
      [[ $__harness_list ]] && builtin printf '%s\\n' "\${__harness_list#$'\\n'}"
      return 0
    fi
    builtin trap "$@"
    return
  fi
  if [[ \${__harness_exit-} ]]; then builtin eval "builtin $__harness_exit"; else builtin trap - EXIT; fi
  builtin trap "$@"
  local __harness_status=$?
  __harness_exit=$(builtin trap -p EXIT)
  builtin trap "$__harness_trap" EXIT
  return "$__harness_status"
}
`;
