/** The numbers of `rand()`: a seed gives the same ones each time, though not the ones that gawk gives. */
export class AwkRandom {
  #seed = 0;
  #state = 1;

  /** Starts anew; says which seed was in use. */
  seed(seed: number): number {
    const last = this.#seed;
    this.#seed = seed;
    this.#state = Math.imul(Math.trunc(seed) | 0, 0x9e3779b1) >>> 0;
    return last;
  }

  /** From 0 up to 1, without 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}
