import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { STATE_SCRIPT, toHandedState } from "../../../src/shell/handed-state.ts";

/** A real bash runs `script`, hands its state on, and another one prints `shown` in that state. */
function throughBash(
  script: string,
  shown: string,
  cwd = "/",
): { printed: string; isComplete: boolean | undefined } {
  const bash = (text: string) =>
    execFileSync("/bin/bash", ["--norc", "-c", text], {
      encoding: "utf8",
      cwd,
      env: { HOME: "/home/user", USER: "user", SHELL: "/bin/bash", LANG: "C.UTF-8", PATH: "/usr/bin:/bin" },
    });
  const state = toHandedState(bash(`${script}\n${STATE_SCRIPT}`));
  return { printed: bash(`${state?.script ?? "false"}\n${shown}`), isComplete: state?.isComplete };
}

describe("what a shell hands on is what it had", () => {
  const cases: [string, string, string, string][] = [
    ["a variable that is not exported", "a=1", 'echo "$a"; env | grep -c ^a= || true', "1\n0\n"],
    ["one that is", "export a='x  y'", "bash -c 'echo \"$a\"'", "x  y\n"],
    [
      "text that looks like code",
      "a='$(echo no) `echo no` $HOME \"q\" \\ !'",
      'echo "$a"',
      '$(echo no) `echo no` $HOME "q" \\ !\n',
    ],
    [
      "quotes and lines",
      "a=$'it\\'s\\n\"two\"\\tlines\\n'",
      'printf %s "$a" | od -An -c',
      ' i t \' s \\n " t w o " \\t l i n e s \\n',
    ],
    ["bytes that are no text", "a=$'\\xff\\x01'", 'printf %s "$a" | od -An -tx1', "ff 01"],
    [
      "an array",
      "a=(1 'two  words' '$x'); a[7]=z",
      'printf "<%s>" "${a[@]}" "${!a[@]}"',
      "<1><two  words><$x><z><0><1><2><7>",
    ],
    [
      "a map",
      "declare -A m=([k]=v ['a b']=\"c'd\" ['$(x)']=1)",
      "echo \"${m[k]} ${m[a b]} ${m['$(x)']}\"",
      "v c'd 1\n",
    ],
    ["a number", "declare -i n=5", "n+=2; echo $n", "7\n"],
    ["a name reference", "b=1; declare -n r=b", "r=2; echo $b", "2\n"],
    ["what cannot be changed", "readonly r=1", "(r=2) 2>/dev/null || echo still $r", "still 1\n"],
    ["a text that says it is a declaration", "a=$'x\\ndeclare -- b=\"no\"'", 'echo "${b-none}"', "none\n"],
    ["an empty one", "a=", 'echo "<${a-unset}>"', "<>\n"],
    ["a variable that the shell starts with, changed", "export LANG=C", "echo $LANG", "C\n"],
    ["and one that is gone", "unset LANG USER", 'echo "${LANG-none} ${USER-none}"', "none none\n"],
    [
      "additions to PATH, around the one that is there",
      "PATH=/x:$PATH:'/y z'",
      'echo "$PATH"',
      "/x:/usr/bin:/bin:/y z\n",
    ],
    ["the directory, and the one before", "cd /usr; cd /usr/bin", 'echo "$PWD"; cd - ', "/usr/bin\n/usr\n"],
  ];
  test.each(cases)("%s", (_, script, shown, expected) => {
    const { printed, isComplete } = throughBash(script, shown);
    const bare = (text: string) => (shown.includes("od -An") ? text.replace(/\s+/g, " ").trim() : text);
    expect(bare(printed)).toBe(bare(expected));
    expect(isComplete).toBe(true);
  });
});

describe("text stays text", () => {
  const folder = mkdtempSync(join(tmpdir(), "harness-handed-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const code = "a[$(touch M)]";
  const cases: [what: string, script: string, isMoved: boolean][] = [
    ["under -i", `x='${code}'; declare -i x`, false],
    ["in an array under -i", `x=('${code}'); declare -i x`, false],
    ["in a map under -i", `declare -A x; x[k]='${code}'; declare -i x`, false],
    ["under -i and -r", `x='${code}'; declare -ir x`, false],
    ["as a map's key", `declare -A x; k='${code}'; x[$k]=1`, true],
    ["under -l", `x='${code}'; declare -l x`, true],
    ["under -u", `x='${code}'; declare -u x`, true],
    ["under -r", `readonly x='${code}'`, true],
    ["under -x", `export x='${code}'`, true],
    ["under -t", `x='${code}'; declare -t x`, true],
  ];
  test.each(cases)("%s", (_, script, isMoved) => {
    const { isComplete, printed } = throughBash(
      script,
      `cd '${folder}'; echo "\${x[@]-none}\${!x[@]}"`,
      folder,
    );
    expect(readdirSync(folder)).toEqual([]);
    expect(isComplete).toBe(isMoved);
    if (isMoved) expect(printed.toLowerCase()).toContain(code.toLowerCase());
    else expect(printed).toBe("none\n");
  });

  test.each([
    ["the key of an array", `declare -a x=([${code.replace("$", "\\$")}]="1")`],
    ["the quoted key of an array", `declare -a x=(["a[\\$(touch M)]"]="1")`],
    ["a name reference", `declare -n x="a[\\$(touch M)]"`],
    ["a name reference to itself", 'declare -n x="x"'],
    ["an attribute that there is not", 'declare -gp x="1"'],
  ])("%s that is none stays behind", (_, line) => {
    const state = toHandedState(`${line}\n\0/w\n`);
    expect(state?.script).not.toMatch(/touch|\bx\b/);
    expect(state?.isComplete).toBe(false);
  });
});

test("of very long variables the others go up", () => {
  const long = "x".repeat(10_000_000);
  const lines = [
    `declare -- a="${long}"`,
    `declare -- b=$'${long}'`,
    `declare -a c=([0]="${long}" [1]="x")`,
    `declare -A d=([${long}]="1" )`,
    `declare -a e=(${'[0]="xxxxxxxxx" '.repeat(100_000)})`,
    'declare -- kept="1"',
  ];
  const state = toHandedState(`${lines.join("\n")}\n\0/w\n`);
  expect(state?.script.split("\n").filter((line) => !line.startsWith("unset"))).toEqual([
    "kept='1'",
    "cd -- '/w'",
  ]);
  expect(state?.isComplete).toBe(false);
});

test("of very many variables those go up that a shell takes", () => {
  const lines = Array.from({ length: 200 }, (_, at) => `declare -- v${at}="${"x".repeat(100_000)}"`);
  const state = toHandedState(`${lines.join("\n")}\n\0/w\n`);
  expect(state?.script).toMatch(/^v0=/);
  expect(state?.script.length).toBeLessThan(5_000_000);
  expect(state?.isComplete).toBe(false);
});

test("an array without an end on each of many lines is read a few times, not once for each line", () => {
  const state = toHandedState(`${'declare -a a=([0]="\n" [1]="\n'.repeat(200_000)}\0/w\n`);
  expect(state?.isComplete).toBe(false);
});

test("a function of the script's own takes no part in it", () => {
  const { printed } = throughBash("declare() { echo no; }; printf() { echo no; }; a=1", "echo $a");
  expect(printed).toBe("1\n");
});

test.each(["", "no divider", 'declare -- a="1"\n\0not a path\n'])("%j is no state", (printed) => {
  expect(toHandedState(printed)).toBeNull();
});

test.each([
  ["a value without an end", 'declare -- a="x'],
  ["a value that is no word", "declare -- a=x;touch no"],
  ["code behind a value", 'declare -- a="x"; touch no'],
  ["a list with something else in it", 'declare -a a=([0]="x" $(touch no))'],
  ["a value larger than any program takes", `declare -- a="${"x".repeat(200_000)}"`],
])("%s is left out, and said to be", (_, line) => {
  const state = toHandedState(`${line}\ndeclare -- b="kept"\n\0/w\n`);
  expect(state?.isComplete).toBe(false);
  expect(state?.script).not.toContain("touch");
  expect(state?.script).toContain("b='kept'");
});
