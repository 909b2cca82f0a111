import { type Command, defineCommand } from "just-bash";
import { type GnuProgram, parseGnuOptions } from "../gnu-options.ts";
import { linesOf } from "./byte-lines.ts";
import { readOperands } from "./read-operands.ts";

type Key =
  | "from"
  | "to"
  | "fromUnit"
  | "toUnit"
  | "field"
  | "delimiter"
  | "header"
  | "padding"
  | "round"
  | "suffix"
  | "format"
  | "grouping"
  | "invalid";

const program: GnuProgram<Key> = {
  name: "numfmt",
  options: {
    from: { long: "from", value: "required" },
    to: { long: "to", value: "required" },
    fromUnit: { long: "from-unit", value: "required" },
    toUnit: { long: "to-unit", value: "required" },
    field: { long: "field", value: "required" },
    delimiter: { short: "d", long: "delimiter", value: "required" },
    header: { long: "header", value: "optional" },
    padding: { long: "padding", value: "required" },
    round: { long: "round", value: "required" },
    suffix: { long: "suffix", value: "required" },
    format: { long: "format", value: "required" },
    grouping: { long: "grouping" },
    invalid: { long: "invalid", value: "required" },
  },
  compatibleWith: "GNU coreutils 9.1",
  usageStatus: 1,
  help: `Usage: numfmt [OPTION]... [NUMBER]...
Reformat NUMBER(s), or the numbers from standard input if none are specified.

  -d, --delimiter=X    use X instead of whitespace for field delimiter
      --field=FIELDS   replace the numbers in these input fields (default=1)
      --format=FORMAT  use printf style floating-point FORMAT
      --from=UNIT      auto-scale input numbers to UNITs: none, auto, si, iec, iec-i
      --from-unit=N    specify the input unit size (instead of the default 1)
      --grouping       use locale-defined grouping of digits: none in this locale
      --header[=N]     print (without converting) the first N header lines
      --invalid=MODE   failure mode for invalid numbers: abort, fail, warn, ignore
      --padding=N      pad the output to N characters; negative N left-aligns
      --round=METHOD   up, down, from-zero (default), towards-zero, nearest
      --suffix=SUFFIX  add SUFFIX to output numbers, and accept it in input
      --to=UNIT        auto-scale output numbers to UNITs
      --to-unit=N      the output unit size (instead of the default 1)
      --help        display this help and exit
      --version     output version information and exit
`,
};

const LETTERS = "KMGTPEZY";

/** `numfmt` as coreutils has it: numbers with unit letters, both ways. */
export const numfmt: Command = defineCommand("numfmt", async (args, ctx) => {
  const parsed = parseGnuOptions(program, args);
  if (!parsed.ok) return parsed.result;
  const { has, value, operands } = parsed.args;
  const from = value("from") ?? "none";
  const to = value("to") ?? "none";
  for (const [name, unit] of [
    ["--from", from],
    ["--to", to],
  ] as const)
    if (!["none", "si", "iec", "iec-i", ...(name === "--from" ? ["auto"] : [])].includes(unit))
      return { stdout: "", stderr: `numfmt: invalid argument '${unit}' for '${name}'\n`, exitCode: 1 };
  const rounding = value("round") ?? "from-zero";
  const [, left, zero, widthText, precisionText] =
    /%([-']*)(0?)(\d*)(?:\.(\d+))?f/.exec(value("format") ?? "") ?? [];
  const invalid = value("invalid") ?? "abort";
  let stderr = "";
  let exitCode = 0;

  const convert = (text: string): string | null => {
    const suffix = value("suffix") ?? "";
    const bare = suffix !== "" && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text;
    const number = parse(bare, from);
    if (typeof number === "string") {
      stderr += `numfmt: ${number}\n`;
      if (invalid === "abort" || invalid === "fail") exitCode = 2;
      return null;
    }
    const scaled = (number.value * unitOf(value("fromUnit"))) / unitOf(value("toUnit"));
    const precision = precisionText === undefined ? undefined : Number(precisionText);
    let out =
      print(scaled, to, rounding, precision ?? (to === "none" ? number.decimals : undefined)) + suffix;
    const width = Number(
      value("padding") ?? (widthText ? `${left?.includes("-") ? "-" : ""}${widthText}` : 0),
    );
    if (zero === "0" && width > 0) out = out.padStart(width, "0");
    return width < 0 ? out.padEnd(-width) : out.padStart(width);
  };

  let stdout = "";
  if (operands.length > 0) {
    for (const operand of operands) {
      const out = convert(operand);
      if (out === null && invalid === "abort") break;
      stdout += `${out ?? operand}\n`;
    }
    return { stdout, stderr: invalid === "ignore" ? "" : stderr, exitCode };
  }
  const { files } = await readOperands("numfmt", [], ctx);
  const header = has("header") ? Number(value("header") ?? 1) : 0;
  const fields = (value("field") ?? "1").split(",");
  const delimiter = value("delimiter");
  for (const [index, line] of linesOf(files[0]?.bytes ?? "", "\n").entries()) {
    if (index < header) {
      stdout += `${line}\n`;
      continue;
    }
    const parts =
      delimiter === undefined ? (line.match(/[ \t]*[^ \t]+|[ \t]+$/g) ?? [line]) : line.split(delimiter);
    let failed = false;
    const changed = parts.map((part, at) => {
      if (!isField(at + 1, fields)) return part;
      const blanks = delimiter === undefined ? (/^[ \t]*/.exec(part)?.[0] ?? "") : "";
      const out = convert(part.slice(blanks.length));
      if (out === null) failed = true;
      // A number that stood behind more than one blank keeps its right edge.
      const kept = blanks.length > 1 && value("padding") === undefined;
      return out === null
        ? part
        : kept
          ? (at === 0 ? "" : " ") + out.padStart(part.length - (at === 0 ? 0 : 1))
          : blanks + out;
    });
    if (failed && invalid === "abort") break;
    stdout += `${changed.join(delimiter ?? "")}\n`;
  }
  return { stdout, stdoutKind: "bytes", stderr: invalid === "ignore" ? "" : stderr, exitCode };
});

function isField(number: number, fields: readonly string[]): boolean {
  return fields.some((field) => {
    const [, low = "", dash, high = ""] = /^(\d*)(-?)(\d*)$/.exec(field) ?? [];
    if (dash === "") return Number(low) === number;
    return number >= Number(low || 1) && number <= (high === "" ? Number.POSITIVE_INFINITY : Number(high));
  });
}

function unitOf(text: string | undefined): number {
  if (text === undefined) return 1;
  const number = parse(text, "auto");
  return typeof number === "string" ? 1 : number.value;
}

function parse(text: string, unit: string): { value: number; decimals: number } | string {
  const [, digits, decimals = "", letter = "", i = "", rest = ""] =
    /^[ \t]*(-?\d+(?:\.(\d+))?)[ \t]?([KMGTPEZY]?)(i?)(.*)$/.exec(text) ?? [];
  if (digits === undefined) return `invalid number: '${text}'`;
  if (rest !== "") return `invalid suffix in input: '${text}'`;
  if (letter !== "" && unit === "none") return `rejecting suffix in input: '${text}' (consider using --from)`;
  if (unit === "iec-i" && letter !== "" && i === "")
    return `missing 'i' suffix in input: '${text}' (e.g Ki/Mi/Gi)`;
  const base = unit === "si" || (unit === "auto" && i === "") ? 1000 : 1024;
  const power = letter === "" ? 0 : LETTERS.indexOf(letter) + 1;
  return { value: Number(digits) * base ** power, decimals: letter === "" ? decimals.length : 0 };
}

function round(value: number, method: string): number {
  const size = Math.abs(value);
  const sign = Math.sign(value) || 1;
  if (method === "up") return Math.ceil(value);
  if (method === "down") return Math.floor(value);
  if (method === "towards-zero") return sign * Math.floor(size);
  return sign * (method === "nearest" ? Math.round(size) : Math.ceil(size));
}

function print(value: number, unit: string, method: string, precision: number | undefined): string {
  const roundTo = (number: number, digits: number): number =>
    round(number * 10 ** digits, method) / 10 ** digits;
  if (unit === "none") return roundTo(value, precision ?? 0).toFixed(precision ?? 0);
  const base = unit === "si" ? 1000 : 1024;
  let power = 0;
  let number = value;
  while (Math.abs(number) >= base && power < LETTERS.length) {
    number /= base;
    power++;
  }
  // One digit after the point below ten, none from there on, as `ls -h` does.
  const digits = (size: number): number => precision ?? (power > 0 && Math.abs(size) < 10 ? 1 : 0);
  let rounded = roundTo(number, digits(number));
  if (Math.abs(rounded) >= base && power < LETTERS.length) {
    rounded /= base;
    power++;
  }
  const letter = power === 0 ? "" : (LETTERS[power - 1] ?? "") + (unit === "iec-i" ? "i" : "");
  return rounded.toFixed(digits(rounded)) + letter;
}
