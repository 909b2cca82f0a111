/**
 * Index of the tracked mounts from the host's own view: what lies on disk, whoever put it there. Links are
 * not followed and special files are not opened. Used by the side that reports changes, never by a script.
 *
 * Content is compared by digest. A digest is kept as long as (dev, ino, size, mtime, ctime) stay equal, so
 * a walk of an unchanged tree reads no file. A file whose ctime was younger than `RACY_NS` when it was read
 * could change once more within the same clock tick and look untouched: it is read again by the next walk.
 */
import { Buffer } from "node:buffer";
import type { BigIntStats } from "node:fs";
import nodePath from "node:path";
import { isAtOrBelow, isBelow, joinVirtualPath } from "../shared/virtual-path.ts";
import type { HarnessMount } from "../shared/workspace-spec.ts";
import { digestFile } from "./digest-file.ts";
import { decodeName, type HostPath, joinHostPath, listNames } from "./host-path.ts";
import { lstatSync, readlinkSync, realpathSync } from "./node-fs.ts";

/** One entry of a tracked tree. */
export interface TreeEntry {
  /** `other`: FIFO, socket or device; known, never opened, never reported. */
  readonly kind: "file" | "directory" | "symlink" | "other";
  readonly size: number;
  readonly mode: number;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly dev: bigint;
  readonly ino: bigint;
  /** Lower-case hex; absent when the file could not be read, and for all but files. */
  readonly sha256?: string;
  /** As stored on disk. */
  readonly linkTarget?: string;
}

/** State of the tracked mounts: path inside the sandbox → entry. The mount points themselves are not in it. */
export type Tree = ReadonlyMap<string, TreeEntry>;

/** A tracked mount, and what belongs to other mounts below it. */
export interface TrackedMount {
  /** Path inside the sandbox. */
  readonly path: string;
  readonly backingPath: string;
  /** Paths inside the sandbox where another mount lies over this one. */
  readonly excluded: readonly string[];
}

/** The tracked mounts of a workspace, each without the places that nested mounts cover. */
export function trackedMounts(mounts: readonly HarnessMount[]): TrackedMount[] {
  return mounts
    .filter((mount) => mount.tracked)
    .map(({ path, backingPath }) => ({
      path,
      backingPath,
      excluded: mounts.filter((other) => isBelow(other.path, path)).map((other) => other.path),
    }));
}

// Linux stamps files by a clock that ticks every 1 to 10 ms.
const RACY_NS = 20_000_000n;
/** Work between two pauses of `walkInPieces`: about 3 ms of lstat calls, or one block of a large file. */
const ENTRIES_PER_PIECE = 500;

interface Digest {
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly sha256: string | undefined;
  readonly racy: boolean;
}

/** Keeps the digests between walks. One per sandbox. */
export class TreeIndex {
  readonly #mounts: readonly { path: string; host: string; excluded: ReadonlySet<string> }[];
  #digests = new Map<string, Digest>();
  #tree: Tree = new Map();
  #filesRead = 0;

  /** The backing directories are resolved once, here; one that is gone is an empty tree until it is back. */
  constructor(mounts: readonly TrackedMount[]) {
    this.#mounts = mounts.map(({ path, backingPath, excluded }) => {
      let host = backingPath;
      try {
        host = realpathSync(backingPath);
      } catch {
        // Not there now: walked under the name given.
      }
      return { path, host, excluded: new Set(excluded) };
    });
  }

  /** The tree as the last walk found it; empty before the first. */
  get tree(): Tree {
    return this.#tree;
  }

  /** Files read for their digest since construction. */
  get filesRead(): number {
    return this.#filesRead;
  }

  /** Walks all tracked mounts. Blocks the event loop meanwhile: about 10 µs an entry, plus reading what changed. */
  walk(): Tree {
    const walk = this.#walkAll();
    for (;;) {
      const step = walk.next();
      if (step.done) return step.value;
    }
  }

  /** As `walk`, giving way to other work of this process in between. */
  async walkInPieces(): Promise<Tree> {
    const walk = this.#walkAll();
    for (;;) {
      const step = walk.next();
      if (step.done) return step.value;
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }

  /** The last tree with everything at and below these paths looked at anew, also where another mount shows it. */
  walkBelow(paths: readonly string[]): Tree {
    const tree = new Map(this.#tree);
    for (const place of this.#placesOf(paths)) {
      for (const path of tree.keys()) if (isAtOrBelow(path, place.path)) tree.delete(path);
      const pending: Place[] = [];
      // A mount point itself is in no tree, only what lies below it.
      if (this.#mounts.some((mount) => mount.path === place.path)) this.#list(place, pending);
      else pending.push(place);
      for (let next = pending.pop(); next; next = pending.pop())
        this.#visit(next, tree, this.#digests, pending);
    }
    this.#tree = tree;
    return tree;
  }

  *#walkAll(): Generator<void, Tree> {
    const tree = new Map<string, TreeEntry>();
    // Digests of files that are gone end with the map that held them.
    const digests = new Map<string, Digest>();
    let visited = 0;
    for (const { path, host, excluded } of this.#mounts) {
      const pending: Place[] = [];
      this.#list({ path, host, excluded }, pending);
      for (let next = pending.pop(); next; next = pending.pop()) {
        const readBefore = this.#filesRead;
        this.#visit(next, tree, digests, pending);
        visited++;
        if (visited % ENTRIES_PER_PIECE === 0 || this.#filesRead !== readBefore) yield;
      }
    }
    this.#digests = digests;
    this.#tree = tree;
    return tree;
  }

  #visit(place: Place, tree: Map<string, TreeEntry>, digests: Map<string, Digest>, pending: Place[]): void {
    if (place.excluded.has(place.path)) return;
    let stats: BigIntStats | undefined;
    let linkTarget: string | undefined;
    try {
      stats = lstatSync(place.host, { bigint: true, throwIfNoEntry: false });
      if (stats?.isSymbolicLink()) linkTarget = decodeName(readlinkSync(place.host, { encoding: "buffer" }));
    } catch {
      return; // gone or closed to us since its directory was listed
    }
    if (stats === undefined) return;
    const entry = stats.isFile()
      ? this.#fileEntry(place.host, stats, digests)
      : toEntry(stats, { linkTarget });
    if (entry === undefined) return;
    const known = this.#tree.get(place.path);
    // The same object for the same state: a comparison of two trees skips it at once.
    tree.set(place.path, known !== undefined && isSameEntry(known, entry) ? known : entry);
    if (entry.kind === "directory") this.#list(place, pending);
  }

  #list(place: Place, pending: Place[]): void {
    try {
      for (const name of listNames(place.host)) {
        const path = joinVirtualPath(place.path, name);
        pending.push({ path, host: joinHostPath(place.host, name), excluded: place.excluded });
      }
    } catch {
      // Gone since it was seen, or not ours to list: no entries.
    }
  }

  #fileEntry(host: HostPath, seen: BigIntStats, digests: Map<string, Digest>): TreeEntry | undefined {
    const key = `${seen.dev}:${seen.ino}`;
    // This walk's own digest first: a file seen under two names or mounts is read once, racy or not.
    const fresh = digests === this.#digests ? undefined : digests.get(key);
    const kept = fresh ?? this.#digests.get(key);
    if (kept !== undefined && (kept === fresh || !kept.racy) && isSameContent(kept, seen)) {
      digests.set(key, kept);
      return toEntry(seen, { sha256: kept.sha256 });
    }
    const startNs = BigInt(Date.now()) * 1_000_000n;
    const read = digestFile(host);
    this.#filesRead++;
    if (read === "gone") return undefined;
    // The opened file speaks for itself: another one may have taken the name since lstat.
    const stats = read.stats ?? seen;
    const { size, mtimeNs, ctimeNs } = stats;
    const racy = ctimeNs >= startNs - RACY_NS;
    digests.set(`${stats.dev}:${stats.ino}`, { size, mtimeNs, ctimeNs, sha256: read.sha256, racy });
    return toEntry(stats, { sha256: read.sha256 });
  }

  /** Where the mounts show these paths: each under its own name, and mounts whose directory lies below one. */
  #placesOf(paths: readonly string[]): Place[] {
    const places = new Map<string, Place>();
    for (const path of paths) {
      const owner = this.#mounts
        .filter((mount) => isAtOrBelow(path, mount.path))
        .sort((a, b) => b.path.length - a.path.length)[0];
      if (owner === undefined) continue;
      const inside = path.slice(owner.path.length).split("/").filter(Boolean);
      const host = inside.reduce<HostPath>(joinHostPath, owner.host);
      for (const mount of this.#mounts) {
        const below = innerNames(host, mount.host);
        if (below !== undefined) {
          const seenAs = below.reduce(joinVirtualPath, mount.path);
          places.set(seenAs, { path: seenAs, host, excluded: mount.excluded });
        } else if (innerNames(mount.host, host) !== undefined) {
          places.set(mount.path, { path: mount.path, host: mount.host, excluded: mount.excluded });
        }
      }
    }
    return [...places.values()];
  }
}

interface Place {
  readonly path: string;
  readonly host: HostPath;
  readonly excluded: ReadonlySet<string>;
}

/** Names that lead from a directory of the host to a path at or below it. */
function innerNames(host: HostPath, directory: HostPath): string[] | undefined {
  const to = decodeName(Buffer.from(host)).split(nodePath.sep);
  const from = decodeName(Buffer.from(directory)).split(nodePath.sep);
  return from.every((name, index) => to[index] === name) ? to.slice(from.length) : undefined;
}

function toEntry(
  stats: BigIntStats,
  found: { sha256?: string | undefined; linkTarget?: string | undefined },
): TreeEntry {
  const { mtimeNs, ctimeNs, dev, ino } = stats;
  const kind = stats.isFile()
    ? "file"
    : stats.isDirectory()
      ? "directory"
      : stats.isSymbolicLink()
        ? "symlink"
        : "other";
  return {
    kind,
    size: Number(stats.size),
    mode: Number(stats.mode & 0o7777n),
    mtimeNs,
    ctimeNs,
    dev,
    ino,
    ...(found.sha256 !== undefined && { sha256: found.sha256 }),
    ...(found.linkTarget !== undefined && { linkTarget: found.linkTarget }),
  };
}

function isSameContent(kept: Digest, seen: BigIntStats): boolean {
  return kept.size === seen.size && kept.mtimeNs === seen.mtimeNs && kept.ctimeNs === seen.ctimeNs;
}

function isSameEntry(a: TreeEntry, b: TreeEntry): boolean {
  return (
    a.kind === b.kind &&
    a.size === b.size &&
    a.mode === b.mode &&
    a.mtimeNs === b.mtimeNs &&
    a.ctimeNs === b.ctimeNs &&
    a.ino === b.ino &&
    a.dev === b.dev &&
    a.sha256 === b.sha256 &&
    a.linkTarget === b.linkTarget
  );
}
