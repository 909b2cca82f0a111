/**
 * One plain value → msgpack. Writes only what `read-value.ts` accepts, so a value that the peer would have
 * to refuse is refused here, where its sender can still be told.
 */
import { ProtocolError } from "./protocol-error.ts";
import { isForbiddenKey, MAX_DEPTH, MAX_NODES } from "./value-caps.ts";

/** The message of a `FRAME_TOO_LARGE` that its own sender gets. */
export const FRAME_TOO_LARGE = "The value does not fit into one frame.";

const encoder = new TextEncoder();
const float = new DataView(new ArrayBuffer(8));

/** A cursor over a buffer that it replaces by a larger one when it must. */
export class ValueWriter {
  bytes: Uint8Array;
  at: number;
  /** No byte is written at or past this offset: `FRAME_TOO_LARGE` is thrown before memory is taken. */
  end: number;
  #nodes = 0;

  constructor(bytes: Uint8Array, at: number, end: number) {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
  }

  /** Appends one value. Throws `VALUE_REFUSED` or `FRAME_TOO_LARGE`. */
  write(value: unknown): void {
    this.#nodes = 0;
    this.#value(value, 0);
  }

  /** Appends an object of small values and, as its last entry, bytes: all but these bytes, which are `length`. */
  writeUpToBytes(values: object, key: string, length: number): void {
    const entries = Object.entries(values);
    this.#head(entries.length + 1, 0x80, 15, 0xdd);
    for (const [name, value] of entries) {
      this.#string(name);
      this.#value(value, 1);
    }
    this.#string(key);
    this.#head(length, 0, -1, 0xc4);
  }

  /** Makes room for at least `least` and at most `most` more bytes, within the cap. */
  reserve(least: number, most: number): void {
    if (this.at + least > this.end) throw new ProtocolError("FRAME_TOO_LARGE", FRAME_TOO_LARGE);
    if (this.at + most <= this.bytes.length) return;
    const larger = new Uint8Array(Math.max(this.at + most, Math.min(this.bytes.length * 2, this.end)));
    larger.set(this.bytes.subarray(0, this.at));
    this.bytes = larger;
  }

  #value(value: unknown, depth: number): void {
    this.#nodes += 1;
    if (this.#nodes > MAX_NODES) throw refused(`more than ${MAX_NODES} values`);
    if (typeof value === "string") this.#string(value);
    else if (typeof value === "number") this.#number(value);
    else if (value === null) this.#byte(0xc0);
    else if (typeof value === "boolean") this.#byte(value ? 0xc3 : 0xc2);
    else if (typeof value === "object") this.#object(value, depth + 1);
    else throw refused(`a value of type ${typeof value}`);
  }

  #object(value: object, depth: number): void {
    if (isBytes(value)) {
      this.#head(value.length, 0, -1, 0xc4);
      this.reserve(value.length, value.length);
      this.bytes.set(value, this.at);
      this.at += value.length;
      return;
    }
    if (depth > MAX_DEPTH) throw refused(`more than ${MAX_DEPTH} levels`);
    if (Array.isArray(value)) {
      this.#head(value.length, 0x90, 15, 0xdb);
      for (let index = 0; index < value.length; index += 1) this.#value(value[index], depth);
      return;
    }
    const prototype: unknown = Object.getPrototypeOf(value);
    // Any realm's `Object.prototype` will do: the host may run us in a `vm` context.
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null)
      throw refused("an object of a class");
    const source = value as Record<string, unknown>;
    const keys = Object.keys(source);
    this.#head(keys.length, 0x80, 15, 0xdd);
    this.#nodes += keys.length;
    for (const key of keys) {
      if (isForbiddenKey(key)) throw refused(`the key "${key}"`);
      this.#string(key);
      this.#value(source[key], depth);
    }
  }

  /** A length in the shortest form: in the tag itself up to `inTag`, else 8, 16 or 32 bits after `wide`. */
  #head(length: number, tag: number, inTag: number, wide: number): void {
    this.reserve(1, 5);
    if (length <= inTag) {
      this.#byte(tag | length);
    } else if (length <= 0xff && wide < 0xdb) {
      this.#byte(wide);
      this.#byte(length);
    } else if (length <= 0xffff) {
      this.#byte(wide + 1);
      this.#byte(length >>> 8);
      this.#byte(length & 0xff);
    } else {
      this.#byte(wide + 2);
      this.#uint32(length);
    }
  }

  #string(value: string): void {
    const units = value.length;
    this.reserve(units + 1, units * 3 + 5);
    if (units <= 31 && this.#shortAscii(value)) return;
    // The width of the length must be known before the text is encoded: it is chosen for the longest case.
    const most = units * 3;
    const width = most <= 0xff ? 1 : most <= 0xffff ? 2 : 4;
    const { written } = encoder.encodeInto(value, this.bytes.subarray(this.at + 1 + width));
    this.#byte(width === 1 ? 0xd9 : width === 2 ? 0xda : 0xdb);
    if (width === 4) this.#uint32(written);
    else {
      if (width === 2) this.#byte(written >>> 8);
      this.#byte(written & 0xff);
    }
    this.at += written;
  }

  /** Most strings of the protocol: copied in a loop, faster than a call into the encoder. */
  #shortAscii(value: string): boolean {
    for (let index = 0; index < value.length; index += 1) {
      const unit = value.charCodeAt(index);
      if (unit > 0x7f) return false;
      this.bytes[this.at + 1 + index] = unit;
    }
    this.bytes[this.at] = 0xa0 | value.length;
    this.at += 1 + value.length;
    return true;
  }

  #number(value: number): void {
    this.reserve(1, 9);
    if (
      (value >= 0 && value < 0x80 && value >>> 0 === value) ||
      (value < 0 && value >= -0x20 && (value | 0) === value)
    ) {
      this.#byte(value & 0xff);
    } else if (value >>> 0 === value) {
      this.#byte(0xce);
      this.#uint32(value);
    } else if ((value | 0) === value) {
      this.#byte(0xd2);
      this.#uint32(value >>> 0);
    } else {
      if (!Number.isFinite(value)) throw refused(String(value));
      float.setFloat64(0, value);
      this.#byte(0xcb);
      for (let index = 0; index < 8; index += 1) this.#byte(float.getUint8(index));
    }
  }

  #uint32(value: number): void {
    this.#byte(value >>> 24);
    this.#byte((value >>> 16) & 0xff);
    this.#byte((value >>> 8) & 0xff);
    this.#byte(value & 0xff);
  }

  #byte(value: number): void {
    if (this.at >= this.bytes.length) this.reserve(1, 1);
    this.bytes[this.at] = value;
    this.at += 1;
  }
}

function isBytes(value: object): value is Uint8Array {
  return ArrayBuffer.isView(value) && (value as Uint8Array)[Symbol.toStringTag] === "Uint8Array";
}

function refused(what: string): ProtocolError {
  return new ProtocolError("VALUE_REFUSED", `The wire carries plain data only, not ${what}.`);
}
