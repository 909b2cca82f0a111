import { expect, test } from "vitest";
import { classifyCommand, isSandboxError } from "../../../src/index.ts";
import { TIER_ONE_COMMANDS } from "../../../src/tiers/rules.ts";
import { MOST_SCRIPT_LENGTH } from "../../../src/tiers/work-budget.ts";
import { buildClassifier } from "../../helpers/built-classifier.ts";

const { classify } = await buildClassifier();

/** What stands at each place that is told, up to the next blank. */
function told(script: string): string[] {
  return classify(script).reasons.map(({ command, line, column, offset }) => {
    const at =
      script
        .split("\n")
        .slice(0, line - 1)
        .join("\n").length +
      (line === 1 ? 0 : 1) +
      column -
      1;
    expect(at).toBe(offset);
    return `${command}: ${/^[^\s]*/.exec(script.slice(offset))?.[0]}`;
  });
}

test("a reason names the command, why it needs the tier, and where it stands", () => {
  expect(classify("cd app\n  git status && é; npm i").reasons).toEqual([
    { command: "git", why: TIER_ONE_COMMANDS.git, line: 2, column: 3, offset: 9 },
    { command: "npm", why: TIER_ONE_COMMANDS.npm, line: 2, column: 20, offset: 26 },
  ]);
});

test.each([
  ["each place of a command is told", "git a; git b", ["git: git", "git: git"]],
  ["in a substitution it is the place inside", 'echo "x $(cd y; git log) `npm i`"', ["git: git", "npm: npm"]],
  ["in a substitution in a substitution too", "echo $(echo $(git log))", ["git: git"]],
  ["the same text in quotes before it is not it", "echo '$(git x)' $(git x)", ["git: git"]],
  ["in a here-document", "cat <<EOF\na\n $(git log)\nEOF", ["git: git"]],
  ["in an array", "a=(1 2 $(git log))", ["git: git"]],
  ["behind a wrapper it is the command, not the wrapper", "env A=1 timeout 5 'git' log", ["git: 'git'"]],
  ["in literal text it is the text", "cd x\nbash -c 'cd y && git log'", ["git: 'cd"]],
  ["in text inside text it is the outer one", `bash -c "bash -c 'git log'"`, ['git: "bash']],
  ["in what a shell reads it is the shell", "cat <<'EOF' | bash -x\ngit log\nEOF", ["git: bash"]],
  ["in a variable it is where the variable is used", "g=git\n$g log", ["git: $g"]],
  ["in a function it is the command", "f() {\n  git log\n}\nf", ["git: git"]],
  ["of arithmetic it is the expression", "echo a $((1 + $(git log)))", ["git: $((1"]],
  ["of an alias it is the use", "alias g=git\ng log", ["git: g"]],
  ["of a module of Python it is the module", "python3 -m pip install x", ["pip: pip"]],
  ["in the order of the script, not of the calls", "f() { npm i; }\ngit log\nf", ["npm: npm", "git: git"]],
])("%s", (_, script, expected) => {
  expect(told(script)).toEqual(expected);
});

test("of many places a hundred are told, and of the commands each", () => {
  const { commands, reasons } = classify(`${"git x; ".repeat(3_000)}npm i`);
  expect(commands).toEqual(["git", "npm"]);
  expect(reasons).toHaveLength(100);
});

const DEEP = 10_000;
const bombs: Record<string, string> = {
  "parentheses in each other": `${"(".repeat(DEEP)}git${")".repeat(DEEP)}`,
  "parentheses that stay open": "( ".repeat(DEEP),
  "substitutions in each other": `echo ${"$(".repeat(DEEP)}git${")".repeat(DEEP)}`,
  "quoted substitutions in each other": `echo ${'"$('.repeat(2_000)}git${')"'.repeat(2_000)}`,
  "defaults in each other": `echo ${"${x:-".repeat(DEEP)}git${"}".repeat(DEEP)}`,
  backquotes: `echo ${"`".repeat(DEEP)}`,
  quotes: '"'.repeat(DEEP),
  "more than a parser reads": `${"#".repeat(1_100_000)}\ngit`,
  "braces that make 2^40 words": "{a,b}".repeat(40),
  "functions that call each other 2^40 times": `${Array.from({ length: 40 }, (_, at) => `f${at}() { x=${at}; f${at + 1}; y=$x; f${at + 1}; }`).join("\n")}\nf0`,
  "a function that evaluates itself twice": "f() { eval f; eval f; }; f",
  "arrays that double": `a=(x)\n${'a=("${a[@]}" "${a[@]}")\n'.repeat(60)}"\${a[@]}"`,
  "values that double": `x=gi\n${'x="$x$x"\n'.repeat(60)}"$x"`,
  "wrappers in a row": "env ".repeat(20_000),
  "an alias of itself": "alias a=b b=a; a",
  "no characters of text": "\0\ud800\udfff\uE000\uE001",
};

test.each(Object.entries(bombs))("an answer comes for %s", (_, script) => {
  expect(classify(script)).toEqual({ tier: 0, commands: [], reasons: [] });
});

test.each([
  ["a script of nearly the most that is read", `${`echo ${"x".repeat(990)}\n`.repeat(65)}git status`],
  ["thirty loops in each other", `${"for a in 1 2 3 4; do x=$a; ".repeat(30)}git${"; done".repeat(30)}`],
  ["five thousand lines", `${"echo a b c\n".repeat(5_000)}git status`],
])("in %s the command is found", (_, script) => {
  expect(script.length).toBeLessThanOrEqual(MOST_SCRIPT_LENGTH);
  expect(classify(script).commands).toEqual(["git"]);
});

test.each([
  [undefined, {}, 'Option "script" must be a string, but is of type undefined.'],
  [null, {}, 'Option "script" must be a string, but is null.'],
  [["git"], {}, 'Option "script" must be a string'],
  ["git", null, 'Option "options" must be an object'],
  ["git", { worker: "x" }, 'Unknown option "worker". Known options: workerPath.'],
  ["git", { workerPath: 1 }, 'Option "workerPath" must be a path or a file: URL'],
  ["git", { workerPath: new URL("http://localhost/") }, 'Option "workerPath" must be a path or a file: URL'],
])("%j with %j is refused by name", (script, options, message) => {
  try {
    classifyCommand(script as string, options as object);
    expect.unreachable();
  } catch (error) {
    expect(isSandboxError(error) && { code: error.code, message: error.message }).toEqual({
      code: "OPTION_INVALID",
      message: expect.stringContaining(message),
    });
  }
});
