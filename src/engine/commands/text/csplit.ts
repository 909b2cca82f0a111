import { Buffer } from "node:buffer";
import { type Command, defineCommand } from "just-bash";
import { type GnuProgram, parseGnuOptions, usageError } from "../gnu-options.ts";
import { reasonOf } from "../reason.ts";
import { readOperands } from "./read-operands.ts";

type Key = "suffix" | "prefix" | "keep" | "digits" | "quiet" | "silent" | "elide" | "suppress";

const program: GnuProgram<Key> = {
  name: "csplit",
  options: {
    suffix: { short: "b", long: "suffix-format", value: "required" },
    prefix: { short: "f", long: "prefix", value: "required" },
    keep: { short: "k", long: "keep-files" },
    digits: { short: "n", long: "digits", value: "required" },
    quiet: { short: "s", long: "quiet" },
    silent: { short: "q", long: "silent" },
    elide: { short: "z", long: "elide-empty-files" },
    suppress: { long: "suppress-matched" },
  },
  compatibleWith: "GNU coreutils 9.1",
  help: `Usage: csplit [OPTION]... FILE PATTERN...
Output pieces of FILE separated by PATTERN(s) to files 'xx00', 'xx01', ...,
and output byte counts of each piece to standard output.

  -b, --suffix-format=FORMAT  use sprintf FORMAT instead of %02d
  -f, --prefix=PREFIX        use PREFIX instead of 'xx'
  -k, --keep-files           do not remove output files on errors
      --suppress-matched     suppress the lines matching PATTERN
  -n, --digits=DIGITS        use specified number of digits instead of 2
  -s, --quiet, --silent      do not print counts of output file sizes
  -z, --elide-empty-files    remove empty output files
      --help        display this help and exit
      --version     output version information and exit

Each PATTERN may be: INTEGER, /REGEXP/[OFFSET], %REGEXP%[OFFSET], {INTEGER} or {*}.
`,
};

interface Pattern {
  text: string;
  line?: number;
  regex?: RegExp;
  skips: boolean;
  offset: number;
  times: number;
}

/** `csplit` as coreutils has it: one file per section of another. */
export const csplit: Command = defineCommand("csplit", async (args, ctx) => {
  const parsed = parseGnuOptions(program, args);
  if (!parsed.ok) return parsed.result;
  const { has, value, operands } = parsed.args;
  const [file, ...words] = operands;
  if (file === undefined) return usageError(program, "missing operand");
  if (words.length === 0) return usageError(program, `missing operand after '${file}'`);
  const fail = (why: string, stdout = "") => ({ stdout, stderr: `csplit: ${why}\n`, exitCode: 1 });
  const patterns = patternsOf(words);
  if (typeof patterns === "string") return fail(patterns);
  const { files, stderr } = await readOperands("csplit", [file], ctx);
  const [input] = files;
  if (input === undefined) return { stdout: "", stderr, exitCode: 1 };

  const lines = input.bytes.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const pieces: string[] = [];
  let from = 0;
  /** Where the last match was: the next one lies behind it. */
  let matched = -1;
  let trouble: string | null = null;
  outer: for (const pattern of patterns) {
    for (let round = 0; round <= pattern.times; round++) {
      const found =
        pattern.line === undefined
          ? lines.findIndex(
              (line, at) =>
                at > matched &&
                at >= from - Math.min(pattern.offset, 0) &&
                pattern.regex?.test(line.replace(/\n$/, "")),
            )
          : pattern.line * (round + 1) - 1;
      const at = found === -1 ? -1 : found + pattern.offset;
      if (found === -1 || at > lines.length || (pattern.line !== undefined && at < from)) {
        if (pattern.times !== Number.POSITIVE_INFINITY)
          trouble =
            pattern.line === undefined
              ? `'${pattern.text}': match not found`
              : `'${pattern.line}': line number out of range`;
        break outer;
      }
      if (!pattern.skips) pieces.push(lines.slice(from, at).join(""));
      matched = found;
      from = has("suppress") && pattern.regex !== undefined ? at + 1 : at;
    }
  }
  pieces.push(lines.slice(from).join(""));
  if (trouble !== null && !has("keep")) return fail(trouble, sizesOf(pieces));

  const kept = has("elide") ? pieces.filter((piece) => piece !== "") : pieces;
  const digits = Number(value("digits") ?? 2);
  for (const [index, piece] of kept.entries()) {
    const suffix =
      value("suffix")?.replace(/%(0?)(\d*)d/, (_, zero: string, width: string) =>
        String(index).padStart(Number(width), zero === "" ? " " : "0"),
      ) ?? String(index).padStart(digits, "0");
    const name = `${value("prefix") ?? "xx"}${suffix}`;
    try {
      await ctx.fs.writeFile(ctx.fs.resolvePath(ctx.cwd, name), Buffer.from(piece, "latin1"));
    } catch (error) {
      return fail(`${name}: ${reasonOf(error)}`);
    }
  }
  const stdout = has("quiet") || has("silent") ? "" : sizesOf(kept);
  return trouble === null ? { stdout, stderr: "", exitCode: 0 } : fail(trouble, stdout);
});

function sizesOf(pieces: readonly string[]): string {
  return pieces.map(({ length }) => `${length}\n`).join("");
}

/** The patterns, or why one is none. */
function patternsOf(words: readonly string[]): Pattern[] | string {
  const patterns: Pattern[] = [];
  for (const text of words) {
    const [, mark, source = "", offset = "0"] = /^([/%])(.*)\1([+-]?\d+)?$/s.exec(text) ?? [];
    const [, times] = /^\{(\d+|\*)\}$/.exec(text) ?? [];
    const last = patterns.at(-1);
    if (mark !== undefined) {
      // Basic expressions: what is a sign there only behind a backslash.
      const plain = source.replace(/\\?[(){}|+?]/g, (sign) =>
        sign.length === 2 ? sign.slice(1) : `\\${sign}`,
      );
      patterns.push({
        text,
        regex: new RegExp(plain),
        skips: mark === "%",
        offset: Number(offset),
        times: 0,
      });
    } else if (times !== undefined && last !== undefined)
      last.times = times === "*" ? Number.POSITIVE_INFINITY : Number(times);
    else if (/^\d+$/.test(text))
      patterns.push({ text, line: Number(text), skips: false, offset: 0, times: 0 });
    else return `'${text}': invalid pattern`;
  }
  return patterns;
}
