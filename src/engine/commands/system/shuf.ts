import { Buffer } from "node:buffer";
import { type Command, type CommandContext, defineCommand, type ExecResult } from "just-bash";
import { unescapeStrayBytes } from "../../../workspace/stray-bytes.ts";
import { type GnuArguments, type GnuProgram, parseGnuOptions, usageError } from "../gnu-options.ts";
import { reasonOf } from "../reason.ts";
import { answer, answerBytes, inputBytes, pathOf } from "./answer.ts";
import { OutOfRandomBytes, RandomNumbers } from "./random-numbers.ts";

type Key = "echo" | "range" | "count" | "output" | "source" | "repeat" | "zero";

const program: GnuProgram<Key> = {
  name: "shuf",
  options: {
    echo: { short: "e", long: "echo" },
    range: { short: "i", long: "input-range", value: "required" },
    count: { short: "n", long: "head-count", value: "required" },
    output: { short: "o", long: "output", value: "required" },
    source: { long: "random-source", value: "required" },
    repeat: { short: "r", long: "repeat" },
    zero: { short: "z", long: "zero-terminated" },
  },
  compatibleWith: "GNU coreutils 9.1",
  help: `Usage: shuf [OPTION]... [FILE]
  or:  shuf -e [OPTION]... [ARG]...
  or:  shuf -i LO-HI [OPTION]...
Write the lines of FILE or standard input in random order.

  -e, --echo                each ARG is a line
  -i, --input-range=LO-HI   each number from LO to HI is a line
  -n, --head-count=COUNT    write at most COUNT lines
  -o, --output=FILE         write to FILE
      --random-source=FILE  take random bytes from FILE
  -r, --repeat              lines may come again; without -n: 1,000,000 lines
  -z, --zero-terminated     lines end with NUL, not newline
      --help                display this help and exit
      --version             output version information and exit
`,
};

/** coreutils reads a file of this size and more line by line, and picks as it reads. */
const RESERVOIR_BYTES = 8 << 20;
/** The reader behind a pipe starts when `shuf` has ended, so that it has to end somewhere. */
const ENDLESS_LINES = 1_000_000;

/** `shuf` as coreutils has it. */
export const shuf: Command = defineCommand("shuf", async (args, ctx) => {
  const parsed = parseGnuOptions(program, args);
  if (!parsed.ok) return parsed.result;
  const { given, has, value } = parsed.args;
  const fail = (why: string): ExecResult => answer("", `shuf: ${why}\n`);
  if (given.filter(({ key }) => key === "range").length > 1) return fail("multiple -i options specified");
  let count = Number.POSITIVE_INFINITY;
  for (const { key, value = "" } of given) {
    if (key !== "count") continue;
    if (!/^\s*\+?\d+$/.test(value)) return fail(`invalid line count: ‘${value}’`);
    count = Math.min(count, Number(value));
  }
  const lines = await readLines(parsed.args, ctx);
  if ("exitCode" in lines) return lines;
  const source = value("source");
  const bytes =
    source === undefined ? undefined : await ctx.fs.readFileBuffer(pathOf(ctx, source)).catch(reasonOf);
  if (typeof bytes === "string") return fail(`${source}: ${bytes}`);
  const output = value("output");
  const end = has("zero") ? "\0" : "\n";
  try {
    const picked = pick(lines, count, has("repeat"), new RandomNumbers(bytes));
    if (picked === null) return fail("no lines to repeat");
    const content = picked.length === 0 ? "" : picked.join(end) + end;
    if (output === undefined) return answerBytes(Buffer.from(content, "latin1"));
    const failure = await ctx.fs
      .writeFile(pathOf(ctx, output), Buffer.from(content, "latin1"))
      .catch(reasonOf);
    return failure === undefined ? answer("") : fail(`${output}: ${failure}`);
  } catch (error) {
    if (error instanceof OutOfRandomBytes) return fail(`‘${source}’: end of file`);
    throw error;
  }
});

/** Lines with one byte per character, and whether coreutils would pick as it reads. */
interface Lines {
  readonly total: number;
  at(index: number): string;
  readonly isReservoir: boolean;
}

async function readLines(args: GnuArguments<Key>, ctx: CommandContext): Promise<Lines | ExecResult> {
  const { operands, has, value } = args;
  const fail = (why: string): ExecResult => answer("", `shuf: ${why}\n`);
  const range = value("range");
  if (range !== undefined && has("echo")) return usageError(program, "cannot combine -e and -i options");
  if (range !== undefined) {
    if (operands[0] !== undefined) return usageError(program, `extra operand ‘${operands[0]}’`);
    const [, low = "", high = ""] = /^(\d+)-(\d+)$/.exec(range) ?? [];
    const total = Number(high) - Number(low) + 1;
    if (low === "" || total < 0) return fail(`invalid input range: ‘${range}’`);
    return { total, at: (index) => String(Number(low) + index), isReservoir: false };
  }
  if (has("echo")) {
    const lines = operands.map((operand) => unescapeStrayBytes(operand).toString("latin1"));
    return { total: lines.length, at: (index) => lines[index] ?? "", isReservoir: false };
  }
  const [name = "-", extra] = operands;
  if (extra !== undefined) return usageError(program, `extra operand ‘${extra}’`);
  const content = await inputBytes(ctx, name);
  if (typeof content === "string") return fail(`${name}: ${content}`);
  const lines = content.toString("latin1").split(has("zero") ? "\0" : "\n");
  if (lines.at(-1) === "") lines.pop();
  const isReservoir = name === "-" || content.length > RESERVOIR_BYTES;
  return { total: lines.length, at: (index) => lines[index] ?? "", isReservoir };
}

/** The lines to write; null where nothing can be repeated. */
function pick(lines: Lines, asked: number, repeat: boolean, random: RandomNumbers): string[] | null {
  const { total } = lines;
  if (repeat) {
    if (asked === 0) return [];
    if (total === 0) return null;
    return Array.from(
      { length: Math.min(asked, asked === Number.POSITIVE_INFINITY ? ENDLESS_LINES : asked) },
      () => lines.at(random.below(total)),
    );
  }
  const count = Math.min(asked, total);
  if (!lines.isReservoir || asked === Number.POSITIVE_INFINITY)
    return random.permutation(count, total).map((index) => lines.at(index));
  const kept = Array.from({ length: count }, (_, index) => index);
  // One number is drawn for the line that turns out not to be there, too.
  for (let seen = count; asked > 0 && count === asked && seen <= total; seen++) {
    const place = random.below(seen + 1);
    if (place < count && seen < total) kept[place] = seen;
  }
  return random.permutation(count, count).map((index) => lines.at(kept[index] ?? 0));
}
