/**
 * The digests of files that were read, by inode. A digest stands as long as inode, size, mtime and ctime are the
 * same; a file that was read within a tick of its last change could change once more unseen, and is read again.
 */
import type { Stats } from "node:fs";
import { digestFile } from "./digest-file.ts";
import { withStats } from "./entry-states.ts";
import type { HostPath } from "./host-path.ts";
import { inodeKey, isSameState, type TreeEntry, toEntry } from "./tree-entry.ts";

/** What bounds the reading of one look. */
export interface Deadline {
  /** By `performance.now()`; a file that is not read by then has no digest. */
  readonly readUntilMs: number;
  /** Inodes read by this look. */
  readonly readNow: Set<string>;
}

// Linux stamps files by a clock that ticks every 1 to 10 ms.
const TICK_MS = 20;

/** One per index. */
export class DigestCache {
  /** A file keeps its digest when a directory above it is renamed. */
  readonly #digests = new Map<string, TreeEntry>();
  /** Since construction. */
  filesRead = 0;

  /** The entry of a file with its digest, read if it must be; `undefined` when it is gone. */
  *read(
    host: HostPath,
    seen: Stats,
    before: TreeEntry | undefined,
    { readNow, readUntilMs }: Deadline,
  ): Generator<void, TreeEntry | undefined> {
    const key = inodeKey(seen);
    const known = before?.kind === "file" && isSameState(before, seen) ? before : undefined;
    const read = this.#digests.get(key);
    // A file with several names is read once in one look, however fresh it is.
    if (read !== undefined && isSameState(read, seen) && (!read.racy || readNow.has(key))) {
      if (known !== undefined && known.sha256 === read.sha256) return withStats(known, seen);
      return this.#keep(key, toEntry(seen, read));
    }
    const startMs = Date.now();
    const found = yield* digestFile(host, readUntilMs);
    // As good as racy: whoever has more time reads it.
    if (found === "late") return toEntry(seen, { racy: true });
    this.filesRead++;
    readNow.add(key);
    if (found === "gone") return undefined;
    // The opened file speaks for itself: another one may have taken the name since lstat.
    const stats = found.stats ?? seen;
    const racy = stats.ctimeMs >= startMs - TICK_MS;
    const { sha256 } = found;
    if (known !== undefined && known.sha256 === sha256 && known.racy === racy && isSameState(known, stats))
      return withStats(known, stats);
    return this.#keep(inodeKey(stats), toEntry(stats, { sha256, racy }));
  }

  #keep(key: string, entry: TreeEntry): TreeEntry {
    if (entry.sha256 !== undefined) this.#digests.set(key, entry);
    return entry;
  }

  /** A path is not in the index any more. */
  forget(before: TreeEntry | undefined): void {
    if (before === undefined) return;
    const key = inodeKey(before);
    if (this.#digests.get(key) === before) this.#digests.delete(key);
  }
}
