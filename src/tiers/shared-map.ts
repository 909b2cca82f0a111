/** A map that is copied when one of its owners first changes it: branches of a script are many and mostly set nothing. */
export class SharedMap<V> {
  #map = new Map<string, V>();
  #isShared = false;

  get size(): number {
    return this.#map.size;
  }

  /** The same entries, for another owner. */
  fork(): SharedMap<V> {
    this.#isShared = true;
    const fork = new SharedMap<V>();
    fork.#map = this.#map;
    fork.#isShared = true;
    return fork;
  }

  isSameAs(other: SharedMap<V>): boolean {
    return this.#map === other.#map;
  }

  get(key: string): V | undefined {
    return this.#map.get(key);
  }

  has(key: string): boolean {
    return this.#map.has(key);
  }

  entries(): IterableIterator<[string, V]> {
    return this.#map.entries();
  }

  set(key: string, value: V): void {
    this.#own().set(key, value);
  }

  delete(key: string): void {
    if (this.#map.has(key)) this.#own().delete(key);
  }

  clear(): void {
    this.#map = new Map();
    this.#isShared = false;
  }

  #own(): Map<string, V> {
    if (this.#isShared) this.#map = new Map(this.#map);
    this.#isShared = false;
    return this.#map;
  }
}
