/**
 * The table of `head-slots.ts` in a file beside the log, `<log>.heads`. A cache: written whole and moved into place, so
 * that it is never half of one and half of another. It says up to which byte of which log it knows, and what the last
 * bytes before that are: of another log, or of this one as it was before something was cut off, it is void.
 */
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { crc32 } from "node:zlib";
import { HEADER_BYTES } from "./file-log-header.ts";
import { firstSlot, type RunTip, readSlot, SLOT_BYTES, slotKeyOf } from "./head-slots.ts";
import { HeadTable } from "./head-table.ts";
import { type LogFile, type LogFiles, readUpTo, writeAll } from "./log-files.ts";

/** What the table knows about the log. */
export interface HeadsCover {
  /** Of the log: 32 digits. */
  readonly id: string;
  /** Up to which byte every record is in the table. */
  readonly covered: number;
  /** Where the last line begins that may be any run's; 0 for none. */
  readonly untoldAt: number;
}

const MAGIC = "lhheads1";
const TOP_BYTES = 128;
/** Bytes before `covered` that tell whether the log is the same. */
const WITNESS_BYTES = 4096;
/** Read at once while a run is looked for. */
const BLOCK_BYTES = 4096;

/** The table on the disk, open. */
export class HeadsFile {
  readonly cover: HeadsCover;
  readonly #file: LogFile;
  readonly #slots: number;
  readonly #used: number;

  private constructor(file: LogFile, cover: HeadsCover, slots: number, used: number) {
    this.#file = file;
    this.cover = cover;
    this.#slots = slots;
    this.#used = used;
  }

  /** Undefined when there is none, or none of this log. */
  static async open(files: LogFiles, path: string, log: LogFile, id: string): Promise<HeadsFile | undefined> {
    const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
    let file: LogFile | undefined;
    try {
      file = await files.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      const { size } = await file.stat();
      const top = await readUpTo(file, 0, TOP_BYTES);
      const slots = isTop(top, id) ? top.readUInt32LE(40) : 0;
      if (slots === 0 || size !== TOP_BYTES + slots * SLOT_BYTES) throw new Error("another file");
      const cover = { id, covered: top.readUIntLE(48, 6), untoldAt: top.readUIntLE(56, 6) };
      const witness = await witnessOf(log, cover.covered);
      if (witness === undefined || witness.compare(top, 64, 96) !== 0) throw new Error("another log");
      return new HeadsFile(file, cover, slots, top.readUInt32LE(44));
    } catch {
      await file?.close().catch(() => undefined); // A cache that cannot be used is made anew.
      return undefined;
    }
  }

  /** Writes a table into its place. */
  static async write(
    files: LogFiles,
    path: string,
    log: LogFile,
    cover: HeadsCover,
    table: HeadTable,
  ): Promise<void> {
    const witness = await witnessOf(log, cover.covered);
    if (witness === undefined) throw new Error("The log is shorter than it was.");
    const top = Buffer.alloc(TOP_BYTES);
    top.write(MAGIC + cover.id, "latin1");
    top.writeUInt32LE(table.bytes.length / SLOT_BYTES, 40);
    top.writeUInt32LE(table.used, 44);
    top.writeUIntLE(cover.covered, 48, 6);
    top.writeUIntLE(cover.untoldAt, 56, 6);
    witness.copy(top, 64);
    top.writeUInt32LE(crc32(top.subarray(0, TOP_BYTES - 4)), TOP_BYTES - 4);
    const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW = 0 } = constants;
    const temporary = `${path}.tmp`;
    const file = await files.open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600);
    try {
      await writeAll(file, top, 0);
      await writeAll(file, table.bytes, TOP_BYTES);
      await file.datasync();
    } finally {
      await file.close();
    }
    await files.rename(temporary, path);
  }

  get bytesOnDisk(): number {
    return this.#slots * SLOT_BYTES;
  }

  /** @throws Error when a slot on the way is damaged. */
  async find(runId: string): Promise<RunTip | undefined> {
    const key = slotKeyOf(runId);
    let slot = firstSlot(key, this.#slots);
    for (let looked = 0; looked < this.#slots; ) {
      const count = Math.min(BLOCK_BYTES / SLOT_BYTES, this.#slots - slot);
      const block = await this.#read(slot, count);
      for (let index = 0; index < count; index++) {
        const found = readSlot(block, index * SLOT_BYTES, key);
        if (found === "damaged") throw new Error("A slot is damaged.");
        if (found === "empty") return undefined;
        if (found !== "another") return found;
      }
      looked += count;
      slot = (slot + count) % this.#slots;
    }
    return undefined;
  }

  /** The whole of it. @throws Error when it is damaged. */
  async load(): Promise<HeadTable> {
    const table = new HeadTable(await this.#read(0, this.#slots), this.#used);
    if (!table.isSound()) throw new Error("A slot is damaged.");
    return table;
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  async #read(slot: number, count: number): Promise<Buffer> {
    const length = count * SLOT_BYTES;
    const bytes = await readUpTo(this.#file, TOP_BYTES + slot * SLOT_BYTES, length);
    if (bytes.length < length) throw new Error("The table was cut.");
    return bytes;
  }
}

function isTop(top: Buffer, id: string): boolean {
  if (top.length < TOP_BYTES || top.toString("latin1", 0, 40) !== MAGIC + id) return false;
  const slots = top.readUInt32LE(40);
  const isPower = slots > 0 && (slots & (slots - 1)) === 0;
  return isPower && crc32(top.subarray(0, TOP_BYTES - 4)) === top.readUInt32LE(TOP_BYTES - 4);
}

/** SHA-256 of what stands before `covered`; undefined when the log is shorter. */
async function witnessOf(log: LogFile, covered: number): Promise<Buffer | undefined> {
  if (covered < HEADER_BYTES) return undefined;
  const from = Math.max(0, covered - WITNESS_BYTES);
  const bytes = await readUpTo(log, from, covered - from);
  return bytes.length < covered - from ? undefined : createHash("sha256").update(bytes).digest();
}
