/**
 * Small checks that turn an unknown value into a typed one, or throw `SHAPE_REFUSED` naming the field and
 * what was expected. They run on values that `read-value.ts` already found plain; objects are read by own
 * property only and come out as fresh ones, so nothing of the peer's object survives but its leaves.
 */
import { ProtocolError } from "./protocol-error.ts";

/** Returns the value as `T`, or throws `SHAPE_REFUSED`. `at` is the field's path, for the message. */
export type Check<T> = (value: unknown, at: string) => T;

type Checks<T> = { [K in keyof T]-?: Check<T[K]> };
type OptionalKeys<T> = { [K in keyof T]-?: Partial<Pick<T, K>> extends Pick<T, K> ? K : never }[keyof T];

export const text: Check<string> = (value, at) =>
  typeof value === "string" ? value : refuse(value, at, "a string");

export const flag: Check<boolean> = (value, at) =>
  typeof value === "boolean" ? value : refuse(value, at, "a boolean");

/** A whole number from 0 up. */
export const count: Check<number> = (value, at) =>
  Number.isSafeInteger(value) && (value as number) >= 0
    ? (value as number)
    : refuse(value, at, "a whole number from 0 up");

/** A whole number, of any sign. */
export const integer: Check<number> = (value, at) =>
  Number.isSafeInteger(value) ? (value as number) : refuse(value, at, "a whole number");

export const finite: Check<number> = (value, at) =>
  Number.isFinite(value) ? (value as number) : refuse(value, at, "a finite number");

/** A request id: from 1 up. */
export const requestId: Check<number> = (value, at) =>
  Number.isSafeInteger(value) && (value as number) >= 1
    ? (value as number)
    : refuse(value, at, "an id from 1 up");

/** Bytes with at least one byte in them. */
export const someBytes: Check<Uint8Array> = (value, at) =>
  value instanceof Uint8Array && value.length > 0 ? value : refuse(value, at, "at least one byte");

/** Anything that was decoded: its own check follows once more is known. */
export const anything: Check<unknown> = (value) => value;

export function oneOf<T extends string>(...allowed: readonly T[]): Check<T> {
  return (value, at) =>
    allowed.includes(value as T) ? (value as T) : refuse(value, at, `one of ${allowed.join(", ")}`);
}

export function nullable<T>(check: Check<T>): Check<T | null> {
  return (value, at) => (value === null ? null : check(value, at));
}

/** @param max items that the list may have */
export function list<T>(check: Check<T>, max = Number.POSITIVE_INFINITY): Check<T[]> {
  return (value, at) =>
    Array.isArray(value) && value.length <= max
      ? value.map((item: unknown, index) => check(item, `${at}[${index}]`))
      : refuse(value, at, max === Number.POSITIVE_INFINITY ? "an array" : `an array of at most ${max}`);
}

/** A null-prototype object whose keys the peer chose. */
export function record<T>(check: Check<T>): Check<Record<string, T>> {
  return (value, at) => {
    const source = own(value, at);
    const result = Object.create(null) as Record<string, T>;
    for (const key of Object.keys(source)) result[key] = check(source[key], `${at}.${key}`);
    return result;
  };
}

/** Exactly these fields: a missing and an unknown one are both refused. `T` says which must be listed. */
export function shape<T extends object>(
  fields: Checks<Omit<T, OptionalKeys<T>>>,
  optional?: Checks<Pick<T, OptionalKeys<T>>>,
): Check<T> {
  const required = Object.entries(fields) as [string, Check<unknown>][];
  const extra = Object.entries(optional ?? {}) as [string, Check<unknown>][];
  return (value, at) => {
    const source = own(value, at);
    const result: Record<string, unknown> = {};
    for (const [key, check] of required) {
      if (!Object.hasOwn(source, key)) refuse(undefined, `${at}.${key}`, "this field");
      result[key] = check(source[key], `${at}.${key}`);
    }
    let found = required.length;
    for (const [key, check] of extra) {
      if (!Object.hasOwn(source, key)) continue;
      result[key] = check(source[key], `${at}.${key}`);
      found += 1;
    }
    const keys = Object.keys(source);
    if (keys.length !== found) {
      const known = (key: string) => Object.hasOwn(result, key);
      const stranger = keys.find((key) => !known(key)) ?? "";
      throw new ProtocolError("SHAPE_REFUSED", `${at}: unknown field "${shorten(stranger)}".`);
    }
    return result as T;
  };
}

function own(value: unknown, at: string): Record<string, unknown> {
  const isObject =
    typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
  return isObject ? (value as Record<string, unknown>) : refuse(value, at, "an object");
}

function refuse(value: unknown, at: string, expected: string): never {
  throw new ProtocolError("SHAPE_REFUSED", `${shorten(at)}: expected ${expected}, got ${describe(value)}.`);
}

/** What was there instead, short: the value is the peer's and may be megabytes long. */
function describe(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (typeof value === "string") return `the string ${JSON.stringify(shorten(value))}`;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return "an array";
  return ArrayBuffer.isView(value) ? `${value.byteLength} bytes` : "an object";
}

function shorten(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 80)}…`;
}
