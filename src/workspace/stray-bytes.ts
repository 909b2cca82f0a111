/**
 * Bytes that are no UTF-8, kept in text: each becomes the lone surrogate U+DC00 + byte, as in Python's
 * `surrogateescape`, and turns back into its byte. So a command that reads a file as text and writes it again
 * changes nothing that it did not mean to.
 */
import { Buffer } from "node:buffer";

const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const ESCAPED = /[\udc80-\udcff]/;

/** Text of bytes; what is not UTF-8 is escaped. */
export function escapeStrayBytes(bytes: Uint8Array): string {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    // Not UTF-8 as a whole: taken apart below.
  }
  const parts: string[] = [];
  let start = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at);
    if (length === 0) {
      parts.push(
        strictUtf8.decode(bytes.subarray(start, at)),
        String.fromCharCode(0xdc00 + (bytes[at] ?? 0)),
      );
      start = ++at;
    } else at += length;
  }
  parts.push(strictUtf8.decode(bytes.subarray(start)));
  return parts.join("");
}

/** UTF-8 of text, with escaped bytes as they were. Other lone surrogates become U+FFFD. */
export function unescapeStrayBytes(text: string): Buffer {
  if (!ESCAPED.test(text)) return Buffer.from(text, "utf8");
  const parts: Buffer[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 0xd800 && unit <= 0xdbff && isLowSurrogate(text.charCodeAt(at + 1))) at++;
    else if (unit >= 0xdc80 && unit <= 0xdcff) {
      parts.push(Buffer.from(text.slice(start, at), "utf8"), Buffer.from([unit - 0xdc00]));
      start = at + 1;
    }
  }
  parts.push(Buffer.from(text.slice(start), "utf8"));
  return Buffer.concat(parts);
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** Length of the UTF-8 sequence at a place, 0 when there is none. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] ?? 0;
  if (lead < 0x80) return 1;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  const [second = 0, third = 0, fourth = 0] = bytes.subarray(at + 1, at + length);
  const isTail = (byte: number): boolean => (byte & 0xc0) === 0x80;
  if (at + length > bytes.length || lead < 0xc2 || lead > 0xf4 || !isTail(second)) return 0;
  if (length > 2 && !isTail(third)) return 0;
  if (length > 3 && !isTail(fourth)) return 0;
  if (lead === 0xe0 && second < 0xa0) return 0;
  if (lead === 0xed && second > 0x9f) return 0;
  if (lead === 0xf0 && second < 0x90) return 0;
  return lead === 0xf4 && second > 0x8f ? 0 : length;
}
