import type { Buffer } from "node:buffer";
import { type Command, defineCommand } from "just-bash";
import { type GnuProgram, parseGnuOptions } from "../gnu-options.ts";
import { answer, inputBytes } from "./answer.ts";
import { toBytes } from "./sizes.ts";

type Key = "bytes" | "skip" | "verbose" | "limit" | "silent";

const program: GnuProgram<Key> = {
  name: "cmp",
  options: {
    bytes: { short: "b", long: "print-bytes" },
    skip: { short: "i", long: "ignore-initial", value: "required" },
    verbose: { short: "l", long: "verbose" },
    limit: { short: "n", long: "bytes", value: "required" },
    silent: { short: "s", long: "silent" },
  },
  usageStatus: 2,
  compatibleWith: "GNU diffutils 3.8",
  help: `Usage: cmp [OPTION]... FILE1 [FILE2 [SKIP1 [SKIP2]]]
Compare two files byte by byte.

  -b, --print-bytes            print differing bytes
  -i, --ignore-initial=SKIP    skip the first SKIP bytes of both inputs
      --ignore-initial=SKIP1:SKIP2
  -l, --verbose                print number and value of all differing bytes
  -n, --bytes=LIMIT            compare at most LIMIT bytes
  -s, --quiet, --silent        print nothing
      --help                   display this help and exit
      --version                output version information and exit

Exit status is 0 if inputs are the same, 1 if different, 2 if trouble.
`,
};

/** What `cmp` takes besides the suffixes that everybody takes. */
const LETTERS = { kB: 1000 };

/** `cmp` as diffutils has it. */
export const cmp: Command = defineCommand("cmp", async (args, ctx) => {
  const parsed = parseGnuOptions(
    program,
    args.map((arg) => (arg === "--quiet" ? "--silent" : arg)),
  );
  // Diffutils says its name before the hint too.
  if (!parsed.ok) return { ...parsed.result, stderr: parsed.result.stderr.replace("\nTry", "\ncmp: Try") };
  const { operands, given, has } = parsed.args;
  const trouble = (why: string) =>
    answer("", `cmp: ${why}\ncmp: Try 'cmp --help' for more information.\n`, 2);
  const [first, second = "-", skip1, skip2, extra] = operands;
  if (first === undefined) return trouble("missing operand after 'cmp'");
  if (extra !== undefined) return trouble(`extra operand '${extra}'`);
  if (has("verbose") && has("silent")) return trouble("options -l and -s are incompatible");

  const skips = [0, 0];
  let limit = Number.POSITIVE_INFINITY;
  for (const { key, value = "" } of given) {
    if (key === "skip") {
      const [of1 = "", of2 = of1] = value.split(":");
      const sizes = [toBytes(of1, LETTERS), toBytes(of2, LETTERS)];
      if (sizes.includes(null)) return trouble(`invalid --ignore-initial value '${value}'`);
      for (const [index, size] of sizes.entries()) skips[index] = Math.max(skips[index] ?? 0, size ?? 0);
    } else if (key === "limit") {
      const size = toBytes(value, LETTERS);
      if (size === null) return trouble(`invalid --bytes value '${value}'`);
      limit = Math.min(limit, size);
    }
  }
  for (const [index, text] of [skip1, skip2].entries()) {
    if (text === undefined) continue;
    const size = toBytes(text, LETTERS);
    if (size === null) return trouble(`invalid --ignore-initial value '${text}'`);
    skips[index] = Math.max(skips[index] ?? 0, size);
  }

  const names = [first, second];
  const files: Buffer[] = [];
  for (const [index, name] of names.entries()) {
    const content = await inputBytes(ctx, name);
    if (typeof content === "string")
      return answer(
        "",
        has("silent") && content === "No such file or directory" ? "" : `cmp: ${name}: ${content}\n`,
        2,
      );
    files.push(content.subarray(skips[index], (skips[index] ?? 0) + limit));
  }
  const [a, b] = files;
  if (a === undefined || b === undefined) return answer("", "", 2);
  if (a.equals(b)) return answer("");
  if (has("silent")) return answer("", "", 1);
  return has("verbose")
    ? everyDifference(a, b, names, has("bytes"))
    : firstDifference(a, b, names, has("bytes"));
});

function firstDifference(a: Buffer, b: Buffer, names: readonly string[], withBytes: boolean) {
  const common = Math.min(a.length, b.length);
  let at = 0;
  let line = 1;
  while (at < common && a[at] === b[at]) if (a[at++] === 10) line++;
  if (at === common) {
    const name = names[a.length < b.length ? 0 : 1];
    if (at === 0) return answer("", `cmp: EOF on ${name} which is empty\n`);
    const ended = a[at - 1] === 10;
    return answer(
      "",
      `cmp: EOF on ${name} after byte ${at}, ${ended ? `line ${line - 1}` : `in line ${line}`}\n`,
    );
  }
  const where = `${names[0]} ${names[1]} differ: byte ${at + 1}, line ${line}`;
  if (!withBytes) return answer(`${where}\n`, "", 1);
  return answer(`${where} is ${octal(a[at])} ${shown(a[at])} ${octal(b[at])} ${shown(b[at])}\n`, "", 1);
}

function everyDifference(a: Buffer, b: Buffer, names: readonly string[], withBytes: boolean) {
  const common = Math.min(a.length, b.length);
  const width = String(Math.max(common, 1)).length;
  const lines: string[] = [];
  for (let at = 0; at < common; at++) {
    if (a[at] === b[at]) continue;
    const number = String(at + 1).padStart(width);
    lines.push(
      withBytes
        ? `${number} ${octal(a[at])} ${shown(a[at]).padEnd(4)} ${octal(b[at])} ${shown(b[at])}\n`
        : `${number} ${octal(a[at])} ${octal(b[at])}\n`,
    );
  }
  if (a.length === b.length) return answer(lines.join(""), "", 1);
  const name = names[a.length < b.length ? 0 : 1];
  const eof =
    common === 0 ? `cmp: EOF on ${name} which is empty\n` : `cmp: EOF on ${name} after byte ${common}\n`;
  return answer(lines.join(""), eof, 1);
}

function octal(byte = 0): string {
  return byte.toString(8).padStart(3);
}

/** As `cat -v` would: `^A`, `M-a`. */
function shown(byte = 0): string {
  const low = byte & 0x7f;
  const text = low < 32 ? `^${String.fromCharCode(low + 64)}` : low === 127 ? "^?" : String.fromCharCode(low);
  return byte >= 128 ? `M-${text}` : text;
}
