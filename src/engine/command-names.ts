/** Names of commands that the engine has, by what they can do to the shell that runs them. */

/** Programs: what they do to variables, functions, options or the cwd stays in a process of their own. */
export const PROGRAMS: ReadonlySet<string> = new Set(
  (
    "[ arch b2sum awk base64 basename bash bc cat chmod clear cmp column comm cp curl cut date dd diff dirname du " +
    "echo egrep env expand expr false fgrep file find fold getconf grep groups gunzip gzip hd head help " +
    "hexdump hostname html-to-markdown id install join jq js-exec ln logname ls md5sum mkdir mktemp mv nice nl nohup ionice " +
    "node nproc od paste printenv pwd python python3 readlink realpath rev rg rm rmdir sed seq sh sha1sum " +
    "sha224sum sha256sum sha384sum sha512sum setsid stdbuf shuf sleep sort split sqlite3 stat strings tac tail tar tee test timeout touch tput tr tree " +
    "true truncate tty uname unexpand uniq users wc wget who whoami xan xargs xxd yes yq zcat"
  ).split(" "),
);

/** Programs and those builtins that cannot make a redirection last. */
export const ORDINARY_COMMANDS: ReadonlySet<string> = new Set([
  ...PROGRAMS,
  ...(
    ": alias bg break cd continue declare dirs disown exit export fg getopts hash history jobs kill let local mapfile " +
    "popd printf pushd read readarray readonly return set shift shopt time times trap type typeset ulimit umask " +
    "unalias unset wait which"
  ).split(" "),
]);
