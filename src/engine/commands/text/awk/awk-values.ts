/** Values of `awk`: numbers, strings, what came from input and may be either, and what was never set. */
import { formatFloat, formatGeneral } from "./c-format.ts";

/** Text from input: a number where it looks like one. */
export class Input {
  readonly text: string;
  #number: number | null | undefined;
  constructor(text: string) {
    this.text = text;
  }
  /** Null where it does not look like a number. */
  get number(): number | null {
    if (this.#number === undefined)
      this.#number = NUMERIC.test(this.text) ? toNumber(this.text.trim()) : null;
    return this.#number;
  }
}

export type Value = number | string | Input | undefined;

const NUMERIC =
  /^[ \t\n\r\f\v]*[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|(?:(?<=[-+])(?:inf|nan)))[ \t\n\r\f\v]*$/i;
const LEADING = /^[ \t\n\r\f\v]*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)/;
const INTEGER = /^-?[1-9]\d{0,14}$|^0$/;

export function toNumber(value: Value): number {
  if (typeof value === "number") return value;
  if (value === undefined) return 0;
  if (typeof value !== "string") return value.number ?? toNumber(value.text);
  if (INTEGER.test(value)) return Number(value);
  const found = LEADING.exec(value);
  if (found !== null) return Number(found[1]);
  const named = /^[ \t\n]*([-+])(inf|nan)/i.exec(value);
  if (named === null) return 0;
  const [, sign, name = ""] = named;
  return name.toLowerCase() === "nan"
    ? Number.NaN
    : sign === "-"
      ? Number.NEGATIVE_INFINITY
      : Number.POSITIVE_INFINITY;
}

/** Text of a number as `print` shows it, or as a string; whole numbers have no format. */
export function numberText(value: number, format: string): string {
  if (Number.isInteger(value)) {
    if (Math.abs(value) < 1e16) return String(value === 0 ? 0 : value);
    return BigInt(value).toString();
  }
  if (Number.isNaN(value)) return "-nan";
  if (!Number.isFinite(value)) return value > 0 ? "+inf" : "-inf";
  if (format === "%.6g") return formatGeneral(value, 6, false);
  const simple = /^%\.(\d+)([gf])$/.exec(format);
  if (simple === null) return formatGeneral(value, 6, false);
  const digits = Number(simple[1]);
  return simple[2] === "g" ? formatGeneral(value, digits, false) : formatFloat(value, digits);
}

export function isTrue(value: Value): boolean {
  if (typeof value === "number") return value !== 0;
  if (typeof value === "string") return value !== "";
  if (value === undefined) return false;
  return value.number === null ? value.text !== "" : value.number !== 0;
}

/** The number of a value that counts as one; null for strings. */
export function numberOf(value: Value): number | null {
  if (typeof value === "number") return value;
  if (value === undefined) return 0;
  return typeof value === "string" ? null : value.number;
}

/** By code points: as the C library in a UTF-8 locale without rules of its own. */
export function compareText(left: string, right: string): number {
  if (left === right) return 0;
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at++) {
    let a = left.charCodeAt(at);
    let b = right.charCodeAt(at);
    if (a === b) continue;
    // Surrogates stand for what lies behind all other units.
    if (a >= 0xd800 && b >= 0xd800) {
      a = a >= 0xe000 ? a - 0x2000 : a + 0x2000;
      b = b >= 0xe000 ? b - 0x2000 : b + 0x2000;
    }
    return a - b;
  }
  return left.length - right.length;
}

const SURROGATE = /[\ud800-\udbff]/;

export function lengthOf(text: string): number {
  return SURROGATE.test(text) ? Array.from(text).length : text.length;
}

/** Characters from a place, counted from 0. */
export function sliceChars(text: string, start: number, end: number): string {
  return SURROGATE.test(text) ? Array.from(text).slice(start, end).join("") : text.slice(start, end);
}

/** Number of characters in front of a place in the text. */
export function charsBefore(text: string, at: number): number {
  return SURROGATE.test(text) ? Array.from(text.slice(0, at)).length : at;
}
