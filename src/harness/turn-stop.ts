import { setMaxListeners } from "node:events";

/** What ends a turn early: its caller, the reader of its stream, or a sandbox that cannot be had. */
export class TurnStop {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #onOuter = (): void => this.#controller.abort(this.#outer?.reason);
  #broken: { readonly by: unknown } | undefined;

  constructor(outer: AbortSignal | undefined) {
    this.#outer = outer;
    // Each tool call of the model listens, and a model may make hundreds at once: no leak to warn of.
    setMaxListeners(0, this.#controller.signal);
    if (outer?.aborted === true) this.#onOuter();
    else outer?.addEventListener("abort", this.#onOuter, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Set when the turn was stopped because it could not go on, and not because somebody wished so. */
  get broken(): { readonly by: unknown } | undefined {
    return this.#broken;
  }

  stop(reason: unknown): void {
    this.#controller.abort(reason);
  }

  /** The first one counts. */
  breakBy(thrown: unknown): void {
    if (this.#controller.signal.aborted) return;
    this.#broken = { by: thrown };
    this.#controller.abort(thrown);
  }

  /** A caller's signal may outlive thousands of turns. */
  release(): void {
    this.#outer?.removeEventListener("abort", this.#onOuter);
  }
}

/**
 * Waits for work that ends by itself soon after the signal aborts; for at most `graceMs` then. What the work does
 * later is dropped, a rejection too.
 */
export async function settleSoon<T>(work: Promise<T>, signal: AbortSignal, graceMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  const late = new Promise<never>((_, reject) => {
    onAbort = () => {
      timer = setTimeout(() => reject(signal.reason), graceMs);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    if (onAbort !== undefined) signal.removeEventListener("abort", onAbort);
  }
}
