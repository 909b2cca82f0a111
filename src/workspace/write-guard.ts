/**
 * Every right to change something is asked for here, whichever door the change comes through. Also counts
 * the bytes written, sees to it that changes are told beforehand, and knows which hard links this file system
 * made itself.
 */
import type { Stats } from "node:fs";
import { Failure } from "./fs-error.ts";
import type { MountTable } from "./mount-table.ts";
import type { Place } from "./path-walk.ts";
import type { TouchLog } from "./touch-log.ts";

/** What one entry takes on most disks, whatever is in it. */
const ENTRY_BYTES = 4096;

/** What all guards of one file system share. */
export class WriteLedger {
  maxWriteBytes: number;
  writtenBytes = 0;
  /** Names per inode, counted only for files whose every name this file system knows. */
  readonly names = new Map<string, number>();

  constructor(maxWriteBytes: number) {
    this.maxWriteBytes = maxWriteBytes;
  }
}

/** One per view of a file system. Places handed to it are canonical. */
export class WriteGuard {
  readonly #table: MountTable;
  readonly #ledger: WriteLedger;
  readonly #touched: TouchLog | undefined;

  constructor(table: MountTable, ledger: WriteLedger, touched: TouchLog | undefined) {
    this.#table = table;
    this.#ledger = ledger;
    this.#touched = touched;
  }

  /** Throws `EROFS` unless what stands or would stand here may change. */
  requireWritable(place: Place): void {
    const holder = place.in === "nowhere" ? place.parent : place;
    if (holder.in !== "mount" || !holder.mount.writable) throw new Failure("EROFS");
    if (this.#table.isReadOnly(place.path)) throw new Failure("EROFS");
    // The root of a nested mount, gone from the host: its name in the outer mount is not free.
    if (place.in === "nowhere" && this.#table.mountAt(place.path)) throw new Failure("ENOENT");
  }

  /**
   * Throws unless the entry itself may come, go or be replaced: `EBUSY` where that would move a mount point or
   * a read-only prefix, `EROFS` as `requireWritable`. A link put above a prefix would move it just as well.
   */
  requireReplaceable(place: Place): void {
    if (this.#table.isHeldInPlace(place.path)) throw new Failure("EBUSY");
    this.requireWritable(place);
  }

  /** Counts an entry about to be created: empty ones fill a disk too. */
  chargeEntry(): void {
    this.charge(ENTRY_BYTES);
  }

  /** Counts bytes about to be written. Throws `EDQUOT` when they would pass the limit. */
  charge(bytes: number): void {
    const { writtenBytes, maxWriteBytes } = this.#ledger;
    if (writtenBytes + bytes > maxWriteBytes) throw new Failure("EDQUOT");
    this.#ledger.writtenBytes = writtenBytes + bytes;
  }

  /**
   * To be called with all that an operation will change, after its checks and before it changes anything. A path
   * stands for all below it. Throws `Untold`: the operation is then begun anew.
   */
  touch(...paths: string[]): void {
    this.#touched?.require(paths);
  }

  /**
   * Whether every name of a file was made here. A file with another name may be one outside the mount, or a
   * protected one: it gets a copy of its own before it changes.
   */
  knowsAllNames(stats: Stats): boolean {
    return stats.nlink <= 1 || (this.#ledger.names.get(inodeKey(stats)) ?? 0) >= stats.nlink;
  }

  /** To be called after a hard link was made; `stats` are from before. */
  nameAdded(stats: Stats): void {
    if (this.knowsAllNames(stats)) this.#ledger.names.set(inodeKey(stats), stats.nlink + 1);
  }

  /** To be called after a name was removed or replaced; `stats` are from before. */
  nameRemoved(stats: Stats): void {
    const key = inodeKey(stats);
    const names = this.#ledger.names.get(key);
    if (names === undefined) return;
    if (stats.nlink <= 1) this.#ledger.names.delete(key);
    else this.#ledger.names.set(key, names - 1);
  }
}

function inodeKey(stats: Stats): string {
  return `${stats.dev}:${stats.ino}`;
}
