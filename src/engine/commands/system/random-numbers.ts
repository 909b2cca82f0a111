/** Random numbers below a bound from a stream of bytes, drawn as coreutils draws them: the same bytes give the same numbers. */
import { randomBytes } from "../../../workspace/node-fs.ts";

const BYTE_MAX = 255;
const BLOCK_BYTES = 4096;

/** Thrown when a stream of bytes is at its end. */
export class OutOfRandomBytes extends Error {}

export class RandomNumbers {
  #bytes: Uint8Array;
  readonly #isEndless: boolean;
  #at = 0;
  // What earlier bytes left over: a number evenly spread between 0 and `#max`.
  #number = 0;
  #max = 0;

  /** Without bytes: those of the system, without end. */
  constructor(bytes?: Uint8Array) {
    this.#bytes = bytes ?? randomBytes(BLOCK_BYTES);
    this.#isEndless = bytes === undefined;
  }

  /** One of 0 … `choices` - 1; `choices` at most 2^44, so that all steps are exact. */
  below(choices: number): number {
    const last = choices - 1;
    let number = this.#number;
    let max = this.#max;
    for (;;) {
      while (max < last) {
        number = number * (BYTE_MAX + 1) + this.#byte();
        max = max * (BYTE_MAX + 1) + BYTE_MAX;
      }
      if (max === last) {
        this.#number = 0;
        this.#max = 0;
        return number;
      }
      const excess = max - last;
      const unusable = excess % choices;
      const lastUsable = max - unusable;
      if (number <= lastUsable) {
        this.#number = Math.floor(number / choices);
        this.#max = Math.floor(excess / choices);
        return number % choices;
      }
      number -= lastUsable + 1;
      max = unusable - 1;
    }
  }

  /** `count` different numbers of 0 … `total` - 1 in random order. */
  permutation(count: number, total: number): number[] {
    const moved = new Map<number, number>();
    const picked: number[] = [];
    for (let at = 0; at < count; at++) {
      const other = at + this.below(total - at);
      picked.push(moved.get(other) ?? other);
      moved.set(other, moved.get(at) ?? at);
    }
    return picked;
  }

  #byte(): number {
    if (this.#at === this.#bytes.length) {
      if (!this.#isEndless) throw new OutOfRandomBytes("no more bytes");
      this.#bytes = randomBytes(BLOCK_BYTES);
      this.#at = 0;
    }
    return this.#bytes[this.#at++] ?? 0;
  }
}
