/**
 * Every right to change something is asked for here, whichever door the change comes through. Also counts
 * the bytes written, says what was touched, and knows which hard links this file system made itself.
 */
import type { Stats } from "node:fs";
import { Failure } from "./fs-error.ts";
import type { MountTable } from "./mount-table.ts";
import type { Place } from "./path-walk.ts";

/** What one entry takes on most disks, whatever is in it. */
const ENTRY_BYTES = 4096;

/** What a guard is given. */
export interface WriteGuardOptions {
  readonly table: MountTable;
  readonly maxWriteBytes: number;
  onTouch(path: string): void;
}

/** One per file system. Places handed to it are canonical. */
export class WriteGuard {
  readonly #table: MountTable;
  readonly #maxWriteBytes: number;
  readonly #onTouch: (path: string) => void;
  #writtenBytes = 0;
  // Names per inode, counted only for files whose every name this file system knows.
  readonly #names = new Map<string, number>();

  constructor({ table, maxWriteBytes, onTouch }: WriteGuardOptions) {
    this.#table = table;
    this.#maxWriteBytes = maxWriteBytes;
    this.#onTouch = onTouch;
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

  /** Begins to count from zero. */
  forgetWritten(): void {
    this.#writtenBytes = 0;
  }

  /** Counts an entry about to be created: empty ones fill a disk too. */
  chargeEntry(): void {
    this.charge(ENTRY_BYTES);
  }

  /** Counts bytes about to be written. Throws `EDQUOT` when they would pass the limit. */
  charge(bytes: number): void {
    if (this.#writtenBytes + bytes > this.#maxWriteBytes) throw new Failure("EDQUOT");
    this.#writtenBytes += bytes;
  }

  /** Says that something at this path was changed. */
  touch(path: string): void {
    this.#onTouch(path);
  }

  /**
   * Whether every name of a file was made here. A file with another name may be one outside the mount, or a
   * protected one: it gets a copy of its own before it changes.
   */
  knowsAllNames(stats: Stats): boolean {
    return stats.nlink <= 1 || (this.#names.get(inodeKey(stats)) ?? 0) >= stats.nlink;
  }

  /** To be called after a hard link was made; `stats` are from before. */
  nameAdded(stats: Stats): void {
    if (this.knowsAllNames(stats)) this.#names.set(inodeKey(stats), stats.nlink + 1);
  }

  /** To be called after a name was removed or replaced; `stats` are from before. */
  nameRemoved(stats: Stats): void {
    const key = inodeKey(stats);
    const names = this.#names.get(key);
    if (names === undefined) return;
    if (stats.nlink <= 1) this.#names.delete(key);
    else this.#names.set(key, names - 1);
  }
}

function inodeKey(stats: Stats): string {
  return `${stats.dev}:${stats.ino}`;
}
