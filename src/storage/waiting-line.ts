/**
 * Those of this process who wait for one thing stand in one line, so that a single one of them asks for it, in the
 * order in which they came; and who gives the thing back in this process can nudge that one.
 */

/** Why waiting ended before the thing was had. */
export type WaitEnd = "time" | "aborted";

/** When a wait must end. */
export interface WaitLimit {
  /** By `performance.now()`. */
  readonly untilMs: number;
  readonly signal: AbortSignal | undefined;
}

/** One line; see {@link lineFor}. */
export class WaitingLine {
  #tail: Promise<void> = Promise.resolve();
  #nudge: (() => void) | undefined;
  #size = 0;
  readonly #onEmpty: () => void;

  constructor(onEmpty: () => void) {
    this.#onEmpty = onEmpty;
  }

  /** Runs `ask` when all who came before have left, or says why that took too long. */
  async inTurn<T>(limit: WaitLimit, ask: () => Promise<T>): Promise<T | WaitEnd> {
    const before = this.#tail;
    let leave: () => void = () => undefined;
    this.#tail = new Promise((resolve) => {
      leave = resolve;
    });
    this.#size += 1;
    try {
      const end = await within(limit, Number.POSITIVE_INFINITY, (done) => void before.then(done));
      return end === "woken" ? await ask() : (end as WaitEnd);
    } finally {
      // Who gives up is still passed in order, or the next would ask beside the first.
      void before.then(leave);
      this.#size -= 1;
      if (this.#size === 0) this.#onEmpty();
    }
  }

  /** Waits up to `ms`, less after a nudge; for the one whose turn it is. */
  async pause(ms: number, limit: WaitLimit): Promise<WaitEnd | undefined> {
    const end = await within(limit, ms, (done) => {
      this.#nudge = done;
    });
    this.#nudge = undefined;
    return end === "time" || end === "aborted" ? end : undefined;
  }

  /** Tells the one whose turn it is to look again. */
  nudge(): void {
    this.#nudge?.();
  }
}

const lines = new Map<string, WaitingLine>();

/** The line of this process for `name`; it is forgotten when nobody stands in it. */
export function lineFor(name: string): WaitingLine {
  let line = lines.get(name);
  if (line === undefined) {
    line = new WaitingLine(() => lines.delete(name));
    lines.set(name, line);
  }
  return line;
}

/** Nudges those who wait for `name` in this process, if any do. */
export function nudgeLine(name: string): void {
  lines.get(name)?.nudge();
}

function within(
  { untilMs, signal }: WaitLimit,
  ms: number,
  listen: (done: () => void) => void,
): Promise<WaitEnd | "woken" | "paused"> {
  return new Promise((resolve) => {
    if (signal?.aborted) {
      resolve("aborted");
      return;
    }
    const leftMs = untilMs - performance.now();
    // A timer cannot wait longer than 2^31 - 1 ms, and "for ever" needs none.
    const timerMs = Math.min(ms, Math.max(leftMs, 0), 2 ** 31 - 1);
    const end = (how: WaitEnd | "woken" | "paused") => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      resolve(how);
    };
    const timer = setTimeout(() => end(leftMs <= ms ? "time" : "paused"), timerMs);
    const onAbort = () => end("aborted");
    signal?.addEventListener("abort", onAbort);
    listen(() => end("woken"));
  });
}
