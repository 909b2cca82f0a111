/**
 * Backslash escapes of `$'…'`, `echo -e`, and `printf`'s format and `%b`: alike, but not the same. An escape
 * stands for bytes; those that form no UTF-8 together stay bytes (`byte-text.ts`).
 * Called from the engine's own text (`build/engine-faults/bytes.ts`).
 */
import { bytesToText, textToBytes } from "./byte-text.ts";

/** Whose escapes. */
export type EscapeDialect = "ansi" | "echo" | "format" | "%b";

/** What an escape stands for, and where the text goes on. */
export interface Escape {
  readonly text: string;
  readonly end: number;
  /** `\c` of `echo -e` and `%b`: nothing more is printed. */
  readonly stops?: boolean;
}

const SINGLE: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  e: "\x1b",
  E: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
};

const HAS_STRAY = /[\udc80-\udcff]/;

/** The escape whose backslash is at `at`; what is none stands for itself. */
export function readEscape(source: string, at: number, dialect: EscapeDialect): Escape {
  const letter = source.charAt(at + 1);
  const single = SINGLE[letter];
  if (single !== undefined) return { text: single, end: at + 2 };
  if (letter >= "0" && letter <= "7" && letter !== "") return octal(source, at, dialect);
  switch (letter) {
    case "x":
      return hexByte(source, at, dialect);
    case "u":
    case "U":
      return codePoint(source, at, letter === "u" ? 4 : 8);
    case "c":
      if (dialect === "echo" || dialect === "%b") return { text: "", end: source.length, stops: true };
      if (dialect === "ansi" && at + 2 < source.length)
        return { text: String.fromCharCode(source.charCodeAt(at + 2) & 0x1f), end: at + 3 };
      break;
    case "'":
    case '"':
    case "?":
      if (dialect === "ansi" || dialect === "format") return { text: letter, end: at + 2 };
  }
  return { text: `\\${letter}`, end: at + 2 };
}

function octal(source: string, at: number, dialect: EscapeDialect): Escape {
  const leading = source.charAt(at + 1) === "0";
  if (dialect === "echo" && !leading) return { text: source.slice(at, at + 2), end: at + 2 };
  const most = leading && (dialect === "echo" || dialect === "%b") ? 4 : 3;
  const digits = digitsAt(source, at + 1, most, /[0-7]/);
  return { text: byte(Number.parseInt(digits, 8) & 0xff), end: at + 1 + digits.length };
}

function hexByte(source: string, at: number, dialect: EscapeDialect): Escape {
  const braced = dialect === "ansi" ? /^\{([0-9a-fA-F]+)\}?/.exec(source.slice(at + 2, at + 20)) : null;
  if (braced !== null)
    return {
      text: byte(Number.parseInt(braced[1]?.slice(-2) ?? "", 16)),
      end: at + 2 + braced[0].length,
    };
  const digits = digitsAt(source, at + 2, 2, /[0-9a-fA-F]/);
  if (digits === "") return { text: "\\x", end: at + 2 };
  return { text: byte(Number.parseInt(digits, 16)), end: at + 2 + digits.length };
}

function codePoint(source: string, at: number, most: number): Escape {
  const digits = digitsAt(source, at + 2, most, /[0-9a-fA-F]/);
  const end = at + 2 + digits.length;
  if (digits === "") return { text: source.slice(at, end), end };
  const point = Number.parseInt(digits, 16);
  if (point > 0x10ffff) return { text: source.slice(at, end), end };
  if (point < 0xd800 || point > 0xdfff) return { text: String.fromCodePoint(point), end };
  // Half of a pair: bash writes the three bytes that UTF-8 would have for it.
  const bytes = [0xe0 | (point >> 12), 0x80 | ((point >> 6) & 0x3f), 0x80 | (point & 0x3f)];
  return { text: bytes.map(byte).join(""), end };
}

function digitsAt(source: string, at: number, most: number, digit: RegExp): string {
  let end = at;
  while (end < at + most && digit.test(source.charAt(end))) end++;
  return source.slice(at, end);
}

/** One byte in text: above 0x7F it is stray until `joinBytes` finds that it belongs to a character. */
function byte(value: number): string {
  return String.fromCharCode(value < 0x80 ? value : 0xdc00 + value);
}

/** The same text, with stray bytes that form UTF-8 together as the characters they are. */
export function joinBytes(text: string): string {
  return HAS_STRAY.test(text) ? bytesToText(textToBytes(text)) : text;
}

/** Text with all its escapes replaced, up to one that stops. */
export function replaceEscapes(source: string, dialect: EscapeDialect): { text: string; stops: boolean } {
  let at = source.indexOf("\\");
  if (at === -1) return { text: source, stops: false };
  let text = source.slice(0, at);
  while (at < source.length) {
    if (source.charAt(at) === "\\") {
      const found = readEscape(source, at, dialect);
      text += found.text;
      if (found.stops === true) return { text: joinBytes(text), stops: true };
      at = found.end;
    } else {
      const next = source.indexOf("\\", at);
      const end = next === -1 ? source.length : next;
      text += source.slice(at, end);
      at = end;
    }
  }
  return { text: joinBytes(text), stops: false };
}

/** `echo -e`, in the engine's words. */
export function echoEscapes(source: string): { output: string; stop: boolean } {
  const { text, stops } = replaceEscapes(source, "echo");
  return { output: text, stop: stops };
}

/** The inside of `$'…'` from `start` on; `end` is where the closing quote is. A NUL ends the text, as in bash. */
export function ansiQuoted(source: string, start: number): { text: string; end: number } {
  let text = "";
  let at = start;
  while (at < source.length && source.charAt(at) !== "'") {
    if (source.charAt(at) === "\\" && at + 1 < source.length) {
      const found = readEscape(source, at, "ansi");
      text += found.text;
      at = found.end;
    } else text += source.charAt(at++);
  }
  return { text: joinBytes(beforeNul(text)), end: at };
}

/** What a variable takes of text: bash ends a string at its first NUL. */
export function beforeNul(text: string): string {
  const nul = text.indexOf("\0");
  return nul === -1 ? text : text.slice(0, nul);
}
