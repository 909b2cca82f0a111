/**
 * Decides which frame is written next. Each call has a lane: within a lane frames keep their order, between
 * lanes they take turns, so that a large body holds up nothing but its own call. A frame that waits is made
 * only when its turn comes: while the transport is full, a body stays where it is, uncopied.
 */

/**
 * Takes whole frames. `body` is the end of the last one where that is large: the sender's own memory, uncopied, which
 * may change once the write is over. A promise means: full, and more may be written once it resolves.
 */
export type Write = (bytes: Uint8Array, body?: Uint8Array) => void | Promise<void>;

/** Something that goes out in one or more writes. */
export interface Sending {
  /** Makes the next write. */
  next(write: Write): void | Promise<void>;
  /** Whether `next` has more to write. */
  readonly more: boolean;
}

/** The sendings of one call, in order. */
export class Lane {
  readonly waiting: Sending[] = [];
  queued = false;
}

/** What a finished sending resolves to when nobody has to wait for it. */
const WRITTEN = Promise.resolve();

export class FrameWriter {
  readonly #write: Write;
  readonly #onFailure: (cause: unknown) => void;
  readonly #lanes: Lane[] = [];
  readonly #waiters = new Map<Sending, () => void>();
  /** Sendings whose last frame was written into a full transport. */
  #settleWhenFree: Sending[] = [];
  #full = false;
  #pumping = false;
  #stopped = false;

  /** `onFailure` is called once, when a write throws or rejects; nothing is written after that. */
  constructor(write: Write, onFailure: (cause: unknown) => void) {
    this.#write = write;
    this.#onFailure = onFailure;
  }

  /** Puts a sending at the end of its lane; writes it at once when nothing is in the way. */
  post(lane: Lane, sending: Sending): void {
    if (this.#stopped) return;
    lane.waiting.push(sending);
    if (!lane.queued) {
      lane.queued = true;
      this.#lanes.push(lane);
    }
    this.#pump();
  }

  /** As `post`; resolves once the sending is written and more may be, or the writer has stopped. */
  send(lane: Lane, sending: Sending): Promise<void> {
    this.post(lane, sending);
    const done = !lane.waiting.includes(sending) && !this.#settleWhenFree.includes(sending);
    if (done || this.#stopped) return WRITTEN;
    return new Promise((resolve) => this.#waiters.set(sending, resolve));
  }

  /** Drops what waits and writes nothing more. Who waits in `send` goes on. */
  stop(): void {
    this.#stopped = true;
    this.#lanes.length = 0;
    this.#settleWhenFree.length = 0;
    const waiters = [...this.#waiters.values()];
    this.#waiters.clear();
    for (const resolve of waiters) resolve();
  }

  #pump(): void {
    // A write may call back into us before it returns; what is posted then is written by the loop below.
    if (this.#pumping) return;
    this.#pumping = true;
    try {
      while (!this.#full && !this.#stopped) {
        const lane = this.#lanes.shift();
        const sending = lane?.waiting[0];
        if (lane === undefined || sending === undefined) return;
        const free = sending.next(this.#write);
        if (!sending.more) lane.waiting.shift();
        if (lane.waiting.length > 0) this.#lanes.push(lane);
        else lane.queued = false;
        if (free !== undefined) this.#waitUntilFree(free);
        if (sending.more) continue;
        if (this.#full) this.#settleWhenFree.push(sending);
        else this.#settle(sending);
      }
    } catch (cause) {
      this.#fail(cause);
    } finally {
      this.#pumping = false;
    }
  }

  #waitUntilFree(free: Promise<void>): void {
    this.#full = true;
    const onFree = (): void => {
      this.#full = false;
      const written = this.#settleWhenFree;
      this.#settleWhenFree = [];
      for (const sending of written) this.#settle(sending);
      this.#pump();
    };
    free.then(onFree, (cause: unknown) => this.#fail(cause));
  }

  #settle(sending: Sending): void {
    const resolve = this.#waiters.get(sending);
    if (resolve === undefined) return;
    this.#waiters.delete(sending);
    resolve();
  }

  #fail(cause: unknown): void {
    if (this.#stopped) return;
    this.stop();
    this.#onFailure(cause);
  }
}
