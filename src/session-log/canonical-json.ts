/**
 * A value → its one JSON text: the JSON Canonicalization Scheme, RFC 8785. Keys are sorted by UTF-16 code units, and
 * numbers and strings are written as ECMAScript does, which is what the scheme asks for.
 *
 * Takes what callers give: what JSON cannot say is an error that names the place, so that nothing is lost unseen.
 */
import { SandboxError } from "../shared/errors.ts";
import type { JsonValue } from "../shared/json.ts";

/** UTF-8 bytes of a text, unless it is said otherwise. */
const MAX_JSON_BYTES = 1024 * 1024;

/** Arrays and objects within each other, at most. Cycles end here as well. */
const MAX_DEPTH = 100;

/**
 * The text. A field that is undefined is left out, as if it were missing; `-0` is `0`.
 *
 * @param name Where the value stands, for errors: `"data"`.
 * @param maxBytes Of the text, in UTF-8. @default 1 MiB
 * @throws SandboxError `SESSION_LOG_INVALID`.
 */
export function canonicalJson(value: unknown, name: string, maxBytes = MAX_JSON_BYTES): string {
  const writer = new Writer(name, maxBytes);
  const text = writer.write(value, 0);
  // Characters were counted on the way, and none has fewer bytes than one.
  if (Buffer.byteLength(text) > maxBytes) writer.failSize();
  return text;
}

class Writer {
  readonly #path: (string | number)[] = [];
  readonly #name: string;
  readonly #maxCharacters: number;
  #characters = 0;

  constructor(name: string, maxCharacters: number) {
    this.#name = name;
    this.#maxCharacters = maxCharacters;
  }

  write(value: unknown, depth: number): string {
    switch (typeof value) {
      case "string":
        return this.#string(value);
      case "number":
        if (!Number.isFinite(value)) this.#fail(`is ${value}, which JSON has no number for`);
        return this.#counted(String(value));
      case "boolean":
        return this.#counted(value ? "true" : "false");
      case "object":
        if (value === null) return this.#counted("null");
        if (depth === MAX_DEPTH) this.#fail(`lies deeper than ${MAX_DEPTH} arrays and objects`);
        this.#counted("[");
        return Array.isArray(value) ? this.#array(value, depth + 1) : this.#object(value, depth + 1);
      default:
        return this.#fail(`is a value of type ${typeof value}, which JSON does not have`);
    }
  }

  #string(value: string): string {
    if (!value.isWellFormed()) this.#fail("holds half of a surrogate pair, which UTF-8 cannot say");
    return this.#counted(JSON.stringify(value));
  }

  #array(values: readonly unknown[], depth: number): string {
    const parts: string[] = [];
    // By index: a hole is an undefined, and no method of the array is asked.
    for (let index = 0; index < values.length; index++) {
      this.#path.push(index);
      parts.push(this.write(values[index], depth));
      this.#path.pop();
    }
    return `[${parts.join(",")}]`;
  }

  #object(value: object, depth: number): string {
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== null && prototype !== Object.prototype && Object.getPrototypeOf(prototype) !== null)
      this.#fail("is an object of a class; JSON has plain ones only");
    if (Object.getOwnPropertySymbols(value).length > 0) this.#fail("has a symbol as a key");
    const parts: string[] = [];
    for (const key of Object.keys(value).sort()) {
      this.#path.push(key);
      const item = (value as Record<string, unknown>)[key];
      if (item !== undefined) parts.push(`${this.#string(key)}:${this.write(item, depth)}`);
      this.#path.pop();
    }
    return `{${parts.join(",")}}`;
  }

  #counted(text: string): string {
    this.#characters += text.length + 1;
    // One more for each value and each key: the comma, the colon or the bracket after it. The last of all has none.
    if (this.#characters - 1 > this.#maxCharacters) this.failSize();
    return text;
  }

  failSize(): never {
    const message = `"${this.#name}" is more than ${this.#maxCharacters} bytes of JSON. Keep it elsewhere, and its place here.`;
    throw new SandboxError("SESSION_LOG_INVALID", message, {
      field: this.#name,
      maxBytes: this.#maxCharacters,
    });
  }

  #fail(what: string): never {
    const field = this.#path.reduce<string>(
      (path, step) => (typeof step === "number" ? `${path}[${step}]` : `${path}.${step.slice(0, 100)}`),
      this.#name,
    );
    throw new SandboxError("SESSION_LOG_INVALID", `"${field.slice(0, 1_000)}" ${what}.`, { field });
  }
}

/** What a canonical text says: plain data, whose keys are in the canonical order. */
export function fromCanonicalJson(text: string): JsonValue {
  return JSON.parse(text) as JsonValue;
}
