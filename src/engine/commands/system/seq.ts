import { type Command, defineCommand } from "just-bash";
import { type GnuProgram, parseGnuOptions, usageError } from "../gnu-options.ts";
import { answer } from "./answer.ts";
import { compare, type Decimal, powerOfTen, rescale } from "./bc/decimal.ts";
import { formatFloat } from "./c-format.ts";

type Key = "format" | "separator" | "equalWidth";

const program: GnuProgram<Key> = {
  name: "seq",
  options: {
    format: { short: "f", long: "format", value: "required" },
    separator: { short: "s", long: "separator", value: "required" },
    equalWidth: { short: "w", long: "equal-width" },
  },
  compatibleWith: "GNU coreutils 9.1",
  help: `Usage: seq [OPTION]... LAST
  or:  seq [OPTION]... FIRST LAST
  or:  seq [OPTION]... FIRST INCREMENT LAST
Print numbers from FIRST to LAST, in steps of INCREMENT.

  -f, --format=FORMAT      a printf format for floating-point numbers
  -s, --separator=STRING   between numbers (default: a newline)
  -w, --equal-width        pad with leading zeros
      --help               display this help and exit
      --version            output version information and exit
`,
};

const NUMBER = /^\s*\+?(-?)(\d*)(?:\.(\d*))?(?:e([-+]?\d+))?$/i;
const FORMAT = /^((?:[^%]|%%)*)%([-+ #0']*)(\d*)(?:\.(\d*))?L?([eEfFgG])((?:[^%]|%%)*)$/s;

/** `seq` as coreutils has it; numbers are decimal, so that steps like 0.1 are exact. */
export const seq: Command = defineCommand("seq", async (args) => {
  // A negative number is an operand, and ends the options.
  const firstNumber = args.findIndex(
    (arg, index) => /^-[\d.]/.test(arg) && !/^(-f|-s|--format|--separator)$/.test(args[index - 1] ?? ""),
  );
  const marked =
    firstNumber < 0 || args.slice(0, firstNumber).includes("--")
      ? args
      : [...args.slice(0, firstNumber), "--", ...args.slice(firstNumber)];
  const parsed = parseGnuOptions({ ...program, stopAtOperand: true }, marked);
  if (!parsed.ok) return parsed.result;
  const { has, value } = parsed.args;
  const operands = parsed.args.operands.filter((operand, index) => !(operand === "--" && index > 0));
  if (operands.length === 0) return usageError(program, "missing operand");
  if (operands[3] !== undefined) return usageError(program, `extra operand ‘${operands[3]}’`);
  const numbers: Decimal[] = [];
  for (const operand of operands) {
    const number = toDecimal(operand);
    if (number === null) return usageError(program, `invalid floating point argument: ‘${operand}’`);
    numbers.push(number);
  }
  const one: Decimal = { units: 1n, scale: 0 };
  const [first, step, last] =
    numbers.length === 1
      ? [one, one, numbers[0]]
      : numbers.length === 2
        ? [numbers[0], one, numbers[1]]
        : numbers;
  if (first === undefined || step === undefined || last === undefined)
    return usageError(program, "missing operand");
  if (step.units === 0n) return usageError(program, `invalid Zero increment value: ‘${operands[1]}’`);
  const format = value("format");
  if (format !== undefined && has("equalWidth"))
    return usageError(program, "format string may not be specified when printing equal width strings");
  const match = format === undefined ? null : FORMAT.exec(format);
  if (format !== undefined && match === null)
    return answer(
      "",
      `seq: format ‘${format}’ ${/%/.test(format.replaceAll("%%", "")) ? "has unknown directive or too many of them" : "has no % directive"}\n`,
    );

  const scale = Math.max(first.scale, step.scale);
  const show = match === null ? plain(first, last, scale, has("equalWidth")) : formatted(match, scale);
  return answer(join(first, step, last, scale, show, value("separator") ?? "\n"));
});

function join(
  first: Decimal,
  step: Decimal,
  last: Decimal,
  scale: number,
  show: (units: bigint) => string,
  separator: string,
): string {
  const by = rescale(step, scale).units;
  const parts: string[] = [];
  let units = rescale(first, scale).units;
  const isBeyond = (): boolean =>
    by > 0n ? compare({ units, scale }, last) > 0 : compare({ units, scale }, last) < 0;
  if (isBeyond()) return "";
  // The last number in the same units, cut towards the first.
  const limit = last.scale <= scale ? rescale(last, scale).units : floorTo(last, scale, by > 0n);
  for (; by > 0n ? units <= limit : units >= limit; units += by) parts.push(show(units));
  return `${parts.join(separator)}\n`;
}

function floorTo(value: Decimal, scale: number, down: boolean): bigint {
  const unit = powerOfTen(value.scale - scale);
  const whole = value.units / unit;
  const rest = value.units % unit;
  if (down) return rest < 0n ? whole - 1n : whole;
  return rest > 0n ? whole + 1n : whole;
}

function plain(first: Decimal, last: Decimal, scale: number, isWide: boolean): (units: bigint) => string {
  const text = (units: bigint): string => {
    if (scale === 0) return units.toString();
    const size = (units < 0n ? -units : units).toString().padStart(scale + 1, "0");
    return `${units < 0n ? "-" : ""}${size.slice(0, -scale)}.${size.slice(-scale)}`;
  };
  if (!isWide) return text;
  const width = Math.max(text(rescale(first, scale).units).length, text(rescale(last, scale).units).length);
  return (units) => {
    const shown = text(units);
    return shown.startsWith("-") ? `-${shown.slice(1).padStart(width - 1, "0")}` : shown.padStart(width, "0");
  };
}

function formatted(
  [, before = "", flags = "", width = "", precision, letter = "g", after = ""]: RegExpExecArray,
  scale: number,
) {
  const conversion = {
    flags,
    width: Number(width),
    precision: precision === undefined ? null : Number(precision),
    letter,
  };
  const plainText = (text: string): string => text.replaceAll("%%", "%");
  return (units: bigint): string =>
    plainText(before) + formatFloat(Number(`${units}e-${scale}`), conversion) + plainText(after);
}

function toDecimal(text: string): Decimal | null {
  const [, sign = "", whole = "", part = "", exponent = "0"] = NUMBER.exec(text) ?? [];
  if (whole === "" && part === "") return null;
  const digits = BigInt(whole + part) * (sign === "-" ? -1n : 1n);
  const scale = part.length - Number(exponent);
  if (Math.abs(scale) > 10_000) return null;
  return scale >= 0 ? { units: digits, scale } : { units: digits * powerOfTen(-scale), scale: 0 };
}
