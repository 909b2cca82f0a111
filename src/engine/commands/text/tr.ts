import { Buffer } from "node:buffer";
import { type Command, defineCommand, type ExecResult, latin1FromBytes } from "just-bash";
import { type GnuProgram, parseGnuOptions, usageError } from "../gnu-options.ts";
import { readSet, type TrSet } from "./tr-sets.ts";

const program: GnuProgram<"complement" | "complementToo" | "delete" | "squeeze" | "truncate"> = {
  name: "tr",
  options: {
    complement: { short: "c", long: "complement" },
    complementToo: { short: "C" },
    delete: { short: "d", long: "delete" },
    squeeze: { short: "s", long: "squeeze-repeats" },
    truncate: { short: "t", long: "truncate-set1" },
  },
  compatibleWith: "GNU coreutils 9.1",
  help: `Usage: tr [OPTION]... STRING1 [STRING2]
Translate, squeeze, and/or delete characters from standard input,
writing to standard output.  STRING1 and STRING2 specify arrays of
characters ARRAY1 and ARRAY2 that control the action.

  -c, -C, --complement    use the complement of ARRAY1
  -d, --delete            delete characters in ARRAY1, do not translate
  -s, --squeeze-repeats   replace each sequence of a repeated character
                            that is listed in the last specified ARRAY,
                            with a single occurrence of that character
  -t, --truncate-set1     first truncate ARRAY1 to length of ARRAY2
      --help        display this help and exit
      --version     output version information and exit
`,
};

/** `tr` as coreutils has it: it knows bytes and no characters. */
export const tr: Command = defineCommand("tr", async (args, ctx) => {
  const parsed = parseGnuOptions({ ...program, stopAtOperand: true }, args);
  if (!parsed.ok) return parsed.result;
  const { has, operands } = parsed.args;
  const complements = has("complement") || has("complementToo");
  const [deletes, squeezes] = [has("delete"), has("squeeze")];
  const wanted = deletes === squeezes ? 2 : 1;
  const [first, second, extra] = operands;
  if (first === undefined) return usageError(program, "missing operand");
  if (second === undefined && wanted === 2) {
    const why = deletes
      ? "Two strings must be given when both deleting and squeezing repeats."
      : "Two strings must be given when translating.";
    return usageError(program, `missing operand after '${first}'\n${why}`);
  }
  if (second !== undefined && deletes && !squeezes)
    return usageError(
      program,
      `extra operand '${second}'\nOnly one string may be given when deleting without squeezing repeats.`,
    );
  if (extra !== undefined) return usageError(program, `extra operand '${extra}'`);

  const one = readSet(first);
  if (typeof one === "string") return failed(one);
  if (one.fillAt !== null) return failed("the [c*] repeat construct may not appear in string1");
  const two = second === undefined ? null : readSet(second);
  if (typeof two === "string") return failed(two);
  const from = complements ? complementOf(one.bytes) : one.bytes;
  const input = Buffer.from(latin1FromBytes(ctx.stdin), "latin1");

  if (deletes) {
    const left = remove(input, from);
    return output(squeezes && two !== null ? squeeze(left, filled(two, from.length)) : left);
  }
  if (two === null) return output(squeeze(input, from));
  const problem = translationProblem(one, two, complements);
  if (problem !== null) return failed(problem);
  const to = filled(two, from.length);
  const cut = has("truncate") ? from.slice(0, to.length) : from;
  if (to.length === 0 && cut.length > 0) return failed("when not truncating set1, string2 must be non-empty");
  const table = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  cut.forEach((byte, index) => {
    table[byte] = to[index] ?? to.at(-1) ?? byte;
  });
  const translated = input.map((byte) => table[byte] ?? byte);
  return output(squeezes ? squeeze(Buffer.from(translated), to) : Buffer.from(translated));
});

function failed(why: string): ExecResult {
  return { stdout: "", stderr: `tr: ${why}\n`, exitCode: 1 };
}

function output(bytes: Buffer): ExecResult {
  return { stdout: bytes.toString("latin1"), stderr: "", exitCode: 0, stdoutKind: "bytes" };
}

function complementOf(bytes: readonly number[]): number[] {
  const set = new Set(bytes);
  return Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => !set.has(byte));
}

/** The bytes of a second set, `[c*]` repeated until there are as many as in the first. */
function filled({ bytes, fillAt, fillByte }: TrSet, length: number): number[] {
  if (fillAt === null) return bytes;
  const missing = Math.max(0, length - bytes.length);
  return [
    ...bytes.slice(0, fillAt),
    ...Array.from({ length: missing }, () => fillByte),
    ...bytes.slice(fillAt),
  ];
}

/** `[:lower:]` and `[:upper:]` in the second set stand for case, and need one of the two across from them. */
function translationProblem(one: TrSet, two: TrSet, complements: boolean): string | null {
  for (const { name, at } of two.classes) {
    if (name !== "lower" && name !== "upper")
      return "when translating, the only character classes that may appear in\nstring2 are 'upper' and 'lower'";
    const across = one.classes.some((other) => other.at === at && /^(lower|upper)$/.test(other.name));
    if (!across && !complements) return "misaligned [:upper:] and/or [:lower:] construct";
  }
  return null;
}

function remove(input: Buffer, bytes: readonly number[]): Buffer {
  const isRemoved = new Uint8Array(256);
  for (const byte of bytes) isRemoved[byte] = 1;
  return Buffer.from(input.filter((byte) => isRemoved[byte] === 0));
}

function squeeze(input: Buffer, bytes: readonly number[]): Buffer {
  const isSqueezed = new Uint8Array(256);
  for (const byte of bytes) isSqueezed[byte] = 1;
  return Buffer.from(
    input.filter((byte, at) => at === 0 || isSqueezed[byte] === 0 || input[at - 1] !== byte),
  );
}
