/** `head` and `tail` as coreutils have them, for files that fit into memory; the large ones are read in parts elsewhere. */
import { type Command, type CommandContext, defineCommand, type ExecResult } from "just-bash";
import { type GnuArguments, type GnuProgram, parseGnuOptions } from "../gnu-options.ts";
import { toBytes } from "../system/sizes.ts";
import { byteAnswer } from "./byte-lines.ts";
import { readOperands } from "./read-operands.ts";

type Key = keyof typeof OPTIONS;
type TailKey = Key | "follow" | "retry" | "waiting";

const OPTIONS = {
  bytes: { short: "c", long: "bytes", value: "required" },
  lines: { short: "n", long: "lines", value: "required" },
  quiet: { short: "q", long: "quiet" },
  verbose: { short: "v", long: "verbose" },
  zero: { short: "z", long: "zero-terminated" },
} as const;

const headProgram: GnuProgram<Key> = {
  name: "head",
  options: OPTIONS,
  compatibleWith: "GNU coreutils 9.1",
  help: `Usage: head [OPTION]... [FILE]...
Print the first 10 lines of each FILE to standard output.
With more than one FILE, precede each with a header giving the file name.

  -c, --bytes=[-]NUM       print the first NUM bytes of each file;
                             with the leading '-', print all but the last
                             NUM bytes of each file
  -n, --lines=[-]NUM       print the first NUM lines instead of the first 10;
                             with the leading '-', print all but the last
                             NUM lines of each file
  -q, --quiet, --silent    never print headers giving file names
  -v, --verbose            always print headers giving file names
  -z, --zero-terminated    line delimiter is NUL, not newline
      --help               display this help and exit
      --version            output version information and exit
`,
};

const tailProgram: GnuProgram<TailKey> = {
  name: "tail",
  options: {
    ...OPTIONS,
    follow: { short: "f", long: "follow", value: "optional" },
    retry: { short: "F", long: "retry" },
    waiting: { short: "s", long: "sleep-interval", value: "required" },
  },
  compatibleWith: "GNU coreutils 9.1",
  help: `Usage: tail [OPTION]... [FILE]...
Print the last 10 lines of each FILE to standard output.
With more than one FILE, precede each with a header giving the file name.

  -c, --bytes=[+]NUM       output the last NUM bytes; or use -c +NUM to
                             output starting with byte NUM of each file
  -n, --lines=[+]NUM       output the last NUM lines, instead of the last 10;
                             or use -n +NUM to skip NUM-1 lines at the start
  -q, --quiet, --silent    never output headers giving file names
  -v, --verbose            always output headers giving file names
  -z, --zero-terminated    line delimiter is NUL, not newline
      --help               display this help and exit
      --version            output version information and exit

-f is refused: nothing writes to a file while a command of this shell waits.
`,
};

interface Count {
  readonly unit: "bytes" | "lines";
  readonly sign: "" | "+" | "-";
  readonly number: number;
}

export const head: Command = defineCommand("head", async (args, ctx) => {
  const parsed = parseGnuOptions(headProgram, args.map(silent).map(plainNumber));
  return parsed.ok ? print("head", parsed.args, ctx, firstPart) : parsed.result;
});

export const tail: Command = defineCommand("tail", async (args, ctx) => {
  const [first = "", ...rest] = args;
  const modern = /^\+\d+$/.test(first) ? ["-n", first, ...rest] : args;
  const parsed = parseGnuOptions(tailProgram, modern.map(silent).map(plainNumber));
  if (!parsed.ok) return parsed.result;
  if (parsed.args.has("follow") || parsed.args.has("retry")) {
    const why =
      "tail: -f is not available here: nothing writes to a file while a command of this shell waits\n";
    return byteAnswer("", why);
  }
  return print("tail", parsed.args, ctx, lastPart);
});

function silent(arg: string): string {
  return arg === "--silent" ? "--quiet" : arg;
}

/** The first argument may be `-5` for `-n 5`, or `-5c` for `-c 5`. */
function plainNumber(arg: string, at: number): string {
  const [, number, unit] = /^-(\d+)([cl]?)$/.exec(arg) ?? [];
  return number === undefined || at > 0 ? arg : `${unit === "c" ? "-c" : "-n"}${number}`;
}

async function print(
  program: "head" | "tail",
  { given, operands, has }: GnuArguments<TailKey>,
  ctx: CommandContext,
  part: (bytes: string, count: Count, end: string) => string,
): Promise<ExecResult> {
  let count: Count = { unit: "lines", sign: "", number: 10 };
  for (const { key, value = "" } of given) {
    if (key !== "bytes" && key !== "lines") continue;
    const [, sign = "", digits = ""] = /^([-+]?)(.*)$/s.exec(value) ?? [];
    const number = toBytes(digits, { b: 512 });
    if (number === null) return byteAnswer("", `${program}: invalid number of ${key}: ‘${value}’\n`);
    count = { unit: key, sign: sign as Count["sign"], number };
  }
  const quiet = given.findLast(({ key }) => key === "quiet" || key === "verbose")?.key;
  const headers = quiet === "verbose" || (quiet !== "quiet" && operands.length > 1);
  const end = has("zero") ? "\0" : "\n";
  const parts: string[] = [];
  let stderr = "";
  for (const operand of operands.length === 0 ? ["-"] : operands) {
    const { files, stderr: said } = await readOperands(program, [operand], ctx);
    stderr += asOpening(program, said);
    const [file] = files;
    if (file === undefined) continue;
    const name = operand === "-" ? "standard input" : operand;
    if (headers) parts.push(`${parts.length === 0 ? "" : "\n"}==> ${name} <==\n`);
    parts.push(part(file.bytes, count, end));
  }
  return byteAnswer(parts.join(""), stderr);
}

/** GNU says what it could not do. */
function asOpening(program: string, said: string): string {
  const [, name, why] = new RegExp(`^${program}: (.*): (.*)\n$`, "s").exec(said) ?? [];
  if (name === undefined) return said;
  return why === "Is a directory"
    ? `${program}: error reading '${name}': ${why}\n`
    : `${program}: cannot open '${name}' for reading: ${why}\n`;
}

function firstPart(bytes: string, { unit, sign, number }: Count, end: string): string {
  if (unit === "bytes")
    return sign === "-" ? bytes.slice(0, Math.max(0, bytes.length - number)) : bytes.slice(0, number);
  if (sign !== "-") return bytes.slice(0, startOfLine(bytes, number, end));
  return bytes.slice(0, startOfLastLines(bytes, number, end));
}

function lastPart(bytes: string, { unit, sign, number }: Count, end: string): string {
  const skipped = Math.max(0, number - 1);
  if (unit === "bytes")
    return sign === "+" ? bytes.slice(skipped) : bytes.slice(Math.max(0, bytes.length - number));
  return bytes.slice(sign === "+" ? startOfLine(bytes, skipped, end) : startOfLastLines(bytes, number, end));
}

/** Where the line with this index starts; the end when there are fewer. */
function startOfLine(bytes: string, index: number, end: string): number {
  let at = 0;
  for (let left = index; left > 0; left--) {
    const next = bytes.indexOf(end, at);
    if (next < 0) return bytes.length;
    at = next + 1;
  }
  return at;
}

function startOfLastLines(bytes: string, count: number, end: string): number {
  if (count === 0) return bytes.length;
  let at = bytes.endsWith(end) ? bytes.length - 1 : bytes.length;
  for (let left = count; left > 0; left--) {
    if (at === 0) return 0;
    const before = bytes.lastIndexOf(end, at - 1);
    if (before < 0) return 0;
    at = before;
  }
  return at + 1;
}
