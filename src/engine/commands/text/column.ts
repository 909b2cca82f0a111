import { type Command, defineCommand, type ExecResult } from "just-bash";
import { type GnuArguments, type GnuProgram, parseGnuOptions } from "../gnu-options.ts";
import { linesOf } from "./byte-lines.ts";
import { Output, TextInput } from "./text-input.ts";
import { widthOf } from "./text-width.ts";

type Key =
  | "table"
  | "separator"
  | "outputSeparator"
  | "width"
  | "fillRows"
  | "names"
  | "right"
  | "json"
  | "tableName"
  | "keepEmpty"
  | "noHeadings"
  | "hide"
  | "order"
  | "limit"
  | "noextreme"
  | "truncate"
  | "wrap"
  | "headerRepeat";

const program: GnuProgram<Key> = {
  name: "column",
  options: {
    table: { short: "t", long: "table" },
    separator: { short: "s", long: "separator", value: "required" },
    outputSeparator: { short: "o", long: "output-separator", value: "required" },
    width: { short: "c", long: "output-width", value: "required" },
    fillRows: { short: "x", long: "fillrows" },
    names: { short: "N", long: "table-columns", value: "required" },
    right: { short: "R", long: "table-right", value: "required" },
    json: { short: "J", long: "json" },
    tableName: { short: "n", long: "table-name", value: "required" },
    keepEmpty: { short: "L", long: "keep-empty-lines" },
    noHeadings: { short: "d", long: "table-noheadings" },
    hide: { short: "H", long: "table-hide", value: "required" },
    order: { short: "O", long: "table-order", value: "required" },
    limit: { short: "l", long: "table-columns-limit", value: "required" },
    noextreme: { short: "E", long: "table-noextreme", value: "required" },
    truncate: { short: "T", long: "table-truncate", value: "required" },
    wrap: { short: "W", long: "table-wrap", value: "required" },
    headerRepeat: { short: "e", long: "table-header-repeat" },
  },
  compatibleWith: "util-linux 2.38.1",
  help: `Usage:
 column [options] [<file>...]

Columnate lists.

Options:
 -t, --table                      create a table
 -n, --table-name <name>          table name for JSON output
 -O, --table-order <columns>      specify order of output columns
 -N, --table-columns <names>      comma separated columns names
 -l, --table-columns-limit <num>  maximal number of input columns
 -E, -T, -W, -e                   taken, and without effect: the output is as wide as it needs
 -d, --table-noheadings           don't print header
 -H, --table-hide <columns>       don't print the columns
 -R, --table-right <columns>      right align text in these columns
 -L, --keep-empty-lines           don't ignore empty lines
 -J, --json                       use JSON output format for table
 -c, --output-width <width>       width of output in number of characters
 -o, --output-separator <string>  columns separator for table output (default is two spaces)
 -s, --separator <string>         possible table delimiters
 -x, --fillrows                   fill rows before columns
     --help                       display this help
     --version                    display version
`,
};

/** `column` as util-linux has it. */
export const column: Command = defineCommand("column", async (args, ctx) => {
  const parsed = parseGnuOptions(program, args);
  if (!parsed.ok) return parsed.result;
  const input = new TextInput(ctx);
  const output = new Output();
  const lines: string[] = [];
  const { operands, has } = parsed.args;
  for (const operand of operands.length === 0 ? ["-"] : operands) {
    const read = await input.read(operand);
    if ("why" in read) output.fail(`column: ${operand}: ${read.why}`);
    else lines.push(...linesOf(read.text, "\n"));
  }
  const kept = has("keepEmpty") ? lines : lines.filter((line) => /[^ \t\r\v\f]/.test(line));
  if (has("table") || has("json")) {
    const failure = table(parsed.args, kept, output);
    if (failure !== null) return failure;
  } else columns(parsed.args, kept, output);
  return output.result();
});

function table(
  { has, value }: GnuArguments<Key>,
  lines: readonly string[],
  output: Output,
): ExecResult | null {
  const separators = value("separator");
  const limit = Number(value("limit") ?? Number.POSITIVE_INFINITY);
  const rows = lines.map((line) => cells(line, separators, limit));
  const names = value("names")?.split(",") ?? null;
  const count = Math.max(names?.length ?? 0, ...rows.map(({ length }) => length), 0);
  if (has("json") && names === null) {
    return { stdout: "", stderr: "column: option --table-columns required for --json\n", exitCode: 1 };
  }
  const indexOf = (column: string): number[] => {
    if (column === "-" || column === "0") return Array.from({ length: count }, (_, at) => at);
    const byName = names?.indexOf(column) ?? -1;
    const at = byName >= 0 ? byName : /^-?\d+$/.test(column) ? Number(column) - 1 : -1;
    return at >= 0 ? [at] : [];
  };
  const listed = (key: Key): Set<number> => new Set((value(key)?.split(",") ?? []).flatMap(indexOf));
  const [hidden, right] = [listed("hide"), listed("right")];
  const first = [...listed("order")];
  const order = [
    ...first,
    ...Array.from({ length: count }, (_, at) => at).filter((at) => !first.includes(at)),
  ].filter((at) => !hidden.has(at));
  if (has("json")) {
    output.write(json(value("tableName") ?? "table", names ?? [], rows, order));
    return null;
  }
  const all = names !== null && !has("noHeadings") && rows.length > 0 ? [names, ...rows] : rows;
  const widths = Array.from({ length: count }, (_, at) =>
    Math.max(0, ...all.map((row) => widthOf(row[at] ?? ""))),
  );
  const between = value("outputSeparator") ?? "  ";
  const last = order[order.length - 1];
  for (const row of all) {
    if (row.length === 0) {
      output.write("\n");
      continue;
    }
    const shown = order.map((at) => {
      const cell = row[at] ?? "";
      const blanks = " ".repeat(Math.max(0, (widths[at] ?? 0) - widthOf(cell)));
      if (right.has(at)) return blanks + cell;
      return at === last ? cell : cell + blanks;
    });
    output.write(`${shown.join(between)}\n`);
  }
  return null;
}

/** Blanks in runs are one separator; separators that were named each end a cell. */
function cells(line: string, separators: string | undefined, limit: number): string[] {
  const found: string[] = [];
  const isSeparator = (char: string): boolean => (separators ?? " \t").includes(char);
  let at = 0;
  const skip = (): void => {
    if (separators === undefined) while (at < line.length && isSeparator(line[at] ?? "")) at++;
  };
  skip();
  while (at <= line.length) {
    if (separators === undefined && at === line.length) break;
    let end = at;
    while (end < line.length && !isSeparator(line[end] ?? "")) end++;
    if (found.length + 1 >= limit) end = line.length;
    found.push(line.slice(at, end));
    at = end + 1;
    skip();
    if (end === line.length) break;
  }
  return found;
}

function json(
  name: string,
  names: readonly string[],
  rows: readonly string[][],
  order: readonly number[],
): string {
  const objects = rows.map((row) => {
    const fields = order.map(
      (at) =>
        `         ${JSON.stringify((names[at] ?? "").toLowerCase())}: ${row[at] === undefined || row[at] === "" ? "null" : JSON.stringify(row[at])}`,
    );
    return `{\n${fields.join(",\n")}\n      }`;
  });
  return `{\n   ${JSON.stringify(name)}: [\n      ${objects.join(",")}\n   ]\n}\n`;
}

/** Fills the width with columns, down first or across first. */
function columns({ has, value }: GnuArguments<Key>, entries: readonly string[], output: Output): void {
  if (entries.length === 0) return;
  const width = Number(value("width") ?? 80);
  const longest = Math.max(...entries.map(widthOf));
  const cell = (Math.floor(longest / 8) + 1) * 8;
  const perRow = Math.max(1, Math.floor(width / cell));
  const rowCount = Math.ceil(entries.length / perRow);
  if (longest >= width) {
    for (const entry of entries) output.write(`${entry}\n`);
    return;
  }
  for (let row = 0; row < rowCount; row++) {
    const shown = has("fillRows")
      ? entries.slice(row * perRow, (row + 1) * perRow)
      : entries.filter((_, at) => at % rowCount === row);
    output.write(
      `${shown.map((entry, at) => (at === shown.length - 1 ? entry : entry + "\t".repeat(Math.ceil((cell - widthOf(entry)) / 8)))).join("")}\n`,
    );
  }
}
