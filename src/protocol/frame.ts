/**
 * Frames on a stream of bytes: an unsigned 32-bit little-endian length, then that many bytes. The reader
 * takes the stream in any split. It knows nothing of what is in a frame.
 */
import { ProtocolError } from "./protocol-error.ts";

/** Bytes of the length in front of each frame. */
export const PREFIX_BYTES = 4;

/** Writes the length of a frame at `offset`. */
export function writePrefix(target: Uint8Array, offset: number, lengthBytes: number): void {
  target[offset] = lengthBytes & 0xff;
  target[offset + 1] = (lengthBytes >>> 8) & 0xff;
  target[offset + 2] = (lengthBytes >>> 16) & 0xff;
  target[offset + 3] = (lengthBytes >>> 24) & 0xff;
}

/**
 * Up to here the memory of a split frame is used again: fresh memory for each costs several times what copying into
 * it does. A full chunk of a body or of output fits.
 */
const MAX_SCRATCH_BYTES = 262_208;

/** Cuts a stream of bytes into frames. */
export class FrameReader {
  readonly #maxFrameBytes: number;
  readonly #onFrame: (payload: Uint8Array) => void;
  readonly #prefix = new Uint8Array(PREFIX_BYTES);
  #prefixFilled = 0;
  /** The frame that the last push left unfinished, at its full length. */
  #partial: Uint8Array | undefined;
  #partialFilled = 0;
  /** Where unfinished frames of the usual sizes are put together, one after the other. */
  #scratch = new Uint8Array(0);

  /**
   * `onFrame` gets each payload once it is whole, for as long as it runs: a payload that came in one piece is a
   * view on the pushed bytes, a split one lies where the next one may be put together.
   */
  constructor(maxFrameBytes: number, onFrame: (payload: Uint8Array) => void) {
    this.#maxFrameBytes = maxFrameBytes;
    this.#onFrame = onFrame;
  }

  /**
   * Takes the next bytes of the stream. Throws `FRAME_TOO_LARGE` at a length above the cap, and whatever
   * `onFrame` throws; the reader is of no use after either.
   */
  push(bytes: Uint8Array): void {
    let at = 0;
    while (at < bytes.length) {
      if (this.#partial !== undefined) {
        at = this.#continueFrame(this.#partial, bytes, at);
        continue;
      }
      // The usual case first: prefix and payload lie whole in what came.
      if (this.#prefixFilled === 0 && bytes.length - at >= PREFIX_BYTES) {
        const length = this.#checkedLength(bytes, at);
        at += PREFIX_BYTES;
        if (bytes.length - at >= length) {
          at += length;
          this.#onFrame(bytes.subarray(at - length, at));
        } else {
          this.#beginPartial(length);
        }
        continue;
      }
      this.#prefix[this.#prefixFilled] = bytes[at] as number;
      this.#prefixFilled += 1;
      at += 1;
      if (this.#prefixFilled === PREFIX_BYTES) this.#beginPartial(this.#checkedLength(this.#prefix, 0));
    }
  }

  #beginPartial(length: number): void {
    this.#prefixFilled = 0;
    if (length === 0) {
      this.#onFrame(new Uint8Array(0));
      return;
    }
    if (length > MAX_SCRATCH_BYTES) this.#partial = new Uint8Array(length);
    else {
      if (length > this.#scratch.length) this.#scratch = new Uint8Array(length);
      this.#partial = this.#scratch.subarray(0, length);
    }
    this.#partialFilled = 0;
  }

  #continueFrame(partial: Uint8Array, bytes: Uint8Array, at: number): number {
    const taken = Math.min(partial.length - this.#partialFilled, bytes.length - at);
    partial.set(bytes.subarray(at, at + taken), this.#partialFilled);
    this.#partialFilled += taken;
    if (this.#partialFilled === partial.length) {
      this.#partial = undefined;
      this.#onFrame(partial);
    }
    return at + taken;
  }

  /** The length is the peer's claim: it is counted before a byte of the frame is kept or allocated. */
  #checkedLength(source: Uint8Array, at: number): number {
    const length =
      ((source[at] as number) |
        ((source[at + 1] as number) << 8) |
        ((source[at + 2] as number) << 16) |
        ((source[at + 3] as number) << 24)) >>>
      0;
    if (length > this.#maxFrameBytes) {
      throw new ProtocolError(
        "FRAME_TOO_LARGE",
        `A frame of ${length} bytes is announced; the cap is ${this.#maxFrameBytes}.`,
      );
    }
    return length;
  }
}
