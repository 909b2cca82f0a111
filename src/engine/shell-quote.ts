/**
 * Words as bash writes them for itself: `printf %q`, `${x@Q}`.
 * Called from the engine's own text (`build/engine-faults/bytes.ts`).
 */
import { textToBytes } from "./byte-text.ts";

// Letters that bash takes for unprintable: control characters, and bytes that are no character.
const NOT_PRINTABLE = /[\p{Cc}\udc80-\udcff]/u;

const NAMED: Readonly<Record<string, string>> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\x1b": "\\E",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  "'": "\\'",
};

/** Whether only `$'…'` shows a text. */
export function needsDollarQuotes(text: string): boolean {
  return NOT_PRINTABLE.test(text);
}

/** A word that means `text` when a shell reads it again. */
export function quoteForShell(text: string): string {
  if (text === "") return "''";
  if (NOT_PRINTABLE.test(text)) return dollarQuoted(text);
  return text.replace(/[ '"\\|&;()<>!{}*[\]?^$`,]|^[#~]|(?<=[=:])~/g, "\\$&");
}

/** The same between single quotes, whatever the text. */
export function singleQuoted(text: string): string {
  if (NOT_PRINTABLE.test(text)) return dollarQuoted(text);
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** `$'…'` for text that no other quoting shows. */
export function dollarQuoted(text: string): string {
  const inside = text.replace(
    /[\p{Cc}\udc80-\udcff\\']/gu,
    (char) => NAMED[char] ?? [...textToBytes(char)].map(octal).join(""),
  );
  return `$'${inside}'`;
}

function octal(byte: string): string {
  return `\\${byte.charCodeAt(0).toString(8).padStart(3, "0")}`;
}
