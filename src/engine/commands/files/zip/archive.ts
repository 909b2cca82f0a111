/** Zip archives as bytes. */
import { Buffer } from "node:buffer";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { escapeStrayBytes, unescapeStrayBytes } from "../../../../workspace/stray-bytes.ts";

/** One entry; `packed` is its content as it lies in the archive. */
export interface ZipEntry {
  readonly name: string;
  /** 0 as it is, 8 deflated. */
  readonly method: number;
  readonly packed: Uint8Array;
  readonly size: number;
  readonly crc: number;
  /** Kind and permission bits; 0 where none are known. */
  readonly mode: number;
  /** Seconds since 1970. */
  readonly mtime: number;
  readonly isEncrypted: boolean;
}

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const UTF8_NAME = 0x800;
const TIMES_FIELD = 0x5455;
const KIND_BITS = 0o170000;
const LINK_BITS = 0o120000;

export function isFolder({ name }: ZipEntry): boolean {
  return name.endsWith("/");
}

export function isLink({ mode }: ZipEntry): boolean {
  return (mode & KIND_BITS) === LINK_BITS;
}

/** The text of a kind and of permissions as `ZipEntry.mode`. */
export const LINK_MODE = LINK_BITS | 0o777;

/** An entry of content, deflated where that is shorter. `level` 0 stores. */
export function pack(
  name: string,
  content: Uint8Array,
  mode: number,
  mtime: number,
  level: number,
): ZipEntry {
  const deflated = level > 0 && content.length > 0 ? deflateRawSync(content, { level }) : null;
  const isShorter = deflated !== null && deflated.length < content.length;
  return {
    name,
    method: isShorter ? 8 : 0,
    packed: isShorter ? deflated : content,
    size: content.length,
    crc: crc32(content),
    mode,
    mtime,
    isEncrypted: false,
  };
}

/** The content of an entry; null where it is broken or packed in a way that is not known. */
export function unpack({ method, packed, crc, isEncrypted }: ZipEntry): Uint8Array | null {
  if (isEncrypted || (method !== 0 && method !== 8)) return null;
  try {
    const content = method === 8 ? inflateRawSync(packed) : packed;
    return crc32(content) === crc ? content : null;
  } catch {
    return null; // broken
  }
}

/** The entries by the directory at the end; null for what is no archive. */
export function readZip(bytes: Uint8Array): ZipEntry[] | null {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let end = buffer.length - 22;
  while (end >= 0 && buffer.readUInt32LE(end) !== END) end--;
  if (end < 0) return null;
  const entries: ZipEntry[] = [];
  try {
    let at = buffer.readUInt32LE(end + 16);
    for (let count = buffer.readUInt16LE(end + 10); count > 0; count--) {
      if (buffer.readUInt32LE(at) !== CENTRAL) return null;
      const nameLength = buffer.readUInt16LE(at + 28);
      const extraLength = buffer.readUInt16LE(at + 30);
      const start = buffer.readUInt32LE(at + 42);
      const dataStart = start + 30 + buffer.readUInt16LE(start + 26) + buffer.readUInt16LE(start + 28);
      const packedSize = buffer.readUInt32LE(at + 20);
      const extra = buffer.subarray(at + 46 + nameLength, at + 46 + nameLength + extraLength);
      const isUnix = buffer[at + 5] === 3;
      entries.push({
        name: escapeStrayBytes(buffer.subarray(at + 46, at + 46 + nameLength)),
        method: buffer.readUInt16LE(at + 10),
        packed: buffer.subarray(dataStart, dataStart + packedSize),
        size: buffer.readUInt32LE(at + 24),
        crc: buffer.readUInt32LE(at + 16),
        mode: isUnix ? buffer.readUInt32LE(at + 38) >>> 16 : 0,
        mtime: timeIn(extra) ?? fromDosTime(buffer.readUInt16LE(at + 12), buffer.readUInt16LE(at + 14)),
        isEncrypted: (buffer.readUInt16LE(at + 8) & 1) !== 0,
      });
      at += 46 + nameLength + extraLength + buffer.readUInt16LE(at + 32);
    }
  } catch {
    return null; // cut short
  }
  return entries;
}

export function writeZip(entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const entry of entries) {
    const name = unescapeStrayBytes(entry.name);
    const [time, day] = toDosTime(entry.mtime);
    const extra = Buffer.alloc(9);
    extra.writeUInt16LE(TIMES_FIELD, 0);
    extra.writeUInt16LE(5, 2);
    extra[4] = 1;
    extra.writeInt32LE(Math.max(-(2 ** 31), Math.min(2 ** 31 - 1, Math.floor(entry.mtime))), 5);
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(entry.method === 8 ? 20 : 10, 0);
    shared.writeUInt16LE(name.some((byte) => byte > 127) ? UTF8_NAME : 0, 2);
    shared.writeUInt16LE(entry.method, 4);
    shared.writeUInt16LE(time, 6);
    shared.writeUInt16LE(day, 8);
    shared.writeUInt32LE(entry.crc, 10);
    shared.writeUInt32LE(entry.packed.length, 14);
    shared.writeUInt32LE(entry.size, 18);
    shared.writeUInt16LE(name.length, 22);
    shared.writeUInt16LE(extra.length, 24);
    const local = Buffer.alloc(4);
    local.writeUInt32LE(LOCAL, 0);
    const central = Buffer.alloc(6);
    central.writeUInt32LE(CENTRAL, 0);
    central.writeUInt16LE((3 << 8) | 30, 4);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(((entry.mode << 16) | (isFolder(entry) ? 0x10 : 0)) >>> 0, 6);
    tail.writeUInt32LE(at, 10);
    directory.push(central, shared, tail, name, extra);
    const written = [local, shared, name, extra, Buffer.from(entry.packed)];
    parts.push(...written);
    at += written.reduce((sum, part) => sum + part.length, 0);
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(END, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, ...directory, end]);
}

function timeIn(extra: Buffer): number | undefined {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) === TIMES_FIELD && ((extra[at + 4] ?? 0) & 1) !== 0)
      return extra.readInt32LE(at + 5);
  }
  return undefined;
}

/** Times without a zone are taken for UTC. */
function fromDosTime(time: number, day: number): number {
  const [year, month, date] = [(day >> 9) + 1980, ((day >> 5) & 15) - 1, day & 31];
  return Date.UTC(year, month, date, time >> 11, (time >> 5) & 63, (time & 31) * 2) / 1000;
}

function toDosTime(seconds: number): [number, number] {
  const at = new Date(Math.max(seconds * 1000, Date.UTC(1980, 0, 1)));
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1);
  return [time, ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate()];
}

const crcTable = Int32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit++) value = (value & 1) !== 0 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

function crc32(bytes: Uint8Array): number {
  let crc = -1;
  for (const byte of bytes) crc = (crcTable[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  return (crc ^ -1) >>> 0;
}

/** How much shorter packing made it, in whole percent, as Info-ZIP rounds it. */
export function percentSaved(size: number, packed: number): number {
  return size > packed ? Math.floor((1 + Math.floor((200 * (size - packed)) / size)) / 2) : 0;
}
