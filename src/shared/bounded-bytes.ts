/**
 * Collects a byte stream up to a cap: the head and the tail are kept, the middle is dropped and counted. Bytes
 * are copied: a chunk is often a view of one byte on a large buffer, and a million of them would keep a million
 * buffers alive.
 */
import { joinBytes } from "./join-bytes.ts";

const FIRST_BYTES = 1024;
const NONE = new Uint8Array(0);

export class BoundedBytes {
  readonly #cap: number;
  readonly #headCap: number;
  /** The head, then the tail: until the cap is reached, all that came. Grows to the cap's size. */
  #kept = NONE;
  /** Where in the full tail its oldest byte is. */
  #oldest = 0;
  #totalBytes = 0;

  /** `maxBytes`: what is kept at most, the notice between head and tail not counted. */
  constructor(maxBytes: number) {
    this.#cap = maxBytes;
    this.#headCap = Math.ceil(maxBytes / 2);
  }

  get totalBytes(): number {
    return this.#totalBytes;
  }

  push(chunk: Uint8Array): void {
    const filled = Math.min(this.#totalBytes, this.#cap);
    this.#totalBytes += chunk.length;
    const part = chunk.subarray(0, this.#cap - filled);
    this.#reserve(filled + part.length, filled);
    this.#kept.set(part, filled);
    const rest = chunk.subarray(part.length);
    const tailCap = this.#cap - this.#headCap;
    if (rest.length === 0 || tailCap === 0) return;
    // The tail is full: the newest bytes take the places of the oldest.
    const newest = rest.length > tailCap ? rest.subarray(rest.length - tailCap) : rest;
    const untilEnd = newest.subarray(0, tailCap - this.#oldest);
    this.#kept.set(untilEnd, this.#headCap + this.#oldest);
    this.#kept.set(newest.subarray(untilEnd.length), this.#headCap);
    this.#oldest = (this.#oldest + newest.length) % tailCap;
  }

  /**
   * Hands out what was kept, once; between head and tail a line that says how much is missing. Cuts lie on
   * character borders.
   */
  take(): { bytes: Uint8Array; truncated: { totalBytes: number } | null } {
    const kept = this.#kept;
    this.#kept = NONE;
    if (this.#totalBytes <= this.#cap) {
      const whole = kept.subarray(0, this.#totalBytes);
      // A copy where it would keep much room alive that was never filled.
      return { bytes: whole.length * 4 < kept.length * 3 ? whole.slice() : whole, truncated: null };
    }
    const tail = kept.subarray(this.#headCap);
    const start = cutAfter(kept.subarray(0, this.#headCap));
    const end = cutBefore(joinBytes([tail.subarray(this.#oldest), tail.subarray(0, this.#oldest)]));
    const missing = this.#totalBytes - start.length - end.length;
    const notice = new TextEncoder().encode(`\n[… ${missing} bytes left out …]\n`);
    return { bytes: joinBytes([start, notice, end]), truncated: { totalBytes: this.#totalBytes } };
  }

  #reserve(needed: number, filled: number): void {
    if (needed <= this.#kept.length) return;
    // By four and not by two: fresh memory costs more than what is copied into it, and nothing until it is used.
    const larger = new Uint8Array(Math.min(this.#cap, Math.max(needed, this.#kept.length * 4, FIRST_BYTES)));
    larger.set(this.#kept.subarray(0, filled));
    this.#kept = larger;
  }
}

/** Drops an unfinished UTF-8 character at the end. Bytes that are no UTF-8 at all stay. */
function cutAfter(bytes: Uint8Array): Uint8Array {
  for (let back = 1; back <= 4 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes;
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return length > back ? bytes.subarray(0, bytes.length - back) : bytes;
    }
  }
  return bytes;
}

/** Drops continuation bytes at the start, three at most. */
function cutBefore(bytes: Uint8Array): Uint8Array {
  let start = 0;
  while (start < 3 && start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return bytes.subarray(start);
}
