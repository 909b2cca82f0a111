/** One stream of a turn for one reader. What comes before the reader, or faster, waits for it. */
import { SandboxError } from "../shared/errors.ts";

interface Wish<T> {
  resolve(result: IteratorResult<T>): void;
  reject(error: unknown): void;
}

/** Not an async generator: `return` of one waits for a `next` that is open, which may be for as long as a model takes. */
export class StreamView<T> implements AsyncIterable<T> {
  readonly #name: string;
  readonly #onLeave: () => void;
  readonly #wishes: Wish<T>[] = [];
  #values: T[] = [];
  /** Of the values, where the next one is: a reader that comes late finds many, and shifting each time is slow. */
  #next = 0;
  #end: { readonly error?: unknown } | undefined;
  #reader: "none" | "reading" | "gone" = "none";

  /** @param onLeave told when the reader leaves before the end */
  constructor(name: string, onLeave: () => void) {
    this.#name = name;
    this.#onLeave = onLeave;
  }

  /** Whether a reader has begun and neither left nor come to the end. */
  get isReading(): boolean {
    return this.#reader === "reading";
  }

  push(value: T): void {
    if (this.#end !== undefined || this.#reader === "gone") return;
    this.#values.push(value);
    this.#serve();
  }

  /** After what waits. */
  end(): void {
    this.#end ??= {};
    this.#serve();
  }

  /** The reader gets the error after what waits. */
  fail(error: unknown): void {
    this.#end ??= { error };
    this.#serve();
  }

  [Symbol.asyncIterator](): AsyncIterator<T> {
    if (this.#reader !== "none") {
      throw new SandboxError("OPTION_INVALID", `${this.#name} can be read once`, { option: this.#name });
    }
    this.#reader = "reading";
    return {
      next: () =>
        new Promise((resolve, reject) => {
          this.#wishes.push({ resolve, reject });
          this.#serve();
        }),
      return: async () => {
        this.#leave();
        return { done: true, value: undefined };
      },
    };
  }

  #serve(): void {
    while (this.#wishes.length > 0) {
      const isEmpty = this.#next === this.#values.length;
      if (isEmpty && this.#end === undefined && this.#reader !== "gone") return;
      const wish = this.#wishes.shift();
      if (isEmpty) this.#tellEnd(wish);
      else wish?.resolve({ done: false, value: this.#take() });
    }
  }

  #take(): T {
    const value = this.#values[this.#next++] as T;
    if (this.#next === this.#values.length) this.#drop();
    return value;
  }

  #drop(): void {
    this.#values = [];
    this.#next = 0;
  }

  // An error is told once; whoever asks again hears that there is no more.
  #tellEnd(wish: Wish<T> | undefined): void {
    const isFirst = this.#reader === "reading";
    this.#reader = "gone";
    if (isFirst && this.#end !== undefined && "error" in this.#end) wish?.reject(this.#end.error);
    else wish?.resolve({ done: true, value: undefined });
  }

  #leave(): void {
    if (this.#reader === "gone") return;
    this.#reader = "gone";
    this.#drop();
    this.#serve();
    this.#onLeave();
  }
}
