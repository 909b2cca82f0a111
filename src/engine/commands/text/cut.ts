import { type Command, defineCommand } from "just-bash";
import { textToBytes } from "../../byte-text.ts";
import { type GnuProgram, parseGnuOptions, usageError } from "../gnu-options.ts";
import { joinLines, linesOf } from "./byte-lines.ts";
import { readOperands } from "./read-operands.ts";

type Key =
  | "bytes"
  | "characters"
  | "delimiter"
  | "fields"
  | "whole"
  | "complement"
  | "only"
  | "output"
  | "zero";

const program: GnuProgram<Key> = {
  name: "cut",
  options: {
    bytes: { short: "b", long: "bytes", value: "required" },
    characters: { short: "c", long: "characters", value: "required" },
    delimiter: { short: "d", long: "delimiter", value: "required" },
    fields: { short: "f", long: "fields", value: "required" },
    whole: { short: "n" },
    complement: { long: "complement" },
    only: { short: "s", long: "only-delimited" },
    output: { long: "output-delimiter", value: "required" },
    zero: { short: "z", long: "zero-terminated" },
  },
  compatibleWith: "GNU coreutils 9.1",
  help: `Usage: cut OPTION... [FILE]...
Print selected parts of lines from each FILE to standard output.

With no FILE, or when FILE is -, read standard input.

  -b, --bytes=LIST        select only these bytes
  -c, --characters=LIST   select only these characters
  -d, --delimiter=DELIM   use DELIM instead of TAB for field delimiter
  -f, --fields=LIST       select only these fields;  also print any line
                            that contains no delimiter character, unless
                            the -s option is specified
  -n                      (ignored)
      --complement        complement the set of selected bytes, characters
                            or fields
  -s, --only-delimited    do not print lines not containing delimiters
      --output-delimiter=STRING  use STRING as the output delimiter
                            the default is to use the input delimiter
  -z, --zero-terminated    line delimiter is NUL, not newline
      --help        display this help and exit
      --version     output version information and exit

Use one, and only one of -b, -c or -f.  Each LIST is made up of one
range, or many ranges separated by commas.  Selected input is written
in the same order that it is read, and is written exactly once.
Each range is one of:

  N     N'th byte, character or field, counted from 1
  N-    from N'th byte, character or field, to end of line
  N-M   from N'th to M'th (included) byte, character or field
  -M    from first to M'th (included) byte, character or field
`,
};

/** From a place to another, both counted from 1 and included. */
type Range = readonly [from: number, to: number];

/** `cut` as coreutils has it: `-c` selects bytes, as `-b` does. */
export const cut: Command = defineCommand("cut", async (args, ctx) => {
  const parsed = parseGnuOptions(program, args);
  if (!parsed.ok) return parsed.result;
  const { has, value, given, operands } = parsed.args;
  const lists = given.filter(({ key }) => key === "bytes" || key === "characters" || key === "fields");
  const [list, second] = lists;
  if (list === undefined)
    return usageError(program, "you must specify a list of bytes, characters, or fields");
  if (second !== undefined) return usageError(program, "only one list may be specified");
  const isFields = list.key === "fields";
  const delimiterText = value("delimiter");
  if (delimiterText !== undefined && !isFields)
    return usageError(program, "an input delimiter may be specified only when operating on fields");
  if (has("only") && !isFields)
    return usageError(
      program,
      "suppressing non-delimited lines makes sense\n\tonly when operating on fields",
    );
  const delimiter =
    delimiterText === undefined ? "\t" : delimiterText === "" ? "\0" : textToBytes(delimiterText);
  if (delimiter.length > 1) return usageError(program, "the delimiter must be a single character");
  const ranges = readList(list.value ?? "", isFields);
  if (typeof ranges === "string") return usageError(program, ranges);
  const selected = has("complement") ? complementOf(ranges) : ranges;
  const asked = value("output");
  const between = asked === undefined ? null : textToBytes(asked);

  const end = has("zero") ? "\0" : "\n";
  const { files, stderr } = await readOperands("cut", operands, ctx);
  const lines = files.flatMap(({ bytes }) => linesOf(bytes, end));
  const cutLines = isFields
    ? lines.flatMap((line) => cutFields(line, delimiter, selected, between ?? delimiter, has("only")))
    : lines.map((line) =>
        selected
          .map(([from, to]) => line.slice(from - 1, to))
          .filter((part) => part !== "")
          .join(between ?? ""),
      );
  const stdout = joinLines(cutLines, end);
  return { stdout, stderr, exitCode: stderr === "" ? 0 : 1, stdoutKind: "bytes" };
});

function cutFields(
  line: string,
  delimiter: string,
  selected: readonly Range[],
  between: string,
  onlyDelimited: boolean,
): string[] {
  if (!line.includes(delimiter)) return onlyDelimited ? [] : [line];
  const fields = line.split(delimiter);
  return [selected.flatMap(([from, to]) => fields.slice(from - 1, to)).join(between)];
}

/** The ranges in order, those that meet made one; or why the list means none. */
function readList(text: string, isFields: boolean): Range[] | string {
  const what = isFields ? "field" : "byte/character position";
  const ranges: Range[] = [];
  for (const part of text.split(/[, \t]/)) {
    const found = /^(\d*)(-?)(\d*)$/.exec(part);
    if (found === null) {
      const isNumber = /^[\d-]*$/.test(part);
      if (isNumber) return "invalid range with no endpoint: -".replace(": -", `: ${part}`);
      return isFields ? `invalid field value '${part}'` : `invalid byte/character position '${part}'`;
    }
    const [, from = "", dash = "", to = ""] = found;
    if (dash !== "" && from === "" && to === "") return "invalid range with no endpoint: -";
    if (from === "" && dash === "")
      return isFields ? "fields are numbered from 1" : "byte/character positions are numbered from 1";
    const start = from === "" ? 1 : Number(from);
    const last = dash === "" ? start : to === "" ? Number.POSITIVE_INFINITY : Number(to);
    if (start === 0 || last === 0)
      return isFields ? "fields are numbered from 1" : `${what}s are numbered from 1`;
    if (last < start) return "invalid decreasing range";
    ranges.push([start, last]);
  }
  ranges.sort(([a], [b]) => a - b);
  const merged: Range[] = [];
  for (const [from, to] of ranges) {
    const before = merged.at(-1);
    // Ranges that only touch stay apart: the output delimiter goes between them.
    if (before !== undefined && from <= before[1])
      merged[merged.length - 1] = [before[0], Math.max(before[1], to)];
    else merged.push([from, to]);
  }
  return merged;
}

function complementOf(ranges: readonly Range[]): Range[] {
  const rest: Range[] = [];
  let next = 1;
  for (const [from, to] of ranges) {
    if (from > next) rest.push([next, from - 1]);
    next = to + 1;
  }
  if (next !== Number.POSITIVE_INFINITY) rest.push([next, Number.POSITIVE_INFINITY]);
  return rest;
}
