import { Buffer } from "node:buffer";
import { type Command, defineCommand } from "just-bash";
import { type GnuProgram, parseGnuOptions, usageError } from "../gnu-options.ts";
import { byteAnswer, compareBytes, linesOf } from "./byte-lines.ts";
import { readOperands } from "./read-operands.ts";

type Key = "one" | "two" | "three" | "check" | "noCheck" | "delimiter" | "total" | "zero";

const program: GnuProgram<Key> = {
  name: "comm",
  options: {
    one: { short: "1" },
    two: { short: "2" },
    three: { short: "3" },
    check: { long: "check-order" },
    noCheck: { long: "nocheck-order" },
    delimiter: { long: "output-delimiter", value: "required" },
    total: { long: "total" },
    zero: { short: "z", long: "zero-terminated" },
  },
  compatibleWith: "GNU coreutils 9.1",
  help: `Usage: comm [OPTION]... FILE1 FILE2
Compare sorted files FILE1 and FILE2 line by line.

  -1                      suppress column 1 (lines unique to FILE1)
  -2                      suppress column 2 (lines unique to FILE2)
  -3                      suppress column 3 (lines that appear in both files)
      --check-order       check that the input is correctly sorted
      --nocheck-order     do not check that the input is correctly sorted
      --output-delimiter=STR  separate columns with STR
      --total             output a summary
  -z, --zero-terminated   line delimiter is NUL, not newline
      --help              display this help and exit
      --version           output version information and exit
`,
};

/** `comm` as coreutils has it. */
export const comm: Command = defineCommand("comm", async (args, ctx) => {
  const parsed = parseGnuOptions(program, args);
  if (!parsed.ok) return parsed.result;
  const { operands, has, value } = parsed.args;
  const [name1, name2, extra] = operands;
  if (name1 === undefined) return usageError(program, "missing operand");
  if (name2 === undefined) return usageError(program, `missing operand after '${name1}'`);
  if (extra !== undefined) return usageError(program, `extra operand '${extra}'`);
  const { files, stderr } = await readOperands("comm", [name1, name2], ctx);
  const [file1, file2] = files;
  if (file1 === undefined || file2 === undefined) return byteAnswer("", stderr);

  const end = has("zero") ? "\0" : "\n";
  const delimiter = Buffer.from(value("delimiter") ?? "\t", "utf8").toString("latin1");
  const [left, right] = [linesOf(file1.bytes, end), linesOf(file2.bytes, end)];
  const columns = (["one", "two", "three"] as const).map((key, at, all) =>
    has(key) ? null : delimiter.repeat(all.slice(0, at).filter((before) => !has(before)).length),
  );
  const totals = [0, 0, 0];
  const parts: string[] = [];
  let [i, j] = [0, 0];
  while (i < left.length || j < right.length) {
    const [a, b] = [left[i], right[j]];
    const order = a === undefined ? 1 : b === undefined ? -1 : compareBytes(a, b);
    const column = order < 0 ? 0 : order > 0 ? 1 : 2;
    totals[column] = (totals[column] ?? 0) + 1;
    const indent = columns[column];
    if (indent !== undefined && indent !== null) parts.push(indent, (column === 1 ? b : a) ?? "", end);
    if (order <= 0) i++;
    if (order >= 0) j++;
  }
  if (has("total")) parts.push([...totals, "total"].join(delimiter), end);
  const unsorted = (lines: readonly string[]): boolean =>
    lines.some((line, at) => at > 0 && compareBytes(lines[at - 1] ?? "", line) > 0);
  let said = "";
  if (!has("noCheck")) {
    [left, right].forEach((lines, at) => {
      if (unsorted(lines)) said += `comm: file ${at + 1} is not in sorted order\n`;
    });
    if (said !== "") said += "comm: input is not in sorted order\n";
  }
  return byteAnswer(parts.join(""), said);
});
