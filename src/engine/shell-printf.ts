/**
 * `printf` as bash has it: one pass of a format over some of the arguments. Widths count bytes, integers have
 * 64 bits, and fractions are those of C's `long double` (`long-double.ts`).
 * Called from the engine's own text (`build/engine-faults/bytes.ts`), which repeats it while arguments are left.
 */
import { textToBytes } from "./byte-text.ts";
import { joinBytes, readEscape, replaceEscapes } from "./escapes.ts";
import { formatFloat } from "./long-double.ts";
import { quoteForShell } from "./shell-quote.ts";

/** What one pass did. */
export interface Formatted {
  readonly result: string;
  readonly argsConsumed: number;
  readonly error: boolean;
  readonly errMsg: string;
  /** `\c` in `%b`, or a format that cannot be used. */
  readonly stopped: boolean;
}

const CONVERSION =
  /%([-+ #0']*)(\*|\d+)?(?:(\.)(\*|-?\d*))?(?:hh|h|ll|l|L|j|z|t)?(?:\(([^)]*)\)(T)|([\s\S]))?/y;
const MAX_INTEGER = 2n ** 63n - 1n;

/** A width or precision past this ends the command: nobody reads so much padding. */
const MAX_WIDTH = 2 ** 28;

interface Layout {
  readonly left: boolean;
  readonly zero: boolean;
  readonly sign: string;
  readonly alternative: boolean;
  readonly width: number;
  /** −1: none given. */
  readonly precision: number;
}

/** Applies `format` to the arguments from `first` on; `formatTime` is the engine's `strftime`. */
export function formatPrintf(
  format: string,
  args: readonly string[],
  first: number,
  formatTime: (format: string, seconds: number) => string,
): Formatted {
  let used = 0;
  let errMsg = "";
  const parts: string[] = [];
  const fail = (message: string): void => {
    errMsg += `printf: ${message}\n`;
  };
  const take = (): string | undefined => args[first + used++];
  const done = (stopped: boolean): Formatted => ({
    result: joinBytes(parts.join("")),
    argsConsumed: used,
    error: errMsg !== "" && !/^(printf: warning[^\n]*\n)+$/.test(errMsg),
    errMsg,
    stopped,
  });
  for (let at = 0; at < format.length; ) {
    const char = format.charAt(at);
    if (char === "\\") {
      const found = readEscape(format, at, "format");
      parts.push(found.text);
      at = found.end;
      continue;
    }
    if (char !== "%") {
      const plain = /[^\\%]+/y;
      plain.lastIndex = at;
      const run = plain.exec(format)?.[0] ?? char;
      parts.push(run);
      at += run.length;
      continue;
    }
    if (format.charAt(at + 1) === "%") {
      parts.push("%");
      at += 2;
      continue;
    }
    CONVERSION.lastIndex = at;
    const [whole = "%", flags = "", widthText, dot, precisionText, timeFormat, time, letter] =
      CONVERSION.exec(format) ?? [];
    at += whole.length;
    const starWidth = widthText === "*" ? Number(parseInteger(take(), fail)) : Number(widthText ?? 0);
    const starPrecision =
      precisionText === "*" ? Number(parseInteger(take(), fail)) : Number(precisionText || 0);
    const left = flags.includes("-") || starWidth < 0;
    const layout: Layout = {
      left,
      zero: flags.includes("0") && !left,
      sign: flags.includes("+") ? "+" : flags.includes(" ") ? " " : "",
      alternative: flags.includes("#"),
      width: Math.abs(starWidth),
      precision: dot === undefined || starPrecision < 0 ? -1 : starPrecision,
    };
    if (layout.width > MAX_WIDTH || layout.precision > MAX_WIDTH)
      throw new RangeError(`width or precision of "${whole}" is too large`);
    switch (time ?? letter) {
      case "T": {
        const seconds = take();
        const isNow = seconds === undefined || seconds === "-1" || seconds === "-2";
        const when = isNow ? Math.floor(Date.now() / 1000) : Number(parseInteger(seconds, fail));
        parts.push(padBytes(formatTime(timeFormat || "%X", when), layout));
        break;
      }
      case "d":
      case "i":
      case "u":
      case "o":
      case "x":
      case "X":
        parts.push(formatInteger(parseInteger(take(), fail), letter ?? "d", layout));
        break;
      case "e":
      case "E":
      case "f":
      case "F":
      case "g":
      case "G":
      case "a":
      case "A": {
        const { text, isValid } = floatText(take() ?? "0");
        if (!isValid.ok) fail(`${isValid.argument}: invalid number`);
        parts.push(
          padNumber(formatFloat(text, letter ?? "f", layout.precision, layout.alternative), layout, true),
        );
        break;
      }
      case "c": {
        const bytes = textToBytes(take() ?? "");
        parts.push(padBytes(asText(bytes.charAt(0) || "\0"), layout));
        break;
      }
      case "s":
        parts.push(padBytes(take() ?? "", layout));
        break;
      case "q":
        parts.push(padBytes(quoteForShell(take() ?? ""), layout));
        break;
      case "Q":
        parts.push(
          padBytes(quoteForShell(cutBytes(take() ?? "", layout.precision)), { ...layout, precision: -1 }),
        );
        break;
      case "b": {
        const { text, stops } = replaceEscapes(take() ?? "", "%b");
        parts.push(padBytes(text, layout));
        if (stops) return done(true);
        break;
      }
      case undefined:
        fail(`\`${whole}': missing format character`);
        return done(true);
      default:
        fail(`\`${letter}': invalid format character`);
        return done(true);
    }
  }
  return done(false);
}

/** A byte string's one byte as text. */
function asText(byte: string): string {
  return byte > "\x7f" ? String.fromCharCode(0xdc00 + byte.charCodeAt(0)) : byte;
}

/** The first bytes of text; a character that is cut leaves its bytes. */
function cutBytes(text: string, byteCount: number): string {
  if (byteCount < 0 || (text.length <= byteCount && !/[^\0-\x7f]/.test(text))) return text;
  const bytes = textToBytes(text);
  return bytes.length <= byteCount ? text : [...bytes.slice(0, byteCount)].map(asText).join("");
}

function padBytes(text: string, { left, width, precision }: Layout): string {
  const cut = cutBytes(text, precision);
  if (width === 0) return cut;
  const blanks = " ".repeat(Math.max(0, width - textToBytes(cut).length));
  return left ? cut + blanks : blanks + cut;
}

/** Pads a number with its sign and prefix (`0x`) kept in front of zeros. */
function padNumber(text: string, { left, zero, sign, width }: Layout, isSigned: boolean): string {
  const signed = isSigned && !text.startsWith("-") ? sign + text : text;
  const missing = width - signed.length;
  if (missing <= 0) return signed;
  if (left) return signed + " ".repeat(missing);
  if (!zero || /[a-z]{3}/i.test(signed)) return " ".repeat(missing) + signed;
  const front = /^[-+ ]?(?:0[xX])?/.exec(signed)?.[0] ?? "";
  return front + "0".repeat(missing) + signed.slice(front.length);
}

function formatInteger(value: bigint, letter: string, layout: Layout): string {
  const isSigned = letter === "d" || letter === "i";
  const shown = isSigned ? value : BigInt.asUintN(64, value);
  const base = letter === "o" ? 8 : letter === "x" || letter === "X" ? 16 : 10;
  let digits = (shown < 0n ? -shown : shown).toString(base).padStart(layout.precision, "0");
  if (layout.precision === 0 && shown === 0n) digits = "";
  if (layout.alternative && base === 8 && !digits.startsWith("0")) digits = `0${digits}`;
  if (layout.alternative && base === 16 && shown !== 0n) digits = `0x${digits}`;
  if (letter === "X") digits = digits.toUpperCase();
  const zero = layout.zero && layout.precision < 0;
  return padNumber(shown < 0n ? `-${digits}` : digits, { ...layout, zero }, isSigned);
}

/** An argument as an integer of 64 bits, as C's `strtoimax` reads it; `'c` is the number of the character. */
function parseInteger(argument: string | undefined, fail: (message: string) => void): bigint {
  if (argument === undefined || argument === "") return 0n;
  if (/^["']/.test(argument)) return BigInt(characterNumber(argument));
  const found = /^\s*([-+]?)(0[xX][0-9a-fA-F]+|0[0-7]*|[1-9]\d*)/.exec(argument);
  if (found === null || found[0].length !== argument.length) fail(`${argument}: invalid number`);
  const [, sign = "", digits = "0"] = found ?? [];
  const size = BigInt(/^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits);
  const value = sign === "-" ? -size : size;
  if (value >= -MAX_INTEGER - 1n && value <= MAX_INTEGER) return value;
  fail(`warning: ${argument}: Numerical result out of range`);
  return value < 0n ? -MAX_INTEGER - 1n : MAX_INTEGER;
}

function characterNumber(argument: string): number {
  const point = argument.codePointAt(1) ?? 0;
  return point >= 0xdc80 && point <= 0xdcff ? point - 0xdc00 : point;
}

/** The part of an argument that C's `strtold` takes, and whether that is all of it. */
function floatText(argument: string): {
  text: string;
  isValid: { ok: true } | { ok: false; argument: string };
} {
  if (argument === "") return { text: "0", isValid: { ok: true } };
  if (/^["']/.test(argument)) return { text: String(characterNumber(argument)), isValid: { ok: true } };
  const found =
    /^\s*([-+]?(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|inf(?:inity)?|nan))/i.exec(argument);
  const ok = found !== null && found[0].length === argument.length;
  return { text: found?.[1] ?? "0", isValid: ok ? { ok } : { ok, argument } };
}
