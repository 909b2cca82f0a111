import { setMaxListeners } from "node:events";

/** The abort signal of one background job: its own end, or the shell's. */
export class JobSignal {
  readonly signal: AbortSignal;
  readonly #controller = new AbortController();
  readonly #parent: AbortSignal | undefined;
  readonly #onAbort = (): void => this.#controller.abort();

  constructor(parent: AbortSignal | undefined) {
    this.#parent = parent;
    const { signal } = this.#controller;
    const own = (): boolean => Reflect.get(AbortSignal.prototype, "aborted", signal) as boolean;
    // Asked, not told: a busy loop of bash keeps the event of the shell's deadline from coming.
    Object.defineProperty(signal, "aborted", { get: () => own() || parent?.aborted === true });
    this.signal = signal;
    if (parent?.aborted) this.#onAbort();
    else if (parent !== undefined) {
      // One listener per job: many are no leak.
      setMaxListeners(0, parent);
      parent.addEventListener("abort", this.#onAbort, { once: true });
    }
  }

  abort(): void {
    this.#controller.abort();
  }

  release(): void {
    this.#parent?.removeEventListener("abort", this.#onAbort);
  }
}
