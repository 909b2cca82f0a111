/**
 * The one abort signal of a shell. The interpreter looks at `signal.aborted` before each statement and command; a
 * bash loop starves the event loop, so no timer and no `abort()` of a caller is seen meanwhile. Here `aborted`
 * looks at the clock itself: a deadline ends a busy loop also where nobody can kill the process, be it the
 * deadline of the whole script or that of a part of it (`timeout 5 …`).
 */

/** The deadline of a part of a script. */
export interface PartDeadline {
  /** Fires when it has come. To be given to what runs. */
  readonly signal: AbortSignal;
  /** To be called when the part has ended, however it did. */
  release(): void;
}

interface Part {
  readonly endsAt: number;
  readonly controller: AbortController;
}

/** A longer delay makes a timer of Node.js fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export class ShellSignal {
  readonly signal: AbortSignal;
  readonly #controller = new AbortController();
  // Copies: the engine blocks the globals while a script runs.
  readonly #now = Date.now;
  readonly #setTimeout = setTimeout;
  readonly #clearTimeout = clearTimeout;
  readonly #parts = new Set<Part>();
  #deadline = Number.POSITIVE_INFINITY;
  /** When the clock has to be looked at again: the earliest of all deadlines. */
  #next = Number.POSITIVE_INFINITY;
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
    this.#plan();
    this.#source = source;
    if (source?.aborted) this.#onAbort();
    else source?.addEventListener("abort", this.#onAbort, { once: true });
  }

  disarm(): void {
    this.#deadline = Number.POSITIVE_INFINITY;
    this.#plan();
    this.#source?.removeEventListener("abort", this.#onAbort);
    this.#source = null;
  }

  abort(): void {
    this.#controller.abort();
  }

  /** Starts a deadline for a part of the script; the rest goes on after it. */
  limitPart(timeoutMs: number): PartDeadline {
    const endsAt = this.#now() + timeoutMs;
    const controller = new AbortController();
    const part: Part = { endsAt, controller };
    this.#parts.add(part);
    this.#plan();
    const timer = this.#setTimeout(() => controller.abort(), Math.min(timeoutMs, LONGEST_TIMER_MS));
    return {
      signal: controller.signal,
      release: () => {
        this.#clearTimeout(timer);
        this.#parts.delete(part);
        this.#plan();
      },
    };
  }

  #plan(): void {
    this.#next = this.#deadline;
    for (const { controller, endsAt } of this.#parts) {
      if (!controller.signal.aborted) this.#next = Math.min(this.#next, endsAt);
    }
  }

  #late(): boolean {
    const now = this.#now();
    if (now < this.#next) return false;
    if (now < this.#deadline) {
      for (const { controller, endsAt } of this.#parts) if (now >= endsAt) controller.abort();
      this.#plan();
      return false;
    }
    // Wakes what waits on the event, such as `sleep`; harmless when called again.
    this.#deadline = Number.POSITIVE_INFINITY;
    this.#controller.abort();
    return true;
  }
}
