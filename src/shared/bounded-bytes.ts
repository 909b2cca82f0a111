/** Collects a byte stream up to a cap: the head and the tail are kept, the middle is dropped and counted. */
export class BoundedBytes {
  readonly #headCap: number;
  readonly #tailCap: number;
  readonly #head: Uint8Array[] = [];
  #headBytes = 0;
  readonly #tail: Uint8Array[] = [];
  #tailBytes = 0;
  #totalBytes = 0;

  /** `maxBytes`: what is kept at most, the notice between head and tail not counted. */
  constructor(maxBytes: number) {
    this.#headCap = Math.ceil(maxBytes / 2);
    this.#tailCap = maxBytes - this.#headCap;
  }

  get totalBytes(): number {
    return this.#totalBytes;
  }

  /** Keeps `chunk` itself where it fits, so it must not change afterwards. */
  push(chunk: Uint8Array): void {
    this.#totalBytes += chunk.length;
    const room = this.#headCap - this.#headBytes;
    let rest = chunk;
    if (room > 0) {
      const part = chunk.subarray(0, room);
      this.#head.push(part);
      this.#headBytes += part.length;
      rest = chunk.subarray(part.length);
    }
    if (rest.length === 0 || this.#tailCap === 0) return;
    // A chunk larger than the cap would keep its whole buffer alive: copy the part that stays.
    const part = rest.length > this.#tailCap ? rest.slice(-this.#tailCap) : rest;
    this.#tail.push(part);
    this.#tailBytes += part.length;
    for (let first = this.#tail[0]; first !== undefined; first = this.#tail[0]) {
      if (this.#tailBytes - first.length < this.#tailCap) break;
      this.#tail.shift();
      this.#tailBytes -= first.length;
    }
  }

  /** What was kept; between head and tail a line that says how much is missing. Cuts lie on character borders. */
  take(): { bytes: Uint8Array; truncated: { totalBytes: number } | null } {
    const head = join(this.#head);
    const tail = join(this.#tail);
    const dropped = this.#totalBytes - head.length - tail.length;
    if (dropped <= 0 && this.#tailBytes <= this.#tailCap)
      return { bytes: join([head, tail]), truncated: null };
    const start = cutAfter(head);
    const end = cutBefore(tail.subarray(Math.max(0, tail.length - this.#tailCap)));
    const missing = this.#totalBytes - start.length - end.length;
    if (missing <= 0) return { bytes: join([head, tail]), truncated: null };
    const notice = new TextEncoder().encode(`\n[… ${missing} bytes left out …]\n`);
    return { bytes: join([start, notice, end]), truncated: { totalBytes: this.#totalBytes } };
  }
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1 && parts[0] !== undefined) return parts[0];
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
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
