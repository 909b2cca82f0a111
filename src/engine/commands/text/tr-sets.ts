/** The sets of `tr`: what `a-z`, `[:lower:]`, `\012` and `[x*3]` mean, as bytes. */
import { textToBytes } from "../../byte-text.ts";

/** A set that says no more than which bytes, in order; `fillAt` is where `[c*]` repeats `fillByte`. */
export interface TrSet {
  readonly bytes: number[];
  readonly fillAt: number | null;
  readonly fillByte: number;
  /** Classes that stand in it, with the place of their first byte. */
  readonly classes: readonly { readonly name: string; readonly at: number }[];
}

const CLASSES: Readonly<Record<string, RegExp>> = {
  alnum: /[0-9A-Za-z]/,
  alpha: /[A-Za-z]/,
  blank: /[ \t]/,
  cntrl: /\p{Cc}/u,
  digit: /[0-9]/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /[ \t\n\v\f\r]/,
  upper: /[A-Z]/,
  xdigit: /[0-9A-Fa-f]/,
};

const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11 };

interface Unit {
  readonly byte: number;
  /** Written with a backslash: never part of the syntax. */
  readonly plain: boolean;
}

/** The set that an operand means, or why it means none. */
export function readSet(operand: string): TrSet | string {
  const units = readUnits(textToBytes(operand));
  const bytes: number[] = [];
  const classes: { name: string; at: number }[] = [];
  let fillAt: number | null = null;
  let fillByte = 0;
  const isSyntax = (at: number, char: string): boolean => {
    const unit = units[at];
    return unit !== undefined && !unit.plain && unit.byte === char.charCodeAt(0);
  };
  for (let at = 0; at < units.length; ) {
    const unit = units[at];
    if (unit === undefined) break;
    if (isSyntax(at, "[")) {
      const bracket = readBracket(units, at, isSyntax);
      if (typeof bracket === "string") return bracket;
      if (bracket !== null) {
        if (bracket.className !== undefined) classes.push({ name: bracket.className, at: bytes.length });
        if (bracket.fills) {
          if (fillAt !== null) return "only one [c*] repeat construct may appear in string2";
          fillAt = bytes.length;
          fillByte = bracket.bytes[0] ?? 0;
        } else bytes.push(...bracket.bytes);
        at = bracket.end;
        continue;
      }
    }
    const last = units[at + 2];
    if (isSyntax(at + 1, "-") && last !== undefined) {
      if (last.byte < unit.byte)
        return `range-endpoints of '${shown(unit.byte)}-${shown(last.byte)}' are in reverse collating sequence order`;
      for (let byte = unit.byte; byte <= last.byte; byte++) bytes.push(byte);
      at += 3;
    } else {
      bytes.push(unit.byte);
      at++;
    }
  }
  return { bytes, fillAt, fillByte, classes };
}

interface Bracket {
  readonly bytes: number[];
  readonly end: number;
  readonly className?: string;
  readonly fills?: boolean;
}

/** `[:class:]`, `[=c=]`, `[c*]`, `[c*n]`; null when the bracket stands for itself. */
function readBracket(
  units: readonly Unit[],
  at: number,
  isSyntax: (at: number, char: string) => boolean,
): Bracket | string | null {
  for (const mark of [":", "="]) {
    if (!isSyntax(at + 1, mark)) continue;
    let end = at + 2;
    while (end < units.length && !(isSyntax(end, mark) && isSyntax(end + 1, "]"))) end++;
    if (end >= units.length) continue;
    const inside = units.slice(at + 2, end);
    const text = String.fromCharCode(...inside.map(({ byte }) => byte));
    if (mark === "=") {
      if (inside.length === 0) return "missing equivalence class character '[==]'";
      // Longer ones may still be `[=*n]`.
      if (inside.length > 1) continue;
      return { bytes: inside.map(({ byte }) => byte), end: end + 2 };
    }
    if (text === "") return "missing character class name '[::]'";
    const pattern = CLASSES[text];
    if (pattern === undefined) {
      if (isSyntax(at + 2, "*")) continue;
      return `invalid character class '${text}'`;
    }
    const bytes = Array.from({ length: 256 }, (_, byte) => byte).filter(
      (byte) => byte < 0x80 && pattern.test(String.fromCharCode(byte)),
    );
    return { bytes, end: end + 2, className: text };
  }
  const repeated = units[at + 1];
  if (repeated === undefined || !isSyntax(at + 2, "*")) return null;
  let end = at + 3;
  while (end < units.length && !isSyntax(end, "]")) end++;
  if (end >= units.length) return null;
  const digits = String.fromCharCode(...units.slice(at + 3, end).map(({ byte }) => byte));
  if (digits === "") return { bytes: [repeated.byte], end: end + 1, fills: true };
  if (!/^\d+$/.test(digits)) return `invalid repeat count '${digits}' in [c*n] construct`;
  const count = Number.parseInt(digits, digits.startsWith("0") ? 8 : 10);
  if (count === 0) return { bytes: [repeated.byte], end: end + 1, fills: true };
  return { bytes: Array.from({ length: Math.min(count, 65_536) }, () => repeated.byte), end: end + 1 };
}

function readUnits(operand: string): Unit[] {
  const units: Unit[] = [];
  for (let at = 0; at < operand.length; at++) {
    const char = operand.charAt(at);
    if (char !== "\\" || at + 1 === operand.length) {
      units.push({ byte: operand.charCodeAt(at), plain: false });
      continue;
    }
    const octal = /^[0-3][0-7]{0,2}|^[4-7][0-7]?/.exec(operand.slice(at + 1, at + 4))?.[0];
    if (octal !== undefined) {
      units.push({ byte: Number.parseInt(octal, 8), plain: true });
      at += octal.length;
      continue;
    }
    const letter = operand.charAt(++at);
    units.push({ byte: ESCAPES[letter] ?? letter.charCodeAt(0), plain: true });
  }
  return units;
}

function shown(byte: number): string {
  return byte > 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, "0")}`;
}
