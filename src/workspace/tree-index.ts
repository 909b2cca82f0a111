/**
 * What lies in the tracked mounts, from the host's own view, kept from one look to the next. A look visits what
 * lies at and below some paths, brings the index up to date there, and tells what was different: its cost follows
 * those paths and not the size of the trees. Used by the side that reports changes, never by a script.
 * Content is compared by digest.
 */
import type { Stats } from "node:fs";
import { isBelow, joinVirtualPath } from "../shared/virtual-path.ts";
import type { HarnessMount } from "../shared/workspace-spec.ts";
import { type Deadline, DigestCache } from "./digest-cache.ts";
import { knownFile, lstat, otherEntry } from "./entry-states.ts";
import { FileNames, hasSeveral } from "./file-names.ts";
import { toErrno } from "./fs-error.ts";
import { type HostPath, joinHostPath, readNames } from "./host-path.ts";
import { type Directory, entriesBelow, newDirectory, remove, removeBelow } from "./index-directory.ts";
import { TrackedPlaces } from "./tracked-places.ts";
import { type Difference, inodeKey, kindOf, type TreeEntry } from "./tree-entry.ts";

/**
 * Which files a look reads, so that it has their digests: `all`, or those whose state is `new` to the index. A
 * digest that stands is not made again.
 */
export type Reading = "all" | "new";

/** A look under way: pauses so that others may run. */
export type Look = Generator<void, void>;

/** Entries between two pauses: about 3 ms of lstat calls. */
const ENTRIES_PER_PIECE = 500;

/** A directory of the index, and where it is. */
interface Position {
  readonly directory: Directory;
  readonly path: string;
  readonly host: HostPath;
  readonly excluded: ReadonlySet<string>;
}

/** A file whose content has to be read. */
interface Unread {
  readonly host: HostPath;
  readonly stats: Stats;
  readonly before: TreeEntry | undefined;
}

/** What one look has found out so far. */
interface Finding extends Deadline {
  /** `none`: this is the first look, which reads nothing and tells no differences. */
  readonly reading: Reading | "none";
  readonly differences: Difference[];
  /** Directories that are still to be listed. */
  readonly pending: Position[];
  /** Paths at which this look has started. */
  readonly started: Set<string>;
  visited: number;
}

/** One per sandbox. */
export class TreeIndex {
  readonly places: TrackedPlaces;
  readonly #roots = new Map<string, Directory>();
  readonly #digests = new DigestCache();
  readonly #names = new FileNames();
  #size = 0;

  /** Every mount of the workspace: the untracked ones may show a tracked one's directory under another path. */
  constructor(mounts: readonly HarnessMount[]) {
    this.places = new TrackedPlaces(mounts);
    for (const { path } of this.places.roots) this.#roots.set(path, newDirectory());
  }

  /** Entries in the index. */
  get size(): number {
    return this.#size;
  }

  /** Files read for their digest since construction. */
  get filesRead(): number {
    return this.#digests.filesRead;
  }

  /** Learns what is there, without reading a file: about as long as a walk with `lstat` alone. */
  learn(): Look {
    const roots = this.places.roots.map(({ path }) => path);
    return this.#look(roots, "none", [], 0);
  }

  /**
   * Looks at and below paths, and at every other place that shows the same files. What is different from the last
   * look is put into `differences`, at once: a look that is given up has still brought the index so far.
   *
   * @param readUntilMs by `performance.now()`; files that are not read by then get no digest
   */
  look(
    paths: Iterable<string>,
    reading: Reading,
    differences: Difference[],
    readUntilMs = Number.POSITIVE_INFINITY,
  ): Look {
    return this.#look(paths, reading, differences, readUntilMs);
  }

  /** Other paths that show what is at a path: in other mounts, and as other names of the same file. */
  namesOf(path: string): string[] {
    const shown = this.places.of(path).map(({ root, names }) => names.reduce(joinVirtualPath, root.path));
    return [...shown, ...this.#names.of(this.entryAt(path))].filter((other) => other !== path);
  }

  /** The entry of a path of a tracked mount. */
  entryAt(path: string): TreeEntry | undefined {
    const place = this.places.of(path).find(({ root }) => isBelow(path, root.path));
    if (place === undefined) return undefined;
    let directory = this.#roots.get(place.root.path);
    for (const name of place.names.slice(0, -1)) directory = directory?.directories.get(name);
    return directory?.entries.get(place.names.at(-1) ?? "");
  }

  /** What the index holds at and below paths, in every mount that shows them. */
  *entries(paths: Iterable<string>): Generator<[path: string, entry: TreeEntry]> {
    for (const path of paths) {
      for (const { root, names } of this.places.of(path)) {
        let [directory, at] = [this.#roots.get(root.path), root.path];
        for (const [index, name] of names.entries()) {
          const entry = directory?.entries.get(name);
          at = joinVirtualPath(at, name);
          if (index === names.length - 1 && entry !== undefined) yield [at, entry];
          directory = directory?.directories.get(name);
        }
        if (directory !== undefined) yield* entriesBelow(directory, at);
      }
    }
  }

  *#look(
    paths: Iterable<string>,
    reading: Finding["reading"],
    differences: Difference[],
    readUntilMs: number,
  ): Look {
    const look: Finding = {
      reading,
      differences,
      readUntilMs,
      readNow: new Set(),
      pending: [],
      started: new Set(),
      visited: 0,
    };
    let waiting = [...paths];
    // A look may meet files with other names, whose looks may meet others.
    while (waiting.length > 0) {
      const known = differences.length;
      for (const path of waiting) yield* this.#startAt(path, look);
      for (let next = look.pending.pop(); next !== undefined; next = look.pending.pop())
        yield* this.#list(next, look);
      const found = differences.slice(known);
      yield* this.#noteNames(found);
      waiting = found
        .flatMap(({ before, after }) => [...this.#names.of(before), ...this.#names.of(after)])
        .filter((path) => !look.started.has(path));
    }
    for (const { before } of differences) this.#digests.forget(before);
  }

  /** Starts at the path, or at the first directory above it that is not what the index takes it for. */
  *#startAt(path: string, look: Finding): Generator<void> {
    for (const { root, names } of this.places.of(path)) {
      const { excluded } = root;
      let position: Position = {
        directory: this.#roots.get(root.path) ?? newDirectory(),
        path: root.path,
        host: root.host,
        excluded,
      };
      let start: string | undefined;
      for (const [index, name] of names.entries()) {
        const at = joinVirtualPath(position.path, name);
        const host = joinHostPath(position.host, name);
        const next = position.directory.directories.get(name);
        if (index === names.length - 1 || next === undefined || !isDirectory(host)) {
          start = name;
          break;
        }
        position = { directory: next, path: at, host, excluded };
      }
      const at = start === undefined ? position.path : joinVirtualPath(position.path, start);
      if (look.started.has(at)) continue;
      look.started.add(at);
      // A mount point itself is in no tree, only what lies below it.
      if (start === undefined) look.pending.push(position);
      else {
        const unread = this.#visit(position, start, look);
        if (unread !== undefined) yield* this.#read(position, start, unread, look);
      }
    }
  }

  *#list(position: Position, look: Finding): Generator<void> {
    const { directory, path, host } = position;
    let names: string[];
    try {
      names = readNames(host);
    } catch (error) {
      // Not ours to list: what was known of it stands. Else it is gone since it was seen.
      if (!["ENOENT", "ENOTDIR"].includes(toErrno(error))) return;
      names = [];
    }
    if (directory.entries.size > 0) {
      const present = new Set(names);
      let removedAtMs: number | undefined;
      for (const [name, before] of directory.entries) {
        if (present.has(name)) continue;
        removedAtMs ??= changedAt(host);
        this.#size -= remove(directory, name, before, path, removedAtMs, look.differences);
      }
    }
    for (const name of names) {
      if (++look.visited % ENTRIES_PER_PIECE === 0) yield;
      const unread = this.#visit(position, name, look);
      if (unread !== undefined) yield* this.#read(position, name, unread, look);
    }
  }

  /** Not a generator itself: one for each entry would double the time of the first look. */
  #visit(position: Position, name: string, look: Finding): Unread | undefined {
    const { directory, excluded } = position;
    const host = joinHostPath(position.host, name);
    const before = directory.entries.get(name);
    const isCovered = excluded.size > 0 && excluded.has(joinVirtualPath(position.path, name));
    const stats = isCovered ? undefined : lstat(host);
    // In a directory that may be listed and not searched: what was known of it stands.
    if (stats === "closed") return undefined;
    let after: TreeEntry | undefined;
    if (stats !== undefined && kindOf(stats) === "file") {
      after = knownFile(stats, before, look.reading);
      if (after === undefined) return { host, stats, before };
    } else if (stats !== undefined) after = otherEntry(host, stats, before);
    if (after !== before) this.#put(position, name, before, after, look);
    if (after?.kind === "directory") {
      let below = directory.directories.get(name);
      if (below === undefined) {
        below = newDirectory();
        directory.directories.set(name, below);
      }
      look.pending.push({ directory: below, path: joinVirtualPath(position.path, name), host, excluded });
    }
    return undefined;
  }

  *#read(position: Position, name: string, { host, stats, before }: Unread, look: Finding): Generator<void> {
    const after = yield* this.#digests.read(host, stats, before, look);
    if (after !== before) this.#put(position, name, before, after, look);
  }

  #put(
    { directory, path, host }: Position,
    name: string,
    before: TreeEntry | undefined,
    after: TreeEntry | undefined,
    look: Finding,
  ): void {
    if (after === undefined) directory.entries.delete(name);
    else directory.entries.set(name, after);
    this.#size += Number(after !== undefined) - Number(before !== undefined);
    const hasNames = after !== undefined && hasSeveral(after);
    const isFirst = look.reading === "none";
    if (isFirst && !hasNames) return;
    const at = joinVirtualPath(path, name);
    if (hasNames) this.#names.note(at, after);
    if (isFirst) return;
    const changedAtMs = after?.ctimeMs ?? changedAt(host);
    if (before?.kind === "directory")
      this.#size -= removeBelow(directory, name, at, changedAtMs, look.differences);
    look.differences.push({ path: at, before, after, changedAtMs });
  }

  /** A file that was found with more names than are noted may be in the index as one that has a single name. */
  *#noteNames(found: readonly Difference[]): Generator<void> {
    const linked = found.map(({ after }) => after).filter((after) => this.#names.mayHaveMore(after));
    if (linked.length === 0) return;
    const keys = new Set(linked.map(inodeKey));
    let seen = 0;
    for (const [path, entry] of this.entries(this.#roots.keys())) {
      if (++seen % ENTRIES_PER_PIECE === 0) yield;
      if (entry.kind === "file" && keys.has(inodeKey(entry))) this.#names.note(path, entry);
    }
  }
}

function isDirectory(host: HostPath): boolean {
  const stats = lstat(host);
  return stats !== undefined && stats !== "closed" && stats.isDirectory();
}

/** When a directory was changed last. */
function changedAt(directory: HostPath): number {
  const stats = lstat(directory);
  return stats === undefined || stats === "closed" ? Date.now() : stats.mtimeMs;
}
