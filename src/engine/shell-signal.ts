/**
 * The one abort signal of a shell. The interpreter looks at `signal.aborted` before each statement; a bash
 * loop starves the event loop, so no timer and no `abort()` of a caller is seen meanwhile. Here `aborted` looks
 * at the clock itself: a deadline ends a busy loop also where nobody can kill the process.
 */
export class ShellSignal {
  readonly signal: AbortSignal;
  readonly #controller = new AbortController();
  readonly #now = Date.now;
  #deadline = Number.POSITIVE_INFINITY;
  #source: AbortSignal | null = null;
  readonly #onAbort = (): void => this.#controller.abort();

  constructor() {
    const { signal } = this.#controller;
    const aborted = (): boolean => Reflect.get(AbortSignal.prototype, "aborted", signal) as boolean;
    Object.defineProperty(signal, "aborted", { get: () => aborted() || this.#late() });
    this.signal = signal;
  }

  /** Whether a deadline or an abort has come. */
  get fired(): boolean {
    return this.signal.aborted;
  }

  arm(source: AbortSignal | null, deadlineMs: number | null): void {
    this.#deadline = deadlineMs === null ? Number.POSITIVE_INFINITY : this.#now() + deadlineMs;
    this.#source = source;
    if (source?.aborted) this.#onAbort();
    else source?.addEventListener("abort", this.#onAbort, { once: true });
  }

  disarm(): void {
    this.#deadline = Number.POSITIVE_INFINITY;
    this.#source?.removeEventListener("abort", this.#onAbort);
    this.#source = null;
  }

  abort(): void {
    this.#controller.abort();
  }

  #late(): boolean {
    if (this.#now() < this.#deadline) return false;
    // Wakes what waits on the event, such as `sleep`; harmless when called again.
    this.#deadline = Number.POSITIVE_INFINITY;
    this.#controller.abort();
    return true;
  }
}
