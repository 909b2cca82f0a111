import { Buffer } from "node:buffer";
import { type Command, defineCommand } from "just-bash";
import { type GnuProgram, parseGnuOptions, usageError } from "../gnu-options.ts";
import { byteAnswer, compareBytes, linesOf } from "./byte-lines.ts";
import { readOperands } from "./read-operands.ts";

type Key =
  | "all"
  | "only"
  | "empty"
  | "ignoreCase"
  | "field"
  | "field1"
  | "field2"
  | "format"
  | "separator"
  | "check"
  | "noCheck"
  | "header"
  | "zero";

const program: GnuProgram<Key> = {
  name: "join",
  options: {
    all: { short: "a", value: "required" },
    only: { short: "v", value: "required" },
    empty: { short: "e", value: "required" },
    ignoreCase: { short: "i", long: "ignore-case" },
    field: { short: "j", value: "required" },
    field1: { short: "1", value: "required" },
    field2: { short: "2", value: "required" },
    format: { short: "o", value: "required" },
    separator: { short: "t", value: "required" },
    check: { long: "check-order" },
    noCheck: { long: "nocheck-order" },
    header: { long: "header" },
    zero: { short: "z", long: "zero-terminated" },
  },
  compatibleWith: "GNU coreutils 9.1",
  help: `Usage: join [OPTION]... FILE1 FILE2
For each pair of input lines with identical join fields, write a line to
standard output.  The default join field is the first, delimited by blanks.

  -a FILENUM             also print unpairable lines from file FILENUM
  -e STRING              replace missing (empty) input fields with STRING
  -i, --ignore-case      ignore differences in case when comparing fields
  -j FIELD               equivalent to '-1 FIELD -2 FIELD'
  -o FORMAT              obey FORMAT while constructing output line
  -t CHAR                use CHAR as input and output field separator
  -v FILENUM             like -a FILENUM, but suppress joined output lines
  -1 FIELD               join on this FIELD of file 1
  -2 FIELD               join on this FIELD of file 2
      --check-order      check that the input is correctly sorted
      --nocheck-order    do not check that the input is correctly sorted
      --header           treat the first line in each file as field headers
  -z, --zero-terminated  line delimiter is NUL, not newline
      --help             display this help and exit
      --version          output version information and exit
`,
};

interface Side {
  readonly name: string;
  readonly rows: readonly string[][];
  readonly lines: readonly string[];
  readonly field: number;
  at: number;
}

/** `join` as coreutils has it. */
export const join: Command = defineCommand("join", async (args, ctx) => {
  const parsed = parseGnuOptions(program, args);
  if (!parsed.ok) return parsed.result;
  const { operands, given, has, value } = parsed.args;
  const [name1, name2, extra] = operands;
  if (name1 === undefined || name2 === undefined) {
    return usageError(program, name1 === undefined ? "missing operand" : `missing operand after '${name1}'`);
  }
  if (extra !== undefined) return usageError(program, `extra operand '${extra}'`);
  const fields: number[] = [];
  for (const key of ["field1", "field2"] as const) {
    const text = value(key) ?? value("field") ?? "1";
    if (!/^[1-9]\d*$/.test(text)) return byteAnswer("", `join: invalid field number: ‘${text}’\n`);
    fields.push(Number(text));
  }
  const shown = (side: "1" | "2"): boolean =>
    given.some(({ key, value: of }) => (key === "all" || key === "only") && of === side);
  const { files, stderr } = await readOperands("join", [name1, name2], ctx);
  const [file1, file2] = files;
  if (file1 === undefined || file2 === undefined) return byteAnswer("", stderr);

  const separator = separatorOf(value("separator"));
  const end = has("zero") ? "\0" : "\n";
  const split = (line: string): string[] =>
    separator === null
      ? line.split(/[ \t]+/).filter((field, at) => at > 0 || field !== "")
      : separator === ""
        ? [line]
        : line.split(separator);
  const sideOf = (name: string, bytes: string, field: number): Side => {
    const lines = linesOf(bytes, end);
    return { name, lines, rows: lines.map(split), field, at: 0 };
  };
  const left = sideOf(name1, file1.bytes, fields[0] ?? 1);
  const right = sideOf(name2, file2.bytes, fields[1] ?? 1);
  const keyOf = (row: readonly string[] | undefined, side: Side): string => {
    const key = row?.[side.field - 1] ?? "";
    return has("ignoreCase") ? key.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : key;
  };
  const format = formatOf(value("format"), left, right);
  if (typeof format === "string") return byteAnswer("", format);
  const empty = Buffer.from(value("empty") ?? "", "utf8").toString("latin1");
  const between = separator ?? " ";
  const rows: string[] = [];
  const write = (a: readonly string[] | null, b: readonly string[] | null): void => {
    const key = (a === null ? b?.[right.field - 1] : a[left.field - 1]) ?? "";
    const cells =
      format === null
        ? [key, ...others(a, left.field), ...others(b, right.field)]
        : format.map(([file, field]) => (file === 0 ? key : ((file === 1 ? a : b)?.[field - 1] ?? "")));
    rows.push(cells.map((cell) => cell || empty).join(between) + end);
  };
  if (has("header")) {
    const [a, b] = [left.rows[left.at++] ?? null, right.rows[right.at++] ?? null];
    if (a !== null || b !== null) write(a, b);
  }
  const disorder = has("noCheck") ? null : new Disorder(keyOf);
  let unpaired = false;
  while (left.at < left.rows.length || right.at < right.rows.length) {
    const [a, b] = [left.rows[left.at] ?? null, right.rows[right.at] ?? null];
    const order = a === null ? 1 : b === null ? -1 : compareBytes(keyOf(a, left), keyOf(b, right));
    if (order !== 0) {
      const side = order < 0 ? left : right;
      unpaired = true;
      if (shown(order < 0 ? "1" : "2")) write(order < 0 ? a : null, order < 0 ? null : b);
      side.at++;
      disorder?.look(side);
      continue;
    }
    const [endA, endB] = [endOfRun(left, keyOf), endOfRun(right, keyOf)];
    if (!has("only")) {
      for (let i = left.at; i < endA; i++)
        for (let j = right.at; j < endB; j++) write(left.rows[i] ?? null, right.rows[j] ?? null);
    }
    left.at = endA;
    right.at = endB;
    if (unpaired) for (const side of [left, right]) disorder?.look(side);
  }
  const problem = disorder?.said ?? "";
  return byteAnswer(rows.join(""), problem === "" ? "" : `${problem}join: input is not in sorted order\n`);
});

function separatorOf(text: string | undefined): string | null {
  if (text === undefined) return null;
  return text === "\\0" ? "\0" : Buffer.from(text, "utf8").toString("latin1");
}

function others(row: readonly string[] | null, field: number): string[] {
  return row === null ? [] : row.filter((_, at) => at !== field - 1);
}

function endOfRun(side: Side, keyOf: (row: string[] | undefined, side: Side) => string): number {
  const key = keyOf(side.rows[side.at], side);
  let end = side.at + 1;
  while (end < side.rows.length && keyOf(side.rows[end], side) === key) end++;
  return end;
}

type Cell = readonly [file: 0 | 1 | 2, field: number];

/** The columns of `-o`, null without it, or what is wrong with them. */
function formatOf(text: string | undefined, left: Side, right: Side): Cell[] | string | null {
  if (text === undefined) return null;
  if (text === "auto") {
    const of = (file: 1 | 2, { rows, field }: Side): Cell[] =>
      (rows[0] ?? []).flatMap((_, at): Cell[] => (at === field - 1 ? [] : [[file, at + 1]]));
    return [[0, 0], ...of(1, left), ...of(2, right)];
  }
  const cells: Cell[] = [];
  for (const item of text.split(/[, \t]+/)) {
    const match = /^(?:0|([12])\.([1-9]\d*))$/.exec(item);
    if (match === null) return `join: invalid field specifier: ‘${item}’\n`;
    cells.push(match[1] === undefined ? [0, 0] : [match[1] === "1" ? 1 : 2, Number(match[2])]);
  }
  return cells;
}

/** Tells once that a file is not sorted. */
class Disorder {
  said = "";
  readonly #keyOf: (row: readonly string[] | undefined, side: Side) => string;

  constructor(keyOf: (row: readonly string[] | undefined, side: Side) => string) {
    this.#keyOf = keyOf;
  }

  /** Looks at the row that a side has come to. */
  look(side: Side): void {
    const row = side.rows[side.at];
    if (this.said.includes(`join: ${side.name}:`) || row === undefined || side.at === 0) return;
    if (compareBytes(this.#keyOf(side.rows[side.at - 1], side), this.#keyOf(row, side)) <= 0) return;
    this.said += `join: ${side.name}:${side.at + 1}: is not sorted: ${side.lines[side.at]}\n`;
  }
}
