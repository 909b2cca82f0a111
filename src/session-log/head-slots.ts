/**
 * Where the last record of each run begins: a hash table of slots of 32 bytes, the same in memory and on the disk.
 * A slot has the first 16 bytes of the run's SHA-256, the record's place, its sequence, and a check sum.
 */
import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";

/** The last record of a run. */
export interface RunTip {
  /** Where it begins, in bytes from the start of the file; `BROKEN_AT`: the run has no whole chain. */
  readonly at: number;
  readonly sequence: number;
}

/** In the place of a place: the run must be looked at record by record. */
export const BROKEN_AT = 2 ** 48 - 1;

/** Bytes of a slot. */
export const SLOT_BYTES = 32;
const KEY_BYTES = 16;
const CHECK_AT = 28;

/** How a run is named in a slot. */
export function slotKeyOf(runId: string): Buffer {
  return createHash("sha256").update(runId).digest().subarray(0, KEY_BYTES);
}

/** The first slot to look at, of `slots`: a power of two. */
export function firstSlot(key: Buffer, slots: number): number {
  return key.readUInt32LE(0) & (slots - 1);
}

/** What a slot of `bytes` says about the run of `key`. */
export function readSlot(
  bytes: Buffer,
  offset: number,
  key: Buffer,
): RunTip | "empty" | "another" | "damaged" {
  if (crc32(bytes.subarray(offset, offset + CHECK_AT)) !== bytes.readUInt32LE(offset + CHECK_AT))
    return "damaged";
  if (isEmptySlot(bytes, offset)) return "empty";
  if (key.compare(bytes, offset, offset + KEY_BYTES) !== 0) return "another";
  return { at: bytes.readUIntLE(offset + 16, 6), sequence: bytes.readUIntLE(offset + 22, 6) };
}

export function writeSlot(bytes: Buffer, offset: number, key: Buffer, tip: RunTip): void {
  key.copy(bytes, offset);
  bytes.writeUIntLE(tip.at, offset + 16, 6);
  bytes.writeUIntLE(tip.sequence, offset + 22, 6);
  bytes.writeUInt32LE(crc32(bytes.subarray(offset, offset + CHECK_AT)), offset + CHECK_AT);
}

/** No run has the sequence 0. */
export function isEmptySlot(bytes: Buffer, offset: number): boolean {
  return bytes.readUIntLE(offset + 22, 6) === 0;
}

/** So many empty slots. They have a check sum as well: what the disk lost and gives as zeros is not empty. */
export function emptySlots(slots: number): Buffer {
  const one = Buffer.alloc(SLOT_BYTES);
  one.writeUInt32LE(crc32(one.subarray(0, CHECK_AT)), CHECK_AT);
  return Buffer.alloc(slots * SLOT_BYTES, one);
}
