/** How many requests of one client are under way at a time; the others wait their turn, in order. */
export class ClientSlots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(slots: number) {
    this.#free = slots;
  }

  async hold<Result>(act: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await act();
    } finally {
      const next = this.#waiting.shift();
      // Handed on, not freed: who comes in between must not overtake.
      if (next === undefined) this.#free++;
      else next();
    }
  }
}
