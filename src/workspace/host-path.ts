/**
 * Names inside the sandbox ↔ names on the host's disk. A name that is not UTF-8 is shown with each stray
 * byte as a lone surrogate U+DC80..U+DCFF (Python's `surrogateescape`), so it can be read, renamed and
 * removed like any other. The mapping is one to one: two texts never mean one file, because rights are
 * decided by text.
 */
import { Buffer } from "node:buffer";
import nodePath from "node:path";
import { Failure } from "./fs-error.ts";
import { platform, readdirSync } from "./node-fs.ts";

/** A path on the host: bytes as soon as one of its names is not UTF-8. */
export type HostPath = string | Buffer;

const separator = nodePath.sep;
const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const loneSurrogate = /[\ud800-\udfff]/u;

/** The host path of an entry of a host directory. Throws `EILSEQ` or `ENOENT` for a name no file can have. */
export function joinHostPath(directory: HostPath, name: string): HostPath {
  // On Windows these would leave the directory, or name a stream or a drive.
  if (platform === "win32" && /[\\:]/.test(name)) throw new Failure("ENOENT");
  const encoded = loneSurrogate.test(name) ? encodeName(name) : name;
  if (typeof directory === "string" && typeof encoded === "string") {
    return directory.endsWith(separator) ? directory + encoded : directory + separator + encoded;
  }
  return Buffer.concat([Buffer.from(directory), Buffer.from(separator), Buffer.from(encoded)]);
}

/** Names in a host directory, in the order of the disk. */
export function readNames(directory: HostPath): string[] {
  const names = readdirSync(directory);
  // U+FFFD is what Node makes of stray bytes; the bytes themselves are read only when it shows up.
  return names.some((name) => name.includes("\ufffd"))
    ? readdirSync(directory, { encoding: "buffer" }).map(decodeName)
    : names;
}

/** Names in a host directory, sorted by code units. */
export function listNames(directory: HostPath): string[] {
  return readNames(directory).sort();
}

/** Bytes of a name as text; stray bytes become lone surrogates. */
export function decodeName(bytes: Uint8Array): string {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    // Not UTF-8 as a whole: taken apart below.
  }
  let text = "";
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at);
    if (length === 0) text += String.fromCharCode(0xdc00 + (bytes[at] ?? 0));
    else text += strictUtf8.decode(bytes.subarray(at, at + length));
    at += Math.max(1, length);
  }
  return text;
}

function sequenceLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] ?? 0;
  if (lead < 0x80) return 1;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  try {
    strictUtf8.decode(bytes.subarray(at, at + length));
    return length;
  } catch {
    return 0; // not a character: the caller escapes this one byte
  }
}

function encodeName(name: string): Buffer {
  const parts: Buffer[] = [];
  for (const character of name) {
    const code = character.codePointAt(0) ?? 0;
    const isStrayByte = code >= 0xdc80 && code <= 0xdcff;
    parts.push(isStrayByte ? Buffer.from([code - 0xdc00]) : Buffer.from(character));
  }
  const bytes = Buffer.concat(parts);
  // Escaped bytes that together are valid UTF-8 would be a second spelling of a name, past its rights.
  if (decodeName(bytes) !== name) throw new Failure("EILSEQ");
  return bytes;
}
