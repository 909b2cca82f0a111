/** Arrays of `awk`, whose order in `for (k in a)` is gawk's: reports that do not sort come out as they do there. */
import { Buffer } from "node:buffer";
import type { Value } from "./awk-values.ts";

const WHOLE = /^(?:0|[1-9]\d{0,9})$/;
const SIZES = [13, 127, 1_021, 8_191, 131_071, 1_048_573, 8_388_593];
/** Elements for each place of the table before it grows. */
const MAX_CHAIN = 2;
const MAX_INT = 0x7fffffff;

export class AwkArray {
  readonly map = new Map<string, Value | AwkArray>();
  /** The first subscript decides how gawk keeps all of them. */
  #isByNumber = false;

  get size(): number {
    return this.map.size;
  }
  get(key: string): Value | AwkArray {
    return this.map.get(key);
  }
  has(key: string): boolean {
    return this.map.has(key);
  }
  set(key: string, value: Value | AwkArray): void {
    if (this.map.size === 0) this.#isByNumber = isWhole(key);
    this.map.set(key, value);
  }
  delete(key: string): void {
    this.map.delete(key);
  }
  clear(): void {
    this.map.clear();
  }

  /** The subscripts in gawk's order. */
  keys(): string[] {
    const keys = [...this.map.keys()];
    if (!this.#isByNumber) return hashOrder(keys);
    const numbers: string[] = [];
    const words: string[] = [];
    for (const key of keys) (isWhole(key) ? numbers : words).push(key);
    numbers.sort((a, b) => Number(a) - Number(b));
    const negative = words.filter((key) => /^-[1-9]\d{0,8}$/.test(key));
    const others = words.filter((key) => !/^-[1-9]\d{0,8}$/.test(key));
    return [...negative, ...hashOrder(others), ...numbers];
  }
}

function isWhole(key: string): boolean {
  return WHOLE.test(key) && Number(key) <= MAX_INT;
}

/** A table of chains: a new element goes in front of its chain, and a full table grows to the next size. */
function hashOrder(keys: readonly string[]): string[] {
  if (keys.length < 2) return [...keys];
  let sizeAt = 0;
  let table: [string, number][][] = emptyTable(SIZES[0] ?? 13);
  let count = 0;
  for (const key of keys) {
    if (Math.floor(count / table.length) > MAX_CHAIN && sizeAt + 1 < SIZES.length) {
      const grown = emptyTable(SIZES[++sizeAt] ?? 13);
      for (const chain of table)
        for (let at = chain.length - 1; at >= 0; at--) {
          const entry = chain[at];
          if (entry !== undefined) grown[entry[1] % grown.length]?.push(entry);
        }
      table = grown;
    }
    const code = hash(key);
    table[code % table.length]?.push([key, code]);
    count++;
  }
  // Chains are kept with their front at the end.
  return table.flatMap((chain) => chain.reverse().map(([key]) => key));
}

function emptyTable(size: number): [string, number][][] {
  return Array.from({ length: size }, () => []);
}

function hash(key: string): number {
  let code = 0;
  for (const byte of Buffer.from(key, "utf8")) {
    const signed = byte > 127 ? byte - 256 : byte;
    code = (signed + (code << 6) + (code << 16) - code) >>> 0;
  }
  return code;
}
