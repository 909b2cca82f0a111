/** What a case says when its promise is broken: the promise, what was expected, what came. */
import { inspect, isDeepStrictEqual } from "node:util";

/** Longest text of a value in a message, in characters: a flood must not become the report. */
const MAX_SHOWN = 600;

/**
 * A broken promise. Of its own class, because `node:assert` opens the process's standard error when it is loaded;
 * test runners show `expected` and `actual` all the same.
 */
export class ConformanceError extends Error {
  readonly promise: string;
  readonly actual: unknown;
  readonly expected: unknown;

  constructor(promise: string, message: string, actual: unknown, expected: unknown) {
    super(`${promise}: ${message}`);
    this.name = "ConformanceError";
    this.promise = promise;
    this.actual = actual;
    this.expected = expected;
  }
}

export class Check {
  readonly #promise: string;

  constructor(promise: string) {
    this.#promise = promise;
  }

  /** Deep and strict; the order of an object's own fields does not count. */
  equal(what: string, came: unknown, expected: unknown): void {
    if (!isDeepStrictEqual(came, expected)) this.#fail(what, came, expected);
  }

  /** For what has no single right value: `expected` says it in words. */
  that(holds: boolean, what: string, came: unknown, expected: string): void {
    if (!holds) this.#fail(what, came, expected);
  }

  /** The fields of `expected` alone count. */
  matches(what: string, came: object, expected: Readonly<Record<string, unknown>>): void {
    const fields = Object.keys(expected).map((name) => [name, (came as Record<string, unknown>)[name]]);
    this.equal(what, Object.fromEntries(fields), expected);
  }

  /** The error that a promise rejects with; fails when it resolves. */
  async rejects(what: string, call: () => Promise<unknown>, expected: string): Promise<unknown> {
    let came: unknown;
    try {
      came = await call();
    } catch (thrown) {
      return thrown;
    }
    return this.#fail(what, came, expected);
  }

  /** The same, with the code that the error must have. */
  async rejectsWith(code: string, what: string, call: () => Promise<unknown>): Promise<unknown> {
    const error = await this.rejects(what, call, `a rejection with ${code}`);
    this.equal("the error's code", (error as { code?: unknown }).code, code);
    return error;
  }

  /** What a call resolves to; a rejection breaks the promise as well. */
  async resolves<T>(what: string, call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (thrown) {
      return this.#fail(what, thrown, "a promise that resolves");
    }
  }

  #fail(what: string, actual: unknown, expected: unknown): never {
    const message = `${what}: expected ${show(expected)}, came ${show(actual)}`;
    throw new ConformanceError(this.#promise, message, actual, expected);
  }
}

function show(value: unknown): string {
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  const text =
    typeof value === "string" && value.length > MAX_SHOWN
      ? JSON.stringify(`${value.slice(0, MAX_SHOWN)}…`)
      : inspect(value, { depth: 6, breakLength: 100, maxArrayLength: 40, maxStringLength: MAX_SHOWN });
  return text.length > 4 * MAX_SHOWN ? `${text.slice(0, 4 * MAX_SHOWN)}…` : text;
}
