/**
 * What one command leaves for the next, what it does not, and that no script breaks the shell for those behind it. Longer
 * than most files, as most of it is the scripts.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { HarnessSandbox } from "../../src/index.ts";
import { openForTest } from "../helpers/open.ts";
import { killWorker } from "../helpers/processes.ts";
import { failOnStrays } from "../helpers/strays.ts";

failOnStrays();

const stdout = async (sandbox: HarnessSandbox, script: string): Promise<string> => {
  const result = await sandbox.exec(script, { timeoutMs: 15_000 });
  return result.stdout + result.stderr;
};

test("cwd is for one command only", async () => {
  const { sandbox } = await openForTest();
  await sandbox.exec("mkdir sub; cd sub; x=1");
  expect(await sandbox.exec("pwd; cd /; y=2; pwd", { cwd: "/tmp" })).toMatchObject({ stdout: "/tmp\n/\n" });
  expect(await stdout(sandbox, 'pwd; echo "$x$y"')).toBe("/w/sub\n12\n");
  expect(await sandbox.exec("pwd", { cwd: "/nosuch" })).toMatchObject({ exitCode: expect.any(Number) });
  expect(await stdout(sandbox, "pwd")).toBe("/w/sub\n");
});

test("env is for one command only, whatever was there before", async () => {
  const { sandbox } = await openForTest();
  await sandbox.exec("plain=p; export shown=s; arr=(1 2); readonly fixed=f");
  const env = { plain: "P", shown: "S", fresh: "F", odd: "a'b\"c\n$x `y` \\z €" };
  expect(
    await sandbox.exec('printenv plain shown fresh; printf "%s" "$odd"; plain=changed; unset shown', { env }),
  ).toMatchObject({
    stdout: `P\nS\nF\n${env.odd}`,
  });
  expect(
    await stdout(
      sandbox,
      'echo "$plain|$shown|${fresh-unset}|${odd-unset}|${arr[1]}|$fixed"; printenv plain shown',
    ),
  ).toBe("p|s|unset|unset|2|f\ns\n");
});

test("replaceEnv starts from nothing but env, and leaves nothing behind", async () => {
  const { sandbox } = await openForTest();
  await sandbox.exec("export a=1; b=2; f() { echo f; }");
  const result = await sandbox.exec('printenv | cut -d= -f1 | sort; echo "[$a]"; a=9; c=3; cd /tmp', {
    replaceEnv: true,
    env: { ONLY: "1" },
  });
  expect(result.stdout.split("\n")).toContain("ONLY");
  for (const name of ["a", "HOME", "USER", "LANG"]) expect(result.stdout.split("\n")).not.toContain(name);
  expect(result.stdout).toContain("[]\n");
  expect(await stdout(sandbox, 'echo "$a$b${c-unset}${ONLY-unset}$PWD$HOME"')).toBe(
    "12unsetunset/w/home/user\n",
  );
});

test("args are for one command only and need no quoting", async () => {
  const { sandbox } = await openForTest();
  const args = ["a b", "", "*", "$x", "'", '"', "\n", "-n", "--", "€😀", "\\", "`id`"];
  const result = await sandbox.exec(
    'echo $#; printf "<%s>" "$@"; shift; echo; echo "$#$1"; set -- left behind',
    { args },
  );
  expect(result.stdout).toBe(`12\n${args.map((arg) => `<${arg}>`).join("")}\n11\n`);
  expect(await stdout(sandbox, 'echo "$#[$*]"')).toBe("0[]\n");
});

test("stdin is for one command only and is read across the script", async () => {
  const { sandbox } = await openForTest();
  const stdin = "one\ntwo\nthree\nfour\n";
  expect(await sandbox.exec('read a; read b; echo "$b$a"; cat', { stdin })).toMatchObject({
    stdout: "twoone\nthree\nfour\n",
  });
  expect(await sandbox.exec('while read l; do echo "<$l>"; done', { stdin })).toMatchObject({
    stdout: "<one>\n<two>\n<three>\n<four>\n",
  });
  expect(await sandbox.exec("cat; read x; echo [$x]")).toMatchObject({ stdout: "[]\n" });
});

test("stdin takes bytes that are no text", async () => {
  const { sandbox } = await openForTest();
  const stdin = Uint8Array.from({ length: 256 }, (_, n) => n);
  const result = await sandbox.exec("cat", { stdin });
  expect(Buffer.compare(result.stdoutBytes, stdin)).toBe(0);
});

const STATE = `
plain='a b'; export shown="x'y"; empty=; unset LANG
arr=(1 '2 3' '' '*'); sparse[3]=c; sparse[9]=d
declare -A map; map[k]='v w'; map['a b']=c
declare -i number=3; readonly fixed=stays
greet() { local who="$1"; for i in 1 2; do echo "hi $who $i"; done; }
multi() {
  cat <<IN
text of $1
IN
}
alias ll='echo LL'
mkdir -p /w/sub; cd /w/sub`;
const LOOK = `
echo "$plain|$shown|$empty|\${LANG-unset}|$PWD"; printenv shown; printenv plain
echo "\${#arr[@]}|\${arr[1]}|\${arr[3]}|\${!sparse[*]}|\${sparse[9]}"
echo "\${map[k]}|\${map[a b]}|\${#map[@]}"
number=number+1; echo $number; number=3; (fixed=x) 2>/dev/null; echo "$fixed"
greet you; multi me; ll`;
const SEEN = `a b|x'y||unset|/w/sub
x'y
4|2 3|*|3 9|d
v w|c|2
4
stays
hi you 1
hi you 2
text of me
LL
`;

test("variables, arrays, functions, aliases and the cwd stay from command to command", async () => {
  const { sandbox } = await openForTest();
  expect(await sandbox.exec(STATE)).toMatchObject({ exitCode: 0, stderr: "" });
  expect(await stdout(sandbox, LOOK)).toBe(SEEN);
  await sandbox.exec("unset plain 'arr[1]' -f; unset -f multi; unalias ll; cd ..");
  expect(
    await stdout(sandbox, 'echo "${plain-unset}|${#arr[@]}|$PWD"; multi 2>&1; greet me | head -1'),
  ).toMatch(/^unset\|3\|\/w\nbash: multi: command not found\nhi me 1\n$/);
});

test("they stay over a kill of the worker too", async () => {
  const { sandbox } = await openForTest();
  await sandbox.exec(STATE);
  for (const _ of [1, 2]) {
    await killWorker();
    expect(await stdout(sandbox, LOOK)).toBe(SEEN);
  }
});

test("shell options and what redirects a stream for good do not stay", async () => {
  const { sandbox } = await openForTest();
  const fresh = await stdout(sandbox, "set -o; shopt; echo $-");
  for (const script of [
    "set -e; false",
    "set -u; echo $nope",
    "set -x; true",
    "set -f; set -a; set -C; set -v; set -o pipefail; set +B",
    "shopt -s nullglob failglob extglob dotglob nocasematch globstar lastpipe; shopt -u expand_aliases",
    "exec >/dev/null 2>&1 </dev/null; echo x",
    "exec >&- 2>&-",
    "shopt -s lastpipe; set -e; set -C; exec >file; false",
    "set -n",
  ]) {
    await sandbox.exec(script);
    expect([script, await stdout(sandbox, "set -o; shopt; echo $-")]).toEqual([script, fresh]);
    expect([
      script,
      await stdout(sandbox, "echo a | cat; x=$(false); echo $? $nope *.none; echo b >&2"),
    ]).toEqual([script, "a\n1 *.none\nb\n"]);
  }
});

const HOSTILE = [
  "exit 5",
  "f() { exit 6; }; f",
  "f() { return 7; }; f; exit",
  "(exit 3)",
  "exec true",
  "exec nosuch",
  "return 3",
  "break; continue",
  "kill $$; kill -9 $PPID; kill 0",
  "set -n",
  "set -e; set -u; set -o pipefail; $nope | false",
  "set -- a b; shift 5",
  "builtin() { :; }",
  "builtin() { return 1; }; builtin echo x; echo y",
  "exec() { :; }; exec >file",
  "shopt() { :; }",
  "cd() { :; }; pwd() { echo /; }",
  "set() { :; }; unset() { :; }; export() { :; }; declare() { :; }",
  ":() { return 1; }; true() { return 1; }",
  "alias builtin=false; alias exec=false",
  "alias builtin=false\nalias declare=false\necho x",
  "shopt -u expand_aliases",
  "IFS=x",
  "readonly IFS PIPESTATUS BASHOPTS PWD",
  "PWD=/nosuch; OLDPWD=/nosuch; PIPESTATUS=7; SHELLOPTS=; BASHOPTS=",
  "mkdir gone; cd gone; rmdir ../gone; cd /tmp",
  "echo '5 x y' > /dev/.shell/1/status; echo > /dev/.shell/1/next; cat /dev/.shell/1/state",
  "for f in /dev/.shell/*/*; do echo x > $f; done",
  "exec 3>&1 4>&2 >file 2>&1; exec 1>&3 2>&4",
  "if then",
  "echo $((1/0)); x=$((1/0))",
  "${x?}",
  "eval 'if then'; . /dev/null; . nosuch",
  "f() { f; }; f",
  "a=$(a=$(a=$(exit 4)))",
  "while :; do exit 4; done | cat",
  "\0",
];

test("a script knows nothing of how the one before it ended", async () => {
  const { sandbox } = await openForTest();
  for (const script of ["false | true", "exit 3", "set -e; false", "echo $((1/0))"]) {
    await sandbox.exec(script);
    expect([script, await stdout(sandbox, 'echo "$? <${PIPESTATUS[*]}> $LINENO"')]).toEqual([
      script,
      "0 <> 1\n",
    ]);
  }
});

test("no script breaks the shell for the next one", { timeout: 60_000 }, async () => {
  const { sandbox } = await openForTest();
  await sandbox.exec("x=kept; k() { builtin echo fn; }; cd /tmp");
  for (const script of HOSTILE) {
    await sandbox.exec(script, { timeoutMs: 10_000 });
    // Functions and aliases of the script before are rightly there: they are not asked.
    const next = await sandbox.exec('\\printf "%s" "$x $(k)"; for i in 1 2; do \\printf $i; done | cat', {
      timeoutMs: 10_000,
    });
    expect([script, next.stdout, next.stderr, next.ending]).toEqual([
      script,
      "kept fn12",
      "",
      { kind: "exited" },
    ]);
    await sandbox.exec(
      "unset -f shopt cd pwd set unset export declare true : exec; unalias -a; IFS=$' \\t\\n'; cd /tmp",
    );
  }
});

test("a function of the guest that is named like a command of ours is called, and is kept", async () => {
  const { sandbox } = await openForTest();
  await sandbox.exec('echo() { builtin echo "mine: $*"; }; cd() { builtin cd /tmp; }');
  expect(await stdout(sandbox, "echo a; cd /w; pwd")).toBe("mine: a\n/tmp\n");
  await killWorker();
  expect(await stdout(sandbox, 'echo a; builtin echo "$PWD"')).toBe("mine: a\n/tmp\n");
});

test("a variable of any text survives a kill of the worker, exported or not, in arrays too", {
  timeout: 120_000,
}, async () => {
  const { sandbox } = await openForTest();
  const text = fc
    .oneof(
      fc.string({ unit: "binary", maxLength: 30 }),
      fc.string({
        unit: fc.constantFrom(
          "'",
          '"',
          "\\",
          "$",
          "`",
          "\n",
          " ",
          "\t",
          "!",
          "=",
          "(",
          ")",
          "[",
          "]",
          "-",
          "a",
          "é",
        ),
        maxLength: 30,
      }),
      fc.constantFrom(
        "",
        "\n",
        "\n\n",
        "declare -- x=1",
        'a\ndeclare -- y="2"\nb',
        "--\n",
        "a\n--\nb",
        "'",
        "$(exit 1)",
        "alias a='b'",
        "(a b)",
        "( [\n(\\)",
        "\r\n",
        "\u0085\u2028",
        "\ufeff",
      ),
    )
    .map((value) => value.replaceAll("\0", ""));
  await fc.assert(
    fc.asyncProperty(fc.array(text, { minLength: 60, maxLength: 60 }), async (values) => {
      const set = `plain=("$@"); declare -A map; for ((i = 1; i <= $#; i++)); do map[k$i]="\${!i}"; export "e$i=\${!i}"; printf -v "p$i" %s "\${!i}"; done`;
      expect(await sandbox.exec(set, { args: values })).toMatchObject({ exitCode: 0, stderr: "" });
      const look = `printf '%s\\0' "\${plain[@]}"; for ((i = 1; i <= ${values.length}; i++)); do e="e$i"; p="p$i"; printf '%s\\0' "\${map[k$i]}" "\${!e}" "\${!p}"; done`;
      const before = await sandbox.exec(look);
      expect(before.stdout.split("\0")).toEqual([
        ...values,
        ...values.flatMap((value) => [value, value, value]),
        "",
      ]);
      await killWorker();
      const after = await sandbox.exec(look);
      expect(after).toMatchObject({ stdout: before.stdout, stderr: "", stateRestored: true });
      await sandbox.exec("unset plain map ${!e*} ${!p*}");
    }),
    // Many texts for each worker: to start one takes most of the time.
    { numRuns: 2, interruptAfterTimeLimit: 60_000, markInterruptAsFailure: false },
  );
});
