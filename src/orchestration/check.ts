/** What callers give to a ledger, checked: ids, times, counts, texts. Each error names the argument and the rule. */
import { randomBytes } from "node:crypto";
import { unknownOption } from "../shared/check-options.ts";
import { SandboxError } from "../shared/errors.ts";

const ID = /^(?!\.)[A-Za-z0-9_\-.:@=+]{1,100}(?<!\.)$/;
/** 36 to the ninth: what nine digits of base 36 hold, in the year 5188. */
const MAX_TIME_MS = 36 ** 9 - 1;
/** Characters of an error, a note, a label. */
const MAX_TEXT = 4_000;

/** @throws SandboxError `LEDGER_INVALID`. */
export function checkId(name: string, value: unknown): string {
  if (typeof value === "string" && ID.test(value)) return value;
  throw invalid(name, "1 to 100 of A-Z a-z 0-9 _ - . : @ = + without a dot at its ends", value);
}

export function checkTime(name: string, value: unknown): number {
  if (Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= MAX_TIME_MS)
    return value as number;
  throw invalid(name, "a time in whole milliseconds since the epoch", value);
}

export function checkInteger(name: string, value: unknown, min: number, max: number): number {
  if (Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max)
    return value as number;
  throw invalid(name, `a whole number from ${min} to ${max}`, value);
}

export function checkBoolean(name: string, value: unknown): boolean {
  if (typeof value === "boolean") return value;
  throw invalid(name, "true or false", value);
}

/** A text for people. Cut, not refused: an error's message is what it is. */
export function checkText(name: string, value: unknown): string {
  if (typeof value !== "string") throw invalid(name, "a text", value);
  return value.length <= MAX_TEXT ? value : `${value.slice(0, MAX_TEXT - 1)}…`;
}

/** The options, after a look at their names. */
export function checkOptions<T extends object>(name: string, value: T, known: readonly string[]): T {
  if (typeof value !== "object" || value === null) throw invalid(name, "an object", value);
  const unknown = unknownOption(value, known);
  if (unknown === undefined) return value;
  throw new SandboxError(
    "LEDGER_INVALID",
    `Unknown option "${unknown}" of ${name}. Known options: ${known.join(", ")}.`,
    { name: unknown },
  );
}

/** Missing stays missing. */
export function optional<T>(
  name: string,
  value: unknown,
  check: (name: string, value: unknown) => T,
): T | undefined {
  return value === undefined ? undefined : check(name, value);
}

export function invalid(name: string, expected: string, value: unknown): SandboxError {
  const shown = typeof value === "string" ? JSON.stringify(value.slice(0, 120)) : String(value).slice(0, 120);
  return new SandboxError("LEDGER_INVALID", `${name} must be ${expected}, but is ${shown}.`, { name });
}

let lastMs = 0;
let count = 0;

/** A new id: later ones of this process sort after earlier ones, and no other process has it. */
export function newId(nowMs: number): string {
  if (nowMs > lastMs) {
    lastMs = nowMs;
    count = 0;
  } else count += 1;
  const time = toTimeKey(lastMs);
  return `${time}-${count.toString(36).padStart(4, "0")}-${randomBytes(6).toString("hex")}`;
}

/** A time as a text that sorts as the time does. */
export function toTimeKey(timeMs: number): string {
  return timeMs.toString(36).padStart(9, "0");
}

export function fromTimeKey(key: string): number {
  return Number.parseInt(key, 36);
}
