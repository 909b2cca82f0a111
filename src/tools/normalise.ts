/**
 * A tool's result → JSON text, once. The text is what the script gets, what a trace shows and what a replay
 * repeats, so one value has one text. `docs/tools.md` has the table. Not a parser: what comes from scripts
 * goes through `read-input.ts`.
 */
import { tellThrown } from "../shared/redact.ts";
import { toolFailed } from "./tool-error.ts";

/** How deep and how large a result may be. */
export interface NormaliseLimits {
  /** Arrays and objects within each other. @default 100 */
  readonly maxDepth?: number;
  /** UTF-8 bytes of the JSON text. @default 16777216 */
  readonly maxBytes?: number;
}

/** Depth is bounded because the walk is recursive, and so are parsers that read the text later. */
export const DEFAULT_MAX_DEPTH = 100;
export const DEFAULT_MAX_JSON_BYTES = 16 * 1024 * 1024;

/** Whether a value is told like `undefined`: left out of objects, `null` in arrays. */
function isUntold(value: unknown): boolean {
  return value === undefined || typeof value === "function" || typeof value === "symbol";
}

/**
 * JSON text of a tool's result; `""` for `undefined`. Throws `TOOL_FAILED` for cycles, for getters and
 * `toJSON` that throw, and beyond the limits, each naming the place as `$.a[0]`.
 */
export function toJsonText(tool: string, value: unknown, limits: NormaliseLimits = {}): string {
  const writer = new JsonWriter(tool, limits);
  const told = writer.guard("$", () => applyToJson(value, ""));
  if (isUntold(told.value)) return "";
  writer.write(told.value, "$", "", 0, !told.called);
  return writer.text();
}

class JsonWriter {
  readonly #tool: string;
  readonly #maxDepth: number;
  readonly #maxBytes: number;
  readonly #parts: string[] = [];
  readonly #open = new Set<object>();
  #bytes = 0;

  constructor(tool: string, limits: NormaliseLimits) {
    this.#tool = tool;
    this.#maxDepth = limits.maxDepth ?? DEFAULT_MAX_DEPTH;
    this.#maxBytes = limits.maxBytes ?? DEFAULT_MAX_JSON_BYTES;
  }

  text(): string {
    return this.#parts.join("");
  }

  write(value: unknown, path: string, key: string, depth: number, mayCallToJson = true): void {
    if (isUntold(value) || value === null) this.#put("null");
    else if (typeof value === "string") this.#putString(value);
    else if (typeof value === "number")
      this.#put(Number.isFinite(value) ? String(value === 0 ? 0 : value) : "null");
    else if (typeof value === "bigint") this.#put(`"${value}"`);
    else if (typeof value === "boolean") this.#put(String(value));
    else this.#writeObject(value as object, path, key, depth, mayCallToJson);
  }

  #writeObject(value: object, path: string, key: string, depth: number, mayCallToJson: boolean): void {
    const told = this.guard(path, () => toTellable(value, key, mayCallToJson));
    if (told.is === "value") {
      this.write(told.value, path, key, depth, false);
      return;
    }
    if (this.#open.has(value)) {
      throw toolFailed(this.#tool, `the result of tool ${this.#tool} contains itself at ${path}`);
    }
    if (depth >= this.#maxDepth) {
      throw toolFailed(
        this.#tool,
        `the result of tool ${this.#tool} is nested deeper than ${this.#maxDepth} at ${path.slice(0, 200)}`,
      );
    }
    this.#open.add(value);
    if (told.is === "list") this.#writeList(told.items, path, depth);
    else this.#writeRecord(told.record, path, depth);
    this.#open.delete(value);
  }

  #writeList(items: ArrayLike<unknown>, path: string, depth: number): void {
    this.#put("[");
    for (let index = 0; index < items.length; index++) {
      if (index > 0) this.#put(",");
      const at = `${path}[${index}]`;
      this.write(
        this.guard(at, () => items[index]),
        at,
        String(index),
        depth + 1,
      );
    }
    this.#put("]");
  }

  #writeRecord(record: object, path: string, depth: number): void {
    this.#put("{");
    let isFirst = true;
    for (const key of this.guard(path, () => Object.keys(record))) {
      const at = `${path}.${key}`;
      const value = this.guard(at, () => (record as Record<string, unknown>)[key]);
      if (isUntold(value)) continue;
      // A toJSON that gives undefined leaves the key out, as JSON.stringify does.
      const told = this.guard(at, () => applyToJson(value, key));
      if (isUntold(told.value)) continue;
      if (!isFirst) this.#put(",");
      isFirst = false;
      this.#putString(key);
      this.#put(":");
      this.write(told.value, at, key, depth + 1, !told.called);
    }
    this.#put("}");
  }

  #putString(text: string): void {
    this.#put(JSON.stringify(text.toWellFormed()));
  }

  #put(part: string): void {
    // Counted as it grows: an array with a length of a billion must not be written out first.
    this.#bytes += Buffer.byteLength(part);
    if (this.#bytes > this.#maxBytes) {
      throw toolFailed(
        this.#tool,
        `the result of tool ${this.#tool} is larger than ${this.#maxBytes} bytes of JSON`,
      );
    }
    this.#parts.push(part);
  }

  guard<T>(path: string, read: () => T): T {
    try {
      return read();
    } catch {
      // The thrown value is the tool's own business and may hold anything; the place is what helps.
      throw toolFailed(
        this.#tool,
        `the result of tool ${this.#tool} cannot be read at ${path.slice(0, 200)}`,
      );
    }
  }
}

type Tellable =
  | { is: "value"; value: unknown }
  | { is: "list"; items: ArrayLike<unknown> }
  | { is: "record"; record: object };

/** `called` travels with the value: what a `toJSON` gives is not asked for a `toJSON` of its own. */
function applyToJson(value: unknown, key: string): { called: boolean; value: unknown } {
  // Buffer has a toJSON that spells every byte as a number; bytes have a rule of their own.
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value))
    return { called: false, value };
  const { toJSON } = value as { toJSON?: unknown };
  return typeof toJSON === "function"
    ? { called: true, value: toJSON.call(value, key) }
    : { called: false, value };
}

function toTellable(value: object, key: string, mayCallToJson: boolean): Tellable {
  if (value instanceof Date) {
    return { is: "value", value: Number.isNaN(value.getTime()) ? null : value.toISOString() };
  }
  const bytes = toBytes(value);
  if (bytes !== undefined) return { is: "value", value: Buffer.from(bytes).toString("base64") };
  if (ArrayBuffer.isView(value)) return { is: "list", items: value as unknown as ArrayLike<unknown> };
  if (mayCallToJson) {
    const told = applyToJson(value, key);
    if (told.called) return { is: "value", value: told.value };
  }
  if (Array.isArray(value)) return { is: "list", items: value };
  if (value instanceof Map) return fromMap(value);
  if (value instanceof Set) return { is: "list", items: [...value] };
  if (value instanceof Error)
    return { is: "record", record: { name: value.name, message: tellThrown(value) } };
  if (value instanceof RegExp) return { is: "value", value: String(value) };
  if (value instanceof String) return { is: "value", value: String.prototype.valueOf.call(value) };
  if (value instanceof Number) return { is: "value", value: Number.prototype.valueOf.call(value) };
  if (value instanceof Boolean) return { is: "value", value: Boolean.prototype.valueOf.call(value) };
  return { is: "record", record: value };
}

function toBytes(value: object): Uint8Array | undefined {
  if (value instanceof Uint8Array || value instanceof Uint8ClampedArray || value instanceof DataView) {
    return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  }
  if (value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) return new Uint8Array(value);
  return undefined;
}

function fromMap(map: ReadonlyMap<unknown, unknown>): Tellable {
  const entries = [...map];
  if (!entries.every(([key]) => typeof key === "string")) return { is: "list", items: entries };
  // A null prototype, so that a key named __proto__ is data like any other.
  const record: Record<string, unknown> = Object.create(null);
  for (const [key, value] of entries) record[key as string] = value;
  return { is: "record", record };
}
