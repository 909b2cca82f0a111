/** One entry of the disk beside what was known of it: the same object as long as nothing that counts has changed. */
import type { Stats } from "node:fs";
import { decodeName, type HostPath } from "./host-path.ts";
import { lstatSync, readlinkSync } from "./node-fs.ts";
import { isSameState, type TreeEntry, toEntry } from "./tree-entry.ts";

/** `undefined` for what is not there; `"closed"` where we may not look. */
export function lstat(host: HostPath): Stats | "closed" | undefined {
  try {
    return lstatSync(host, { throwIfNoEntry: false });
  } catch {
    return "closed";
  }
}

/** The entry of a file that need not be read. */
export function knownFile(
  stats: Stats,
  before: TreeEntry | undefined,
  reading: "all" | "new" | "none",
): TreeEntry | undefined {
  const known = before?.kind === "file" && isSameState(before, stats) ? before : undefined;
  if (reading === "none") return known === undefined ? toEntry(stats) : withStats(known, stats);
  if (known === undefined || known.racy) return undefined;
  return reading === "new" || known.sha256 !== undefined ? withStats(known, stats) : undefined;
}

/** The entry as known, or a new one when names or mode of its inode have changed. */
export function withStats(known: TreeEntry, stats: Stats): TreeEntry {
  return known.nlink === stats.nlink && known.mode === (stats.mode & 0o7777) ? known : toEntry(stats, known);
}

/** A directory, link or special file; the entry of before when nothing that counts has changed. */
export function otherEntry(
  host: HostPath,
  stats: Stats,
  before: TreeEntry | undefined,
): TreeEntry | undefined {
  if (stats.isDirectory() && before?.kind === "directory") return before;
  if (!stats.isSymbolicLink()) {
    return before !== undefined && isSameState(before, stats) ? before : toEntry(stats);
  }
  if (before?.kind === "symlink" && isSameState(before, stats)) return before;
  try {
    return toEntry(stats, { linkTarget: decodeName(readlinkSync(host, { encoding: "buffer" })) });
  } catch {
    return undefined; // gone since its directory was listed
  }
}
