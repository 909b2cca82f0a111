/** A function of the caller that is told what happens: what it throws or rejects with ends here. */
export class Listener<Told> {
  readonly #listen: ((told: Told) => unknown) | undefined;
  readonly #open = new Set<Promise<unknown>>();

  constructor(listen: ((told: Told) => unknown) | undefined) {
    this.#listen = listen;
  }

  /** Calls it at once; a promise that it returns is not waited for. */
  tell(told: Told): void {
    try {
      const given = this.#listen?.(told);
      if (isThenable(given)) this.#watch(given);
    } catch {
      // Who cannot listen still gets the results.
    }
  }

  /** Resolves when every promise that it returned so far has settled. */
  async settled(): Promise<void> {
    await Promise.all(this.#open);
  }

  #watch(given: PromiseLike<unknown>): void {
    const settled: Promise<void> = Promise.resolve(given).then(
      () => undefined,
      () => undefined, // as above
    );
    this.#open.add(settled);
    void settled.then(() => this.#open.delete(settled));
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function"
  );
}
