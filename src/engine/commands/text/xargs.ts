import { type Command, type CommandContext, defineCommand, type ExecResult } from "just-bash";
import { quote, quoteIfNeeded } from "../../../shared/quote.ts";
import { bytesToText, textToBytes } from "../../byte-text.ts";
import { readEscape } from "../../escapes.ts";
import { type GnuArguments, type GnuProgram, parseGnuOptions, usageError } from "../gnu-options.ts";
import { readOperands } from "./read-operands.ts";
import { type Item, readItems } from "./xargs-input.ts";

type Key =
  | "null"
  | "file"
  | "delimiter"
  | "endOfFile"
  | "endOfFileOld"
  | "replace"
  | "replaceOld"
  | "lines"
  | "linesOld"
  | "most"
  | "processes"
  | "interactive"
  | "noRun"
  | "size"
  | "showLimits"
  | "verbose"
  | "exit"
  | "openTty"
  | "slotVariable";

const program: GnuProgram<Key> = {
  name: "xargs",
  options: {
    null: { short: "0", long: "null" },
    file: { short: "a", long: "arg-file", value: "required" },
    delimiter: { short: "d", long: "delimiter", value: "required" },
    endOfFile: { short: "E", value: "required" },
    endOfFileOld: { short: "e", long: "eof", value: "optional" },
    replace: { short: "I", value: "required" },
    replaceOld: { short: "i", long: "replace", value: "optional" },
    lines: { short: "L", value: "required" },
    linesOld: { short: "l", long: "max-lines", value: "optional" },
    most: { short: "n", long: "max-args", value: "required" },
    openTty: { short: "o", long: "open-tty" },
    processes: { short: "P", long: "max-procs", value: "required" },
    interactive: { short: "p", long: "interactive" },
    slotVariable: { long: "process-slot-var", value: "required" },
    noRun: { short: "r", long: "no-run-if-empty" },
    size: { short: "s", long: "max-chars", value: "required" },
    showLimits: { long: "show-limits" },
    verbose: { short: "t", long: "verbose" },
    exit: { short: "x", long: "exit" },
  },
  compatibleWith: "GNU findutils 4.9.0",
  stopAtOperand: true,
  help: `Usage: xargs [OPTION]... COMMAND [INITIAL-ARGS]...
Run COMMAND with arguments INITIAL-ARGS and more arguments read from input.

  -0, --null                   items are separated by a null, not whitespace;
                                 disables quote and backslash processing and
                                 logical EOF processing
  -a, --arg-file=FILE          read arguments from FILE, not standard input
  -d, --delimiter=CHARACTER    items in input stream are separated by CHARACTER,
                                 not by whitespace; disables quote and backslash
                                 processing and logical EOF processing
  -E END                       set logical EOF string; if END occurs as a line
                                 of input, the rest of the input is ignored
  -I R                         same as --replace=R
  -i, --replace[=R]            replace R in INITIAL-ARGS with names read
                                 from standard input, split at newlines;
                                 if R is unspecified, assume {}
  -L, --max-lines=MAX-LINES    use at most MAX-LINES non-blank input lines per
                                 command line
  -n, --max-args=MAX-ARGS      use at most MAX-ARGS arguments per command line
  -P, --max-procs=MAX-PROCS    here the commands run one after the other
  -r, --no-run-if-empty        if there are no arguments, then do not run COMMAND
  -s, --max-chars=MAX-CHARS    limit length of command line to MAX-CHARS
  -t, --verbose                print commands before executing them
  -x, --exit                   exit if the size (see -s) is exceeded
      --help                   display this help and exit
      --version                output version information and exit
`,
};

const DEFAULT_SIZE = 131_072;

/** `xargs` as findutils has it; commands run one after the other, also with `-P`. */
export const xargs: Command = defineCommand("xargs", async (args, ctx) => {
  const parsed = parseGnuOptions(program, args);
  if (!parsed.ok) return parsed.result;
  const plan = readPlan(parsed.args);
  if (typeof plan === "string") return usageError(program, plan);
  const file = parsed.args.value("file");
  const read = await readOperands("xargs", file === undefined ? [] : [file], ctx);
  const [input] = read.files;
  if (input === undefined) return { stdout: "", stderr: read.stderr, exitCode: 1 };
  const { items, problem } = readItems(input.bytes, {
    delimiter: plan.delimiter,
    wholeLines: plan.placeholder !== null,
    endOfFile: plan.endOfFile,
  });
  const calls = toCalls(items, plan, problem === null && !parsed.args.has("noRun"));
  const outcome = await runAll(calls.commands, ctx, parsed.args.has("verbose"));
  const ended = outcome.isOver ? null : (problem ?? calls.problem);
  if (ended === null) return outcome;
  return { ...outcome, stderr: `${outcome.stderr}xargs: ${ended}\n`, exitCode: 1 };
});

interface Plan {
  readonly command: readonly string[];
  readonly delimiter: string | null;
  readonly endOfFile: string | null;
  readonly placeholder: string | null;
  readonly lines: number | null;
  readonly most: number | null;
  readonly size: number;
  readonly exits: boolean;
}

function readPlan({ given, operands, has, value }: GnuArguments<Key>): Plan | string {
  let [placeholder, lines, most]: [string | null, number | null, number | null] = [null, null, null];
  let delimiter: string | null = null;
  for (const one of given) {
    switch (one.key) {
      case "null":
        delimiter = "\0";
        break;
      case "delimiter": {
        const byte = delimiterOf(one.value ?? "");
        if (byte === null)
          return `Invalid input delimiter specification ${one.value}: the delimiter must be either a single character or an escape sequence starting with \\.`;
        delimiter = byte;
        break;
      }
      // Of these three the last one holds.
      case "replace":
      case "replaceOld":
        [placeholder, lines, most] = [one.value ?? "{}", null, null];
        break;
      case "lines":
      case "linesOld":
        [placeholder, lines, most] = [null, Number(one.value ?? 1), null];
        break;
      case "most":
        // `-n 1` says nothing new to `-I`.
        if (placeholder === null || one.value !== "1")
          [placeholder, lines, most] = [null, null, Number(one.value)];
        break;
    }
  }
  for (const [key, letter] of [
    ["most", "n"],
    ["lines", "L"],
    ["size", "s"],
    ["processes", "P"],
  ] as const) {
    const text = value(key);
    if (text === undefined) continue;
    if (!/^\d+$/.test(text)) return `invalid number "${text}" for -${letter} option`;
    if (Number(text) === 0 && key !== "processes")
      return `value ${text} for -${letter} option should be >= 1`;
  }
  return {
    command: operands.length === 0 ? ["echo"] : operands,
    delimiter,
    endOfFile: value("endOfFile") ?? value("endOfFileOld") ?? null,
    placeholder,
    lines,
    most,
    size: Math.min(Number(value("size") ?? DEFAULT_SIZE), DEFAULT_SIZE),
    exits: has("exit") || placeholder !== null || lines !== null,
  };
}

function delimiterOf(text: string): string | null {
  const found = text.startsWith("\\") ? readEscape(text, 0, "format") : null;
  const bytes = textToBytes(found === null ? text : found.text);
  if (found !== null && found.end !== text.length) return null;
  return bytes.length === 1 ? bytes : null;
}

/** The commands to run, each with its arguments. */
function toCalls(
  items: readonly Item[],
  plan: Plan,
  runsWhenEmpty: boolean,
): { commands: string[][]; problem: string | null } {
  const { placeholder, command } = plan;
  const commands: string[][] = [];
  if (placeholder !== null) {
    for (const { text } of items) {
      const shown = bytesToText(text);
      commands.push(command.map((word) => word.split(placeholder).join(shown)));
    }
    return { commands, problem: null };
  }
  const base = command.reduce((size, word) => size + textToBytes(word).length + 1, 0);
  let batch: string[] = [];
  let [size, lines] = [base, 0];
  const flush = (): void => {
    commands.push([...command, ...batch]);
    batch = [];
    [size, lines] = [base, 0];
  };
  for (const { text, endsLine } of items) {
    const more = text.length + 1;
    if (size + more > plan.size) {
      if (batch.length === 0) return { commands, problem: "argument line too long" };
      if (plan.exits && (plan.lines !== null || plan.most !== null))
        return { commands, problem: "argument list too long" };
      flush();
    }
    batch.push(bytesToText(text));
    size += more;
    if (endsLine) lines++;
    if (batch.length === plan.most || lines === plan.lines) flush();
  }
  if (batch.length > 0 || (commands.length === 0 && runsWhenEmpty)) flush();
  return { commands, problem: null };
}

interface Outcome extends ExecResult {
  /** A command said so, by ending with 255 or not being there. */
  readonly isOver: boolean;
}

async function runAll(
  commands: readonly string[][],
  ctx: CommandContext,
  isVerbose: boolean,
): Promise<Outcome> {
  const [stdout, stderr]: [string[], string[]] = [[], []];
  let exitCode = 0;
  const outcome = (code: number, isOver: boolean): Outcome => ({
    stdout: stdout.join(""),
    stderr: stderr.join(""),
    exitCode: code,
    isOver,
  });
  if (ctx.exec === undefined)
    return { stdout: "", stderr: "xargs: the shell runs no commands here\n", exitCode: 126, isOver: true };
  for (const [name = "", ...args] of commands) {
    if (isVerbose) stderr.push(`${[name, ...args].map(quoteIfNeeded).join(" ")}\n`);
    // The input is the list's: commands get none.
    const result = await ctx.exec(quote(name), {
      cwd: ctx.cwd,
      args,
      stdin: "",
      stdinKind: "bytes",
    });
    if (result.exitCode === 127 && /command not found\n$/.test(result.stderr)) {
      stderr.push(`xargs: ${name}: No such file or directory\n`);
      return outcome(127, true);
    }
    stdout.push(result.stdout);
    stderr.push(result.stderr);
    if (result.exitCode === 255) {
      stderr.push(`xargs: ${name}: exited with status 255; aborting\n`);
      return outcome(124, true);
    }
    if (result.exitCode === 126) return outcome(126, true);
    if (result.exitCode !== 0) exitCode = 123;
  }
  return outcome(exitCode, false);
}
