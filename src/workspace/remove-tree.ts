/** Removal of what a walk has found. Works on the host's entries and follows no link. */
import type { Stats } from "node:fs";
import { Failure, toErrno } from "./fs-error.ts";
import { type HostPath, joinHostPath, listNames } from "./host-path.ts";
import { lstatSync, rmdirSync, unlinkSync } from "./node-fs.ts";
import { type ExistingPlace, type Place, type WalkScope, walk } from "./path-walk.ts";
import type { WriteGuard } from "./write-guard.ts";

/** What `rm` may do. */
export interface RemoveOptions {
  /** Remove directories with what is in them; without it, only empty ones go. @default false */
  readonly recursive?: boolean;
  /** A missing path is no error. @default false */
  readonly force?: boolean;
}

/**
 * Removes a path. What holds a mount point or a read-only prefix stays as it is (`EBUSY`); the root of a
 * writable mount is emptied first, as a kernel would do it.
 */
export function removePath(scope: WalkScope, guard: WriteGuard, path: string, options: RemoveOptions): void {
  const place = find(scope, path, options.force === true);
  if (place === undefined) return;
  if (place.in === "mount" && options.recursive && isPlainMountRoot(scope, place)) {
    guard.requireWritable(place);
    guard.touch(place.path);
    emptyDirectory(place.host, guard);
    throw new Failure("EBUSY");
  }
  guard.requireReplaceable(place);
  if (place.in !== "mount") throw new Failure("EROFS");
  guard.touch(place.path);
  if (options.recursive) removeEntry(place.host, place.stats, guard);
  else if (place.stats.isDirectory()) rmdirSync(place.host);
  else unlink(place.host, place.stats, guard);
}

/** Removes an entry of the host with all below it. */
export function removeEntry(host: HostPath, stats: Stats, guard: WriteGuard): void {
  if (!stats.isDirectory()) {
    unlink(host, stats, guard);
    return;
  }
  emptyDirectory(host, guard);
  rmdirSync(host);
}

function emptyDirectory(host: HostPath, guard: WriteGuard): void {
  for (const name of listNames(host)) {
    const child = joinHostPath(host, name);
    const stats = lstatSync(child, { throwIfNoEntry: false });
    if (stats !== undefined) removeEntry(child, stats, guard);
  }
}

function unlink(host: HostPath, stats: Stats, guard: WriteGuard): void {
  unlinkSync(host);
  guard.nameRemoved(stats);
}

function find(scope: WalkScope, path: string, force: boolean): ExistingPlace | undefined {
  let place: Place;
  try {
    place = walk(scope, path, false);
  } catch (error) {
    if (force && ["ENOENT", "ENOTDIR"].includes(toErrno(error))) return undefined;
    throw error;
  }
  if (place.in !== "nowhere") return place;
  if (force) return undefined;
  throw new Failure("ENOENT");
}

function isPlainMountRoot({ table }: WalkScope, { path }: ExistingPlace): boolean {
  return table.mountAt(path) !== undefined && !table.hasHeldBelow(path);
}
