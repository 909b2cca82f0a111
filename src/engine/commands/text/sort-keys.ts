/** The keys of `sort`: where they lie in a line, and how they compare. Lines are byte strings. */

import { compareVersions } from "../files/version-order.ts";
import { compareBytes } from "./byte-lines.ts";

/** How a key, or a whole line, compares. */
export interface Ordering {
  ignoreBlanks: boolean;
  ignoreBlanksAtEnd: boolean;
  dictionary: boolean;
  fold: boolean;
  printable: boolean;
  reverse: boolean;
  kind: "text" | "general" | "human" | "month" | "numeric" | "random" | "version";
}

/** One `-k`; numbers count from 0, an end of null is that of the line. */
export interface SortKey {
  readonly startField: number;
  readonly startByte: number;
  readonly endField: number | null;
  readonly endByte: number;
  readonly ordering: Ordering;
  /** Whether it says itself how it compares; else it takes that of the command. */
  readonly hasOrdering: boolean;
}

const KINDS = { g: "general", h: "human", M: "month", n: "numeric", R: "random", V: "version" } as const;

export function plainOrdering(): Ordering {
  return {
    ignoreBlanks: false,
    ignoreBlanksAtEnd: false,
    dictionary: false,
    fold: false,
    printable: false,
    reverse: false,
    kind: "text",
  };
}

/** Adds one option letter; false when there is no such option. */
export function addLetter(ordering: Ordering, letter: string, where: "start" | "end" | "both"): boolean {
  if (letter === "b") {
    if (where !== "end") ordering.ignoreBlanks = true;
    if (where !== "start") ordering.ignoreBlanksAtEnd = true;
  } else if (letter === "d") ordering.dictionary = true;
  else if (letter === "f") ordering.fold = true;
  else if (letter === "i") ordering.printable = true;
  else if (letter === "r") ordering.reverse = true;
  else if (letter in KINDS) ordering.kind = KINDS[letter as keyof typeof KINDS];
  else return false;
  return true;
}

/** A key definition, or why it is none. */
export function readKey(text: string): SortKey | string {
  const found = /^(\d+)(?:\.(\d+))?([a-zA-Z]*)(?:,(\d+)(?:\.(\d+))?([a-zA-Z]*))?$/.exec(text);
  if (found === null) {
    if (!/^\d/.test(text)) return `invalid number at field start: invalid count at start of '${text}'`;
    return `stray character in field spec: invalid field specification '${text}'`;
  }
  const [, field = "", byte, letters = "", endField, endByte, endLetters = ""] = found;
  if (Number(field) === 0 || (endField !== undefined && Number(endField) === 0))
    return `-: invalid field specification '${text}'`.replace("-: ", "field number is zero: ");
  if (byte !== undefined && Number(byte) === 0)
    return `character offset is zero: invalid field specification '${text}'`;
  const ordering = plainOrdering();
  for (const [all, where] of [
    [letters, "start"],
    [endLetters, "end"],
  ] as const) {
    for (const letter of all)
      if (!addLetter(ordering, letter, where))
        return `stray character in field spec: invalid field specification '${text}'`;
  }
  return {
    startField: Number(field) - 1,
    startByte: Number(byte ?? 1) - 1,
    endField: endField === undefined ? null : Number(endField) - 1,
    endByte: Number(endByte ?? 0),
    ordering,
    hasOrdering: letters + endLetters !== "",
  };
}

const isBlank = (line: string, at: number): boolean => {
  const code = line.charCodeAt(at);
  return code === 0x20 || code === 0x09 || code === 0x0a;
};

function skipBlanks(line: string, from: number): number {
  let at = from;
  while (at < line.length && isBlank(line, at)) at++;
  return at;
}

/** Past so many fields that a run of blanks begins. */
function skipFields(line: string, count: number): number {
  let at = 0;
  for (let left = count; left > 0 && at < line.length; left--) {
    at = skipBlanks(line, at);
    while (at < line.length && !isBlank(line, at)) at++;
  }
  return at;
}

/** The part of a line that a key compares. */
export function keyOf(line: string, key: SortKey, separator: string | null): string {
  const { ordering } = key;
  let start: number;
  if (separator === null) start = skipFields(line, key.startField);
  else {
    start = 0;
    for (let left = key.startField; left > 0 && start < line.length; left--) {
      const next = line.indexOf(separator, start);
      start = next < 0 ? line.length : next + 1;
    }
  }
  if (ordering.ignoreBlanks) start = skipBlanks(line, start);
  start = Math.min(line.length, start + key.startByte);
  if (key.endField === null) return line.slice(start);
  const fields = key.endByte === 0 ? key.endField + 1 : key.endField;
  let end: number;
  if (separator === null) end = skipFields(line, fields);
  else {
    end = 0;
    for (let left = fields; left > 0 && end < line.length; left--) {
      const next = line.indexOf(separator, end);
      if (next < 0) end = line.length;
      else end = left > 1 || key.endByte !== 0 ? next + 1 : next;
    }
  }
  if (key.endByte !== 0) {
    if (ordering.ignoreBlanksAtEnd) end = skipBlanks(line, end);
    end = Math.min(line.length, end + key.endByte);
  }
  return line.slice(start, Math.max(start, end));
}

/** What is compared in place of a key's text: made once per line. */
export type Comparable = string | number | Decimal;

/** A decimal number of any length. */
interface Decimal {
  readonly sign: -1 | 0 | 1;
  readonly whole: string;
  readonly fraction: string;
  /** Of `sort -h`: 0 for none, then K, M, G… */
  readonly unit: number;
}

/** Prepares a key's text for `compareKeys`. */
export function comparable(text: string, ordering: Ordering, salt: string): Comparable {
  switch (ordering.kind) {
    case "numeric":
    case "human":
      return decimalOf(text, ordering.kind === "human");
    case "general":
      return generalOf(text);
    case "month":
      return MONTHS.indexOf(text.trimStart().slice(0, 3).toUpperCase());
    case "random":
      return randomRank(salt + text);
    case "version":
      return text;
    default: {
      let shown = text;
      if (ordering.dictionary) shown = shown.replace(/[^0-9A-Za-z \t]/g, "");
      else if (ordering.printable) shown = shown.replace(/[^ -~]/g, "");
      // Bytes: only ASCII has another case.
      return ordering.fold ? shown.replace(/[a-z]+/g, (letters) => letters.toUpperCase()) : shown;
    }
  }
}

const MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];

/** Compares what `comparable` made, before `-r`. */
export function compareKeys(a: Comparable, b: Comparable, { kind }: Ordering): number {
  if (typeof a === "string" && typeof b === "string")
    return kind === "version" ? compareVersions(a, b) : compareBytes(a, b);
  if (typeof a === "object" && typeof b === "object") return compareDecimals(a, b);
  return Number(a) - Number(b) || 0;
}

function decimalOf(text: string, isHuman: boolean): Decimal {
  const [, minus = "", digits = "", fractionDigits = "", suffix = ""] =
    /^[ \t\n]*(-?)(\d*)(?:\.(\d*))?([kKMGTPEZY]?)/.exec(text) ?? [];
  const whole = digits.replace(/^0+/, "");
  const fraction = fractionDigits.replace(/0+$/, "");
  const isZero = whole === "" && fraction === "";
  const unit = isHuman && !isZero && suffix !== "" ? " KMGTPEZY".indexOf(suffix.toUpperCase()) : 0;
  return { sign: isZero ? 0 : minus === "" ? 1 : -1, whole, fraction, unit };
}

function compareDecimals(a: Decimal, b: Decimal): number {
  if (a.sign !== b.sign) return a.sign - b.sign;
  const size =
    a.unit - b.unit ||
    a.whole.length - b.whole.length ||
    compareBytes(a.whole, b.whole) ||
    compareBytes(a.fraction, b.fraction);
  return a.sign < 0 ? -size : size;
}

/** C's `strtold`: no number at all before NaN before −∞. */
function generalOf(text: string): number {
  const found =
    /^\s*([-+]?(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|inf(?:inity)?|nan))/i.exec(text);
  const number = found?.[1]?.toLowerCase();
  if (number === undefined) return -Number.MAX_VALUE * 2;
  if (number.includes("nan")) return -Number.MAX_VALUE;
  if (number.includes("inf")) return number.startsWith("-") ? -1.7e308 : Number.POSITIVE_INFINITY;
  return Number(number.replace(/^([-+]?)(0x.*)$/, (_, sign: string, hex: string) => `${sign}${Number(hex)}`));
}

function randomRank(text: string): number {
  let hash = 2166136261;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 16777619);
  return hash >>> 0;
}
