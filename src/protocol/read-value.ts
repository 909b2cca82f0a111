/**
 * msgpack → one plain value, or `VALUE_REFUSED`. The bytes come from a peer that may be hostile, so this
 * reads a closed subset and nothing beside it: no extension type, no 64-bit integer, no reserved byte. What
 * it returns is plain by construction: null, booleans, finite numbers, strings, `Uint8Array` views, arrays,
 * and null-prototype objects. Memory is bounded by the caps before anything is made.
 */
import { ProtocolError } from "./protocol-error.ts";
import { isForbiddenKey, MAX_DEPTH, MAX_NODES } from "./value-caps.ts";

// `ignoreBOM` keeps a leading U+FEFF, which is part of the text here.
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

// The same few dozen keys come over and over: a hit costs a comparison and no new string. What a peer can do
// to this is bounded: it may evict, never grow it.
const KEY_SLOTS = 256;
const cachedKeys = new Array<{ readonly bytes: Uint8Array; readonly text: string } | undefined>(KEY_SLOTS);

/** Reads exactly one value that fills `bytes`. Binary values are views on `bytes`. */
export function readValue(bytes: Uint8Array): unknown {
  const reader = new ValueReader(bytes);
  const value = reader.value(0);
  if (reader.at !== bytes.length) throw refused(`${bytes.length - reader.at} bytes after the value`);
  return value;
}

class ValueReader {
  readonly #bytes: Uint8Array;
  at = 0;
  #nodes = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  value(depth: number): unknown {
    this.#countNodes(1);
    const tag = this.#uint(1);
    if (tag < 0x80) return tag;
    if (tag >= 0xe0) return tag - 0x100;
    if (tag < 0x90) return this.#map(tag & 0x0f, depth + 1);
    if (tag < 0xa0) return this.#array(tag & 0x0f, depth + 1);
    if (tag < 0xc0) return this.#string(tag & 0x1f);
    switch (tag) {
      case 0xc0:
        return null;
      case 0xc2:
        return false;
      case 0xc3:
        return true;
      case 0xc4:
        return this.#take(this.#uint(1));
      case 0xc5:
        return this.#take(this.#uint(2));
      case 0xc6:
        return this.#take(this.#uint(4));
      case 0xcb:
        return this.#float64();
      case 0xcc:
        return this.#uint(1);
      case 0xcd:
        return this.#uint(2);
      case 0xce:
        return this.#uint(4);
      case 0xd0:
        return (this.#uint(1) << 24) >> 24;
      case 0xd1:
        return (this.#uint(2) << 16) >> 16;
      case 0xd2:
        return this.#uint(4) | 0;
      case 0xd9:
        return this.#string(this.#uint(1));
      case 0xda:
        return this.#string(this.#uint(2));
      case 0xdb:
        return this.#string(this.#uint(4));
      case 0xdc:
        return this.#array(this.#uint(2), depth + 1);
      case 0xdd:
        return this.#array(this.#uint(4), depth + 1);
      case 0xde:
        return this.#map(this.#uint(2), depth + 1);
      case 0xdf:
        return this.#map(this.#uint(4), depth + 1);
      default:
        throw refused(`the type byte 0x${tag.toString(16)}`);
    }
  }

  #array(length: number, depth: number): unknown[] {
    this.#enter(depth);
    const result: unknown[] = [];
    for (let index = 0; index < length; index += 1) result.push(this.value(depth));
    return result;
  }

  #map(length: number, depth: number): Record<string, unknown> {
    this.#enter(depth);
    this.#countNodes(length);
    const result = Object.create(null) as Record<string, unknown>;
    for (let index = 0; index < length; index += 1) {
      const key = this.#key();
      if (isForbiddenKey(key) || key in result) throw refused(`the key "${key.slice(0, 80)}"`);
      result[key] = this.value(depth);
    }
    return result;
  }

  #key(): string {
    const tag = this.#uint(1);
    if (tag >= 0xa0 && tag < 0xc0) return this.#shortKey(tag & 0x1f);
    if (tag === 0xd9) return this.#string(this.#uint(1));
    if (tag === 0xda) return this.#string(this.#uint(2));
    if (tag === 0xdb) return this.#string(this.#uint(4));
    throw refused("a map key that is no string");
  }

  #shortKey(length: number): string {
    const bytes = this.#bytes;
    const start = this.at;
    if (length === 0 || start + length > bytes.length) return this.#string(length);
    const slot =
      (length * 13 + (bytes[start] as number) * 5 + (bytes[start + length - 1] as number)) % KEY_SLOTS;
    const cached = cachedKeys[slot];
    if (cached !== undefined && cached.bytes.length === length) {
      let index = 0;
      while (index < length && cached.bytes[index] === bytes[start + index]) index += 1;
      if (index === length) {
        this.at += length;
        return cached.text;
      }
    }
    const text = this.#string(length);
    cachedKeys[slot] = { bytes: new Uint8Array(bytes.subarray(start, start + length)), text };
    return text;
  }

  #string(length: number): string {
    const bytes = this.#bytes;
    const end = this.at + length;
    if (length < 24 && end <= bytes.length) {
      let text = "";
      let index = this.at;
      for (; index < end; index += 1) {
        const byte = bytes[index] as number;
        if (byte > 0x7f) break;
        text += String.fromCharCode(byte);
      }
      if (index === end) {
        this.at = end;
        return text;
      }
    }
    try {
      return decoder.decode(this.#take(length));
    } catch (cause) {
      if (cause instanceof ProtocolError) throw cause;
      throw refused("text that is not UTF-8", { cause });
    }
  }

  #float64(): number {
    const { buffer, byteOffset } = this.#take(8);
    const value = new DataView(buffer, byteOffset, 8).getFloat64(0);
    if (!Number.isFinite(value)) throw refused(String(value));
    return value;
  }

  /** Big-endian, as msgpack has it. */
  #uint(width: 1 | 2 | 4): number {
    const bytes = this.#bytes;
    const end = this.at + width;
    if (end > bytes.length) throw refused("a value cut short");
    let value = 0;
    while (this.at < end) {
      value = (value << 8) | (bytes[this.at] as number);
      this.at += 1;
    }
    return value >>> 0;
  }

  #take(length: number): Uint8Array {
    const start = this.at;
    if (start + length > this.#bytes.length) throw refused("a value cut short");
    this.at += length;
    return this.#bytes.subarray(start, this.at);
  }

  #enter(depth: number): void {
    if (depth > MAX_DEPTH) throw refused(`more than ${MAX_DEPTH} levels`);
  }

  #countNodes(added: number): void {
    this.#nodes += added;
    if (this.#nodes > MAX_NODES) throw refused(`more than ${MAX_NODES} values`);
  }
}

function refused(what: string, options?: ErrorOptions): ProtocolError {
  return new ProtocolError("VALUE_REFUSED", `The wire carries plain data only, not ${what}.`, options);
}
