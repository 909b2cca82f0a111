/** Directories of the index: entries by name, and what lies below those that are directories. */
import { joinVirtualPath } from "../shared/virtual-path.ts";
import type { Difference, TreeEntry } from "./tree-entry.ts";

/** One directory. */
export interface Directory {
  readonly entries: Map<string, TreeEntry>;
  readonly directories: Map<string, Directory>;
}

export function newDirectory(): Directory {
  return { entries: new Map(), directories: new Map() };
}

/** An entry for each path below a directory. */
export function* entriesBelow(
  directory: Directory,
  path: string,
): Generator<[path: string, entry: TreeEntry]> {
  for (const [name, entry] of directory.entries) {
    const at = joinVirtualPath(path, name);
    yield [at, entry];
    const below = directory.directories.get(name);
    if (below !== undefined) yield* entriesBelow(below, at);
  }
}

/** Takes an entry and all below it out of the index; returns how many that were. */
export function remove(
  directory: Directory,
  name: string,
  before: TreeEntry,
  path: string,
  changedAtMs: number,
  gone: Difference[],
): number {
  const at = joinVirtualPath(path, name);
  const below = removeBelow(directory, name, at, changedAtMs, gone);
  directory.entries.delete(name);
  gone.push({ path: at, before, after: undefined, changedAtMs });
  return below + 1;
}

/** As `remove`, for all that is below an entry. */
export function removeBelow(
  parent: Directory,
  name: string,
  path: string,
  changedAtMs: number,
  gone: Difference[],
): number {
  const directory = parent.directories.get(name);
  if (directory === undefined) return 0;
  parent.directories.delete(name);
  let removed = 0;
  for (const [child, before] of directory.entries)
    removed += remove(directory, child, before, path, changedAtMs, gone);
  return removed;
}
