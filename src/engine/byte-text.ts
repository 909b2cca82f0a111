/**
 * The engine's two kinds of string: text, and byte strings (a pipe's content, one character per byte). Bytes
 * that are no UTF-8 stay themselves in text (`workspace/stray-bytes.ts`), so that each of these loses nothing.
 * Called from the engine's own text (`build/engine-faults/bytes.ts`).
 */
import { Buffer } from "node:buffer";
import { escapeStrayBytes, unescapeStrayBytes } from "../workspace/stray-bytes.ts";

const NOT_ASCII = /[^\0-\x7f]/;
const NOT_A_BYTE = /[^\0-\xff]/;

/** Byte string → text. What holds a character above U+00FF is text already. */
export function bytesToText(bytes: string): string {
  if (!NOT_ASCII.test(bytes) || NOT_A_BYTE.test(bytes)) return bytes;
  return escapeStrayBytes(Buffer.from(bytes, "latin1"));
}

/** Text → byte string. */
export function textToBytes(text: string): string {
  return NOT_ASCII.test(text) ? unescapeStrayBytes(text).toString("latin1") : text;
}

/** What `read` and `mapfile` put into a variable: text of a byte string without its NULs, which no variable holds. */
export function variableText(bytes: string): string {
  return bytesToText(bytes.includes("\0") ? bytes.replaceAll("\0", "") : bytes);
}

/** The UTF-8 sequence of a byte string that begins at a place; a byte that begins none stands alone. */
export function characterAt(bytes: string, at: number): string {
  const lead = bytes.charCodeAt(at);
  const length = lead < 0xc2 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 1;
  if (length === 1) return bytes.charAt(at);
  const sequence = bytes.slice(at, at + length);
  const text = bytesToText(sequence);
  const isOne = text.length === ((text.codePointAt(0) ?? 0) > 0xffff ? 2 : 1);
  return isOne ? sequence : bytes.charAt(at);
}

/** The byte that ends what `read -d` or `mapfile -d` reads: the first of the delimiter, NUL when it is empty. */
export function delimiterByte(delimiter: string): string {
  return delimiter === "" ? "\0" : textToBytes(delimiter.slice(0, 2)).charAt(0);
}

/** What `$(…)` stands for: the output without its NULs and its last line feeds. */
export function substitutionText(output: string, state: { expansionStderr?: string }): string {
  let text = output;
  if (text.includes("\0")) {
    text = text.replaceAll("\0", "");
    const warning = "bash: warning: command substitution: ignored null byte in input\n";
    state.expansionStderr = (state.expansionStderr ?? "") + warning;
  }
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 0x0a) end--;
  return text.slice(0, end);
}
