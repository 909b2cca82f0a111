/**
 * Collects a byte stream up to a cap: the head and the tail are kept, the middle is dropped and counted. Bytes
 * are copied: a chunk is often a view of one byte on a large buffer, and a million of them would keep a million
 * buffers alive.
 */
import { joinBytes } from "./join-bytes.ts";

export class BoundedBytes {
  readonly #head: Kept;
  readonly #tail: Kept;
  /** Where in the full tail its oldest byte is. */
  #oldest = 0;
  #totalBytes = 0;

  /** `maxBytes`: what is kept at most, the notice between head and tail not counted. */
  constructor(maxBytes: number) {
    const headCap = Math.ceil(maxBytes / 2);
    this.#head = new Kept(headCap);
    this.#tail = new Kept(maxBytes - headCap);
  }

  get totalBytes(): number {
    return this.#totalBytes;
  }

  push(chunk: Uint8Array): void {
    this.#totalBytes += chunk.length;
    const rest = this.#tail.append(this.#head.append(chunk));
    const cap = this.#tail.bytes;
    if (rest.length === 0 || cap === 0) return;
    // The tail is full: the newest bytes take the places of the oldest.
    const newest = rest.length > cap ? rest.subarray(rest.length - cap) : rest;
    const untilEnd = newest.subarray(0, cap - this.#oldest);
    this.#tail.buffer.set(untilEnd, this.#oldest);
    this.#tail.buffer.set(newest.subarray(untilEnd.length), 0);
    this.#oldest = (this.#oldest + newest.length) % cap;
  }

  /** What was kept; between head and tail a line that says how much is missing. Cuts lie on character borders. */
  take(): { bytes: Uint8Array; truncated: { totalBytes: number } | null } {
    const head = this.#head.view();
    const tail = this.#tail.view();
    if (head.length + tail.length === this.#totalBytes)
      return { bytes: joinBytes([head, tail]), truncated: null };
    const start = cutAfter(head);
    const end = cutBefore(joinBytes([tail.subarray(this.#oldest), tail.subarray(0, this.#oldest)]));
    const missing = this.#totalBytes - start.length - end.length;
    const notice = new TextEncoder().encode(`\n[… ${missing} bytes left out …]\n`);
    return { bytes: joinBytes([start, notice, end]), truncated: { totalBytes: this.#totalBytes } };
  }
}

const FIRST_BYTES = 1024;

/** Bytes one after the other, up to a cap, in a buffer that doubles until it has the cap's size. */
class Kept {
  readonly #cap: number;
  buffer = new Uint8Array(0);
  bytes = 0;

  constructor(cap: number) {
    this.#cap = cap;
  }

  /** Keeps what there is room for and returns the rest. */
  append(chunk: Uint8Array): Uint8Array {
    const part = chunk.subarray(0, this.#cap - this.bytes);
    if (part.length === 0) return chunk;
    const needed = this.bytes + part.length;
    if (needed > this.buffer.length) {
      const size = Math.min(this.#cap, Math.max(needed, this.buffer.length * 2, FIRST_BYTES));
      const larger = new Uint8Array(size);
      larger.set(this.view());
      this.buffer = larger;
    }
    this.buffer.set(part, this.bytes);
    this.bytes = needed;
    return chunk.subarray(part.length);
  }

  view(): Uint8Array {
    return this.buffer.subarray(0, this.bytes);
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
