import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { STATE_SCRIPT, toHandedState } from "../../../src/tiers/handed-state.ts";

/** A real bash runs `script`, hands its state on, and another one prints `shown` in that state. */
function throughBash(script: string, shown: string): { printed: string; isComplete: boolean | undefined } {
  const bash = (text: string) =>
    execFileSync("/bin/bash", ["--norc", "-c", text], {
      encoding: "utf8",
      cwd: "/",
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
