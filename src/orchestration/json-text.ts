/** A value → its JSON, once: what is stored, what is given back and what is compared are the same from then on. */
import { createHash } from "node:crypto";
import { SandboxError } from "../shared/errors.ts";
import type { JsonValue } from "../shared/json.ts";

/** UTF-8 bytes of one value that a caller gives to a ledger. Larger ones are files: the ledger keeps where. */
export const MAX_VALUE_BYTES = 256 * 1024;

/**
 * What JSON keeps of a value; `null` for undefined. Objects come back with plain data only, as from any store.
 *
 * @throws SandboxError `LEDGER_INVALID` for functions, symbols, bigints and cycles, and above 256 KiB.
 */
export function toJsonValue(name: string, value: unknown, maxBytes = MAX_VALUE_BYTES): JsonValue {
  if (value === undefined) return null;
  const text = toText(name, value);
  const bytes = Buffer.byteLength(text);
  if (bytes > maxBytes) {
    const message = `${name} is ${bytes} bytes of JSON; a ledger takes ${maxBytes}. Keep it elsewhere, and its place here.`;
    throw new SandboxError("LEDGER_INVALID", message, { name, bytes, maxBytes });
  }
  return JSON.parse(text) as JsonValue;
}

function toText(name: string, value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.split("\n")[0] : "it cannot be read";
    throw new SandboxError("LEDGER_INVALID", `${name} has no JSON: ${why}.`, { name }, { cause });
  }
  if (text !== undefined) return text;
  throw new SandboxError("LEDGER_INVALID", `${name} has no JSON: it is a ${typeof value}.`, { name });
}

/** Names a value: equal for values that differ in the order of keys only. */
export function digestOf(value: JsonValue): string {
  return createHash("sha256")
    .update(JSON.stringify(sorted(value)))
    .digest("hex");
}

function sorted(value: JsonValue): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item: JsonValue) => sorted(item));
  const entries = Object.entries(value as Record<string, JsonValue>);
  // Pairs, so that no key is special.
  return entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, item]) => [key, sorted(item), 0]);
}
