/** One entry of a tracked tree as the host's disk shows it. Links are not followed, special files not opened. */
import type { Stats } from "node:fs";

/** Replaced, never changed: two entries of one path that are the same object are the same state. */
export interface TreeEntry {
  /** `other`: FIFO, socket or device; known, never opened, never reported. */
  readonly kind: "file" | "directory" | "symlink" | "other";
  readonly size: number;
  readonly mode: number;
  /** Milliseconds with a fraction: exact to 0.3 µs, far below the tick of any file system's clock. */
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly dev: number;
  readonly ino: number;
  /** Names of the inode. */
  readonly nlink: number;
  /** Lower-case hex; of files that were read. */
  readonly sha256: string | undefined;
  /** The file was read within the same tick of the clock as its last change: it could change again unseen. */
  readonly racy: boolean;
  /** As stored on disk; of links. */
  readonly linkTarget: string | undefined;
}

/** One path whose state is not what the index held; at least one of the two is there. */
export interface Difference {
  /** Inside the sandbox. */
  readonly path: string;
  readonly before: TreeEntry | undefined;
  readonly after: TreeEntry | undefined;
  /** By the clock of the file system; of a path that is gone, the last change of its directory. */
  readonly changedAtMs: number;
}

/** What is found out about an entry besides its stats. */
export interface Found {
  readonly sha256?: string | undefined;
  readonly racy?: boolean;
  readonly linkTarget?: string | undefined;
}

const nothingFound: Found = {};

/** An entry of what `lstat` says. */
export function toEntry(stats: Stats, found: Found = nothingFound): TreeEntry {
  return {
    kind: kindOf(stats),
    size: stats.size,
    mode: stats.mode & 0o7777,
    mtimeMs: stats.mtimeMs,
    ctimeMs: stats.ctimeMs,
    dev: stats.dev,
    ino: stats.ino,
    nlink: stats.nlink,
    sha256: found.sha256,
    racy: found.racy === true,
    linkTarget: found.linkTarget,
  };
}

/** Whether the inode is the same and was not changed: `ctime` moves with every change, and nobody can set it. */
export function isSameState(entry: TreeEntry, stats: Stats | TreeEntry): boolean {
  return (
    entry.ctimeMs === stats.ctimeMs &&
    entry.ino === stats.ino &&
    entry.size === stats.size &&
    entry.mtimeMs === stats.mtimeMs &&
    entry.dev === stats.dev
  );
}

/** Names an inode. */
export function inodeKey({ dev, ino }: { readonly dev: number; readonly ino: number }): string {
  return `${dev}:${ino}`;
}

/** By the bits of the mode: Node's own methods take three calls to look at one of them. */
export function kindOf({ mode }: Stats): TreeEntry["kind"] {
  switch (mode & 0o170000) {
    case 0o100000:
      return "file";
    case 0o040000:
      return "directory";
    case 0o120000:
      return "symlink";
    default:
      return "other";
  }
}
