/** Small programs of coreutils and util-linux: `tac`, `factor`, `tsort`, `cksum`, `sum`, `sync`, `uuidgen`. */
import { randomUUID } from "node:crypto";
import { type Command, type CommandContext, defineCommand, latin1FromBytes } from "just-bash";
import { type GnuProgram, parseGnuOptions, usageError } from "../gnu-options.ts";
import { answer, answerBytes, inputBytes } from "./answer.ts";

const END_OF_HELP = `      --help     display this help and exit
      --version  output version information and exit
`;
const COREUTILS = "GNU coreutils 9.1";

const tacProgram: GnuProgram<"before" | "separator" | "regex"> = {
  name: "tac",
  options: {
    before: { short: "b", long: "before" },
    separator: { short: "s", long: "separator", value: "required" },
    regex: { short: "r", long: "regex" },
  },
  compatibleWith: COREUTILS,
  help: `Usage: tac [OPTION]... [FILE]...
Write each FILE to standard output, last line first.

  -b, --before             attach the separator before instead of after
  -r, --regex              refused
  -s, --separator=STRING   use STRING as the separator instead of newline
${END_OF_HELP}`,
};

export const tac: Command = defineCommand("tac", async (args, ctx) => {
  const parsed = parseGnuOptions(tacProgram, args);
  if (!parsed.ok) return parsed.result;
  const { operands, has, value } = parsed.args;
  if (has("regex")) return usageError(tacProgram, "-r is not available here");
  const separator = Buffer.from(value("separator") || "\n", "utf8").toString("latin1");
  let [stdout, stderr] = ["", ""];
  for (const operand of operands.length === 0 ? ["-"] : operands) {
    const bytes = await inputBytes(ctx, operand);
    if (typeof bytes === "string") stderr += `tac: failed to open '${operand}' for reading: ${bytes}\n`;
    else stdout += reversed(bytes.toString("latin1"), separator, has("before"));
  }
  return answerBytes(Buffer.from(stdout, "latin1"), stderr);
});

function reversed(text: string, separator: string, before: boolean): string {
  const parts = text.split(separator);
  if (before)
    return parts
      .map((part, at) => (at === 0 ? part : separator + part))
      .reverse()
      .join("");
  const last = parts.pop() ?? "";
  return (
    last +
    parts
      .reverse()
      .map((part) => part + separator)
      .join("")
  );
}

const plain = (name: string, summary: string): GnuProgram<never> => ({
  name,
  options: {},
  compatibleWith: COREUTILS,
  help: `Usage: ${name} ${summary}\n${END_OF_HELP}`,
});

const factorProgram = plain(
  "factor",
  "[NUMBER]...\nPrint the prime factors of each NUMBER, or of those on standard input.\n",
);

export const factor: Command = defineCommand("factor", async (args, ctx) => {
  const parsed = parseGnuOptions(factorProgram, args);
  if (!parsed.ok) return parsed.result;
  const { operands } = parsed.args;
  const words =
    operands.length > 0
      ? operands
      : latin1FromBytes(ctx.stdin)
          .split(/\s+/)
          .filter((word) => word !== "");
  let [stdout, stderr] = ["", ""];
  for (const word of words) {
    const number = /^\+?\d+$/.test(word) ? BigInt(word.replace("+", "")) : null;
    if (number === null) stderr += `factor: ‘${word}’ is not a valid positive integer\n`;
    else if (number > 2n ** 53n) stderr += `factor: ‘${word}’ is too large here\n`;
    else
      stdout += `${number}:${factorsOf(Number(number))
        .map((prime) => ` ${prime}`)
        .join("")}\n`;
  }
  return answer(stdout, stderr);
});

function factorsOf(number: number): number[] {
  const primes: number[] = [];
  let rest = number;
  for (let prime = 2; prime * prime <= rest; prime += prime === 2 ? 1 : 2) {
    while (rest % prime === 0) {
      primes.push(prime);
      rest /= prime;
    }
  }
  return rest > 1 ? [...primes, rest] : primes;
}

const tsortProgram = plain(
  "tsort",
  "[FILE]\nWrite a totally ordered list consistent with the partial ordering in FILE.\n",
);

export const tsort: Command = defineCommand("tsort", async (args, ctx) => {
  const parsed = parseGnuOptions(tsortProgram, args);
  if (!parsed.ok) return parsed.result;
  const [operand = "-", extra] = parsed.args.operands;
  if (extra !== undefined) return usageError(tsortProgram, `extra operand '${extra}'`);
  const bytes = await inputBytes(ctx, operand);
  if (typeof bytes === "string") return answer("", `tsort: ${operand}: ${bytes}\n`);
  const words = bytes
    .toString("latin1")
    .split(/[ \t\n]+/)
    .filter((word) => word !== "");
  if (words.length % 2 === 1)
    return answer("", `tsort: ${operand}: input contains an odd number of tokens\n`);
  const { order, loop } = topological(words);
  const said =
    loop.length === 0
      ? ""
      : [`${operand}: input contains a loop:`, ...loop].map((line) => `tsort: ${line}\n`).join("");
  return answer(order.map((word) => `${word}\n`).join(""), said);
});

/** Names without predecessors first, in the order of their names, as they become free. */
function topological(words: readonly string[]): { order: string[]; loop: string[] } {
  const followers = new Map<string, string[]>();
  const waiting = new Map<string, number>();
  for (const word of words) {
    if (!followers.has(word)) followers.set(word, []);
    if (!waiting.has(word)) waiting.set(word, 0);
  }
  for (let at = 0; at < words.length; at += 2) {
    const [from = "", to = ""] = [words[at], words[at + 1]];
    if (from === to) continue;
    followers.get(from)?.unshift(to);
    waiting.set(to, (waiting.get(to) ?? 0) + 1);
  }
  const ready = [...waiting]
    .filter(([, count]) => count === 0)
    .map(([word]) => word)
    .sort();
  const order: string[] = [];
  const loop: string[] = [];
  while (order.length < waiting.size) {
    const next = ready.shift() ?? [...waiting.keys()].filter((word) => !order.includes(word)).sort()[0];
    if (next === undefined) break;
    if ((waiting.get(next) ?? 0) > 0) loop.push(next);
    order.push(next);
    waiting.set(next, 0);
    for (const follower of followers.get(next) ?? []) {
      const count = (waiting.get(follower) ?? 0) - 1;
      waiting.set(follower, count);
      if (count === 0 && !order.includes(follower)) ready.push(follower);
    }
  }
  return { order, loop };
}

const cksumProgram = plain("cksum", "[FILE]...\nPrint CRC checksum and byte counts of each FILE.\n");
const sumProgram = plain("sum", "[FILE]...\nPrint BSD checksum and block counts for each FILE.\n");

export const cksum: Command = defineCommand("cksum", (args, ctx) =>
  eachFile(
    cksumProgram,
    args,
    ctx,
    (bytes, name) => `${crc(bytes)} ${bytes.length}${name === null ? "" : ` ${name}`}`,
  ),
);

export const sum: Command = defineCommand("sum", (args, ctx) =>
  eachFile(sumProgram, args, ctx, (bytes, name) => {
    let value = 0;
    for (const byte of bytes) value = (((value >> 1) | ((value & 1) << 15)) + byte) & 0xffff;
    return `${String(value).padStart(5, "0")} ${String(Math.ceil(bytes.length / 1024)).padStart(5)}${name === null ? "" : ` ${name}`}`;
  }),
);

async function eachFile(
  program: GnuProgram<never>,
  args: readonly string[],
  ctx: CommandContext,
  show: (bytes: Uint8Array, name: string | null) => string,
) {
  const parsed = parseGnuOptions(program, args);
  if (!parsed.ok) return parsed.result;
  const { operands } = parsed.args;
  let [stdout, stderr] = ["", ""];
  for (const operand of operands.length === 0 ? ["-"] : operands) {
    const bytes = await inputBytes(ctx, operand);
    if (typeof bytes === "string") stderr += `${program.name}: ${operand}: ${bytes}\n`;
    else stdout += `${show(bytes, operands.length === 0 ? null : operand)}\n`;
  }
  return answer(stdout, stderr);
}

/** The CRC of POSIX: the length follows the bytes. */
function crc(bytes: Uint8Array): number {
  let value = 0;
  const add = (byte: number): void => {
    value ^= byte << 24;
    for (let bit = 0; bit < 8; bit++) value = value < 0 ? (value << 1) ^ 0x04c11db7 : value << 1;
  };
  for (const byte of bytes) add(byte);
  for (let length = bytes.length; length > 0; length = Math.floor(length / 256)) add(length % 256);
  return ~value >>> 0;
}

/** Every write has reached the host when its command ends. */
export const sync: Command = defineCommand("sync", async () => answer(""));

export const uuidgen: Command = defineCommand("uuidgen", async () => answer(`${randomUUID()}\n`));
