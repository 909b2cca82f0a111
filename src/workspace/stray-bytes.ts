/**
 * Bytes that are no UTF-8, kept in text: each becomes the lone surrogate U+DC00 + byte, as in Python's
 * `surrogateescape`, and turns back into its byte. So a command that reads a file as text and writes it again
 * changes nothing that it did not mean to.
 */
import { Buffer } from "node:buffer";
import { asciiText } from "../shared/ascii-text.ts";

const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const ESCAPED = /[\udc80-\udcff]/;

/** Text of bytes; what is not UTF-8 is escaped. */
export function escapeStrayBytes(bytes: Uint8Array): string {
  try {
    return asciiText(bytes) ?? strictUtf8.decode(bytes);
  } catch {
    // Not UTF-8 as a whole: taken apart below.
  }
  // One UTF-16 unit per byte is the most that there can be.
  const units = new Uint16Array(bytes.length);
  let count = 0;
  for (let at = 0; at < bytes.length; ) {
    const lead = bytes[at] ?? 0;
    const length = lead < 0x80 ? 1 : sequenceLength(bytes, at);
    if (length <= 1) units[count++] = length === 0 ? 0xdc00 + lead : lead;
    else {
      let point = lead & (0x7f >> length);
      for (let tail = 1; tail < length; tail++) point = (point << 6) | ((bytes[at + tail] ?? 0) & 0x3f);
      if (point > 0xffff) {
        units[count++] = 0xd7c0 + (point >> 10);
        units[count++] = 0xdc00 + (point & 0x3ff);
      } else units[count++] = point;
    }
    at += length || 1;
  }
  return Buffer.from(units.buffer, 0, count * 2).toString("utf16le");
}

/** UTF-8 of text, with escaped bytes as they were. Other lone surrogates become U+FFFD. */
export function unescapeStrayBytes(text: string): Buffer {
  if (!ESCAPED.test(text)) return Buffer.from(text, "utf8");
  const bytes = Buffer.allocUnsafe(text.length * 3);
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    let point = text.charCodeAt(at);
    if (point >= 0xdc80 && point <= 0xdcff) {
      bytes[count++] = point - 0xdc00;
      continue;
    }
    if (point >= 0xd800 && point <= 0xdfff) {
      point = text.codePointAt(at) ?? 0;
      if (point > 0xffff) at++;
      else point = 0xfffd;
    }
    if (point < 0x80) bytes[count++] = point;
    else {
      if (point < 0x800) bytes[count++] = 0xc0 | (point >> 6);
      else {
        if (point < 0x10000) bytes[count++] = 0xe0 | (point >> 12);
        else {
          bytes[count++] = 0xf0 | (point >> 18);
          bytes[count++] = 0x80 | ((point >> 12) & 0x3f);
        }
        bytes[count++] = 0x80 | ((point >> 6) & 0x3f);
      }
      bytes[count++] = 0x80 | (point & 0x3f);
    }
  }
  return bytes.subarray(0, count);
}

/** Length of the UTF-8 sequence at a place, 0 when there is none. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] ?? 0;
  if (lead < 0x80) return 1;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  const [second = 0, third = 0, fourth = 0] = [bytes[at + 1], bytes[at + 2], bytes[at + 3]];
  const isTail = (byte: number): boolean => (byte & 0xc0) === 0x80;
  if (at + length > bytes.length || lead < 0xc2 || lead > 0xf4 || !isTail(second)) return 0;
  if (length > 2 && !isTail(third)) return 0;
  if (length > 3 && !isTail(fourth)) return 0;
  if (lead === 0xe0 && second < 0xa0) return 0;
  if (lead === 0xed && second > 0x9f) return 0;
  if (lead === 0xf0 && second < 0x90) return 0;
  return lead === 0xf4 && second > 0x8f ? 0 : length;
}
