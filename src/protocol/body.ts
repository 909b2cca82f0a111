/** Bodies: bytes beside a message that may be larger than a frame. One side cuts, the other collects. */

import type { ChannelLimits } from "./channel-contract.ts";
import { encodeChunkHead, encodeFrames } from "./codec.ts";
import type { ChunkFrame, ChunkStream, Frame } from "./frame-kinds.ts";
import type { Sending, Write } from "./frame-writer.ts";
import { ProtocolError } from "./protocol-error.ts";

/** Bytes to send, in pieces that are sent one after the other. */
export type Body = Uint8Array | readonly Uint8Array[];

/** Up to here a body shares the write of its message: one system call and one wake-up of the peer for both. */
export const MAX_JOINED_BYTES = 32_768;

/** Up to here the bytes of a chunk are copied into its frame: a write of two parts costs more. */
const MAX_COPIED_BYTES = 4_096;

const NO_BYTES = new Uint8Array(0);

export function bodyPieces(body: Body | undefined): readonly Uint8Array[] {
  if (body === undefined) return [];
  return body instanceof Uint8Array ? [body] : (body as readonly Uint8Array[]);
}

export function totalBytes(pieces: readonly Uint8Array[]): number {
  let total = 0;
  for (const piece of pieces) total += piece.length;
  return total;
}

/** All pieces in one array; a single piece is returned as it is. */
function joinPieces(pieces: readonly Uint8Array[], total: number): Uint8Array {
  if (pieces.length === 1) return pieces[0] as Uint8Array;
  if (total === 0) return NO_BYTES;
  const joined = new Uint8Array(total);
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}

/** A body of one small chunk: a frame that can be joined with its message's. */
export function smallChunk(
  id: number,
  stream: ChunkStream,
  pieces: readonly Uint8Array[],
  total: number,
): Frame {
  return { kind: "chunk", id, stream, bytes: joinPieces(pieces, total) };
}

/** Bytes as chunk frames, each cut out of its piece when its turn comes. */
export class ChunkSending implements Sending {
  readonly #id: number;
  readonly #stream: ChunkStream;
  readonly #pieces: readonly Uint8Array[];
  readonly #limits: ChannelLimits;
  readonly #onLast: (() => void) | undefined;
  #piece = 0;
  #at = 0;
  #left: number;

  /** `onLast` is called just before the last chunk is given out: the peer may answer it at once. */
  constructor(
    id: number,
    stream: ChunkStream,
    pieces: readonly Uint8Array[],
    limits: ChannelLimits,
    onLast?: () => void,
  ) {
    this.#id = id;
    this.#stream = stream;
    this.#pieces = pieces;
    this.#limits = limits;
    this.#onLast = onLast;
    this.#left = totalBytes(pieces);
  }

  get more(): boolean {
    return this.#left > 0;
  }

  next(write: Write): void | Promise<void> {
    let piece = this.#pieces[this.#piece] as Uint8Array;
    while (this.#at === piece.length) {
      this.#piece += 1;
      this.#at = 0;
      piece = this.#pieces[this.#piece] as Uint8Array;
    }
    const bytes = piece.subarray(this.#at, this.#at + this.#limits.chunkBytes);
    this.#at += bytes.length;
    this.#left -= bytes.length;
    if (this.#left === 0) this.#onLast?.();
    const frame: ChunkFrame = { kind: "chunk", id: this.#id, stream: this.#stream, bytes };
    if (bytes.length <= MAX_COPIED_BYTES) return write(encodeFrames([frame], this.#limits.maxFrameBytes));
    return write(encodeChunkHead(frame), bytes);
  }
}

/** Counts what all bodies that are being received, or used by a handler, hold together. */
export class BodyBudget {
  readonly #limits: ChannelLimits;
  #held = 0;

  constructor(limits: ChannelLimits) {
    this.#limits = limits;
  }

  take(bytes: number, ofThisBody: number, maxBytes: number): void {
    const cap = Math.min(maxBytes, this.#limits.maxBodyBytes);
    if (ofThisBody > cap) throw tooLarge(`A body has more than ${cap} bytes.`);
    this.#held += bytes;
    if (this.#held > this.#limits.maxHeldBytes) {
      throw tooLarge(`The bodies under way have more than ${this.#limits.maxHeldBytes} bytes together.`);
    }
  }

  giveBack(bytes: number): void {
    this.#held -= bytes;
  }
}

// Chunks of one byte each would cost a hundred times their bytes if each were kept by itself.
const SMALL_BYTES = 65_536;

/** Collects the chunks of one body. Nothing is allocated for bytes that are only announced. */
export class BodyCollector {
  readonly #budget: BodyBudget;
  readonly #maxBytes: number;
  readonly #pieces: Uint8Array[] = [];
  /** The last piece, which small chunks fill up. */
  #last = NO_BYTES;
  #lastFilled = 0;
  #bytes = 0;

  /** `maxBytes`: this body's own cap, where it is less than that of all bodies. */
  constructor(budget: BodyBudget, maxBytes = Infinity) {
    this.#budget = budget;
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Copies a chunk: what came is a view on a larger buffer, which would be kept alive with it. */
  add(chunk: Uint8Array): void {
    this.#budget.take(chunk.length, this.#bytes + chunk.length, this.#maxBytes);
    if (this.#lastFilled + chunk.length > this.#last.length) {
      this.#closeLast();
      // The first chunk gets what it needs; small ones after it get room for as much as there is already.
      this.#last = new Uint8Array(Math.max(chunk.length, Math.min(this.#bytes, SMALL_BYTES)));
    }
    this.#last.set(chunk, this.#lastFilled);
    this.#lastFilled += chunk.length;
    this.#bytes += chunk.length;
  }

  /** Hands the whole body out; it stays counted until `release`. */
  take(): Uint8Array {
    this.#closeLast();
    const body = joinPieces(this.#pieces, this.#bytes);
    this.#pieces.length = 0;
    return body;
  }

  /** Forgets the body. */
  release(): void {
    this.#pieces.length = 0;
    this.#last = NO_BYTES;
    this.#lastFilled = 0;
    this.#budget.giveBack(this.#bytes);
    this.#bytes = 0;
  }

  #closeLast(): void {
    if (this.#lastFilled === this.#last.length) {
      if (this.#lastFilled > 0) this.#pieces.push(this.#last);
    } else {
      // Copied, so that room that was never filled is not kept.
      this.#pieces.push(this.#last.slice(0, this.#lastFilled));
    }
    this.#last = NO_BYTES;
    this.#lastFilled = 0;
  }
}

function tooLarge(message: string): ProtocolError {
  return new ProtocolError("BODY_TOO_LARGE", message);
}
