/**
 * Copies by the sandbox's own paths, so that mounts nested in the source are copied and rights are asked for
 * at each entry of the destination. Links are copied as links; FIFOs, sockets and devices are refused.
 */
import type { Stats } from "node:fs";
import { isAtOrBelow, nameOfVirtualPath } from "../shared/virtual-path.ts";
import { Failure } from "./fs-error.ts";
import { copyHostFile, NOT_REGULAR, writeHostFile } from "./host-file.ts";
import { listNames } from "./host-path.ts";
import { chmodSync, mkdirSync, readlinkSync, symlinkSync, unlinkSync, utimesSync } from "./node-fs.ts";
import {
  type ExistingPlace,
  existing,
  hostOfMissing,
  isDirectory,
  isLink,
  type MissingPlace,
  type MountPlace,
  type Place,
  step,
  type WalkScope,
  walk,
} from "./path-walk.ts";
import type { WriteGuard } from "./write-guard.ts";

/** How to copy. */
export interface CopyOptions {
  /** Copy directories with all in them. */
  readonly recursive: boolean;
  /** Keep modification times and all permission bits, also over what is there. */
  readonly exact: boolean;
}

/** Copies an entry to a path; a directory is merged into one that is there. Refusals by kind come before any change. */
export function copyTree(
  scope: WalkScope,
  guard: WriteGuard,
  source: ExistingPlace,
  destination: string,
  options: CopyOptions,
): void {
  if (isDirectory(source)) {
    if (!options.recursive) throw new Failure("EISDIR");
    const target = walk(scope, destination, true);
    if (isAtOrBelow(target.path, source.path)) throw new Failure("EINVAL");
  }
  refuseSpecialFiles(scope, source);
  const target = walk(scope, destination, !isLink(source));
  guard.touch(...touchedBy(scope, source, target));
  copyEntry(scope, guard, source, target, options);
}

/** The topmost entries that a copy changes. */
function touchedBy(scope: WalkScope, source: ExistingPlace, target: Place): string[] {
  if (target.in === "nowhere" || !isDirectory(source) || !isDirectory(target)) return [target.path];
  return namesIn(scope, source).flatMap((name) => {
    const child = step(scope, source, name);
    if (child.in === "nowhere") return [];
    return touchedBy(scope, child, throughLink(scope, child, step(scope, target, name)));
  });
}

function copyEntry(
  scope: WalkScope,
  guard: WriteGuard,
  source: ExistingPlace,
  target: Place,
  options: CopyOptions,
): void {
  if (isDirectory(source)) copyDirectory(scope, guard, source, target, options);
  else if (isLink(source)) copyLink(guard, source, target);
  else copyFile(guard, source, target, options);
}

function copyDirectory(
  scope: WalkScope,
  guard: WriteGuard,
  source: ExistingPlace,
  target: Place,
  options: CopyOptions,
): void {
  const isNew = target.in === "nowhere";
  const directory = isNew ? makeDirectory(scope, guard, target) : target;
  if (!isDirectory(directory)) throw new Failure("ENOTDIR", target.path);
  for (const name of namesIn(scope, source)) {
    const child = step(scope, source, name);
    if (child.in === "nowhere") continue;
    copyEntry(scope, guard, child, throughLink(scope, child, step(scope, directory, name)), options);
  }
  if (isNew && directory.in === "mount") setMode(directory, source, options);
}

/** A file is written through a link in its place, wherever in the sandbox that leads. */
function throughLink(scope: WalkScope, child: ExistingPlace, place: Place): Place {
  return place.in !== "nowhere" && isLink(place) && isFile(child) ? walk(scope, place.path, true) : place;
}

function makeDirectory(scope: WalkScope, guard: WriteGuard, place: MissingPlace): ExistingPlace {
  guard.requireWritable(place);
  guard.chargeEntry();
  // Open to us alone until it is filled: a mode without `w` would keep its own content out.
  mkdirSync(hostOfMissing(place), 0o700);
  return existing(step(scope, place.parent, nameOfVirtualPath(place.path)));
}

function copyFile(guard: WriteGuard, source: ExistingPlace, target: Place, options: CopyOptions): void {
  if (target.in !== "nowhere") {
    if (isDirectory(target)) throw new Failure("EISDIR", target.path);
    if (target.in === "mount" && !target.stats.isFile()) throw new Failure(NOT_REGULAR, target.path);
    if (source.in === "mount" && target.in === "mount" && isSameFile(source.stats, target.stats)) {
      throw new Failure("EINVAL");
    }
  }
  guard.requireWritable(target);
  if (target.in === "base") throw new Failure("EROFS");
  if (target.in === "nowhere") guard.chargeEntry();
  const host = target.in === "mount" ? target.host : hostOfMissing(target);
  if (source.in === "mount") {
    guard.charge(source.stats.size);
    copyHostFile(source.host, host, guard);
    if (target.in === "nowhere" || options.exact) {
      chmodSync(host, source.stats.mode & 0o777);
      if (options.exact) utimesSync(host, source.stats.atime, source.stats.mtime);
    }
  } else if (source.node.kind === "file") {
    guard.charge(source.node.bytes.length);
    writeHostFile(host, source.node.bytes, false, guard);
  }
}

function copyLink(guard: WriteGuard, source: ExistingPlace, target: Place): void {
  if (source.in !== "mount") throw new Failure("EINVAL");
  guard.requireReplaceable(target);
  if (target.in === "mount") {
    if (target.stats.isDirectory()) throw new Failure("EISDIR", target.path);
    if (isSameFile(source.stats, target.stats)) throw new Failure("EINVAL");
    unlinkSync(target.host);
    guard.nameRemoved(target.stats);
    symlinkSync(readlinkSync(source.host, { encoding: "buffer" }), target.host);
  } else if (target.in === "nowhere") {
    guard.chargeEntry();
    symlinkSync(readlinkSync(source.host, { encoding: "buffer" }), hostOfMissing(target));
  }
}

function setMode(directory: MountPlace, source: ExistingPlace, { exact }: CopyOptions): void {
  if (source.in !== "mount") {
    chmodSync(directory.host, 0o755);
    return;
  }
  chmodSync(directory.host, source.stats.mode & 0o1777);
  if (exact) utimesSync(directory.host, source.stats.atime, source.stats.mtime);
}

function refuseSpecialFiles(scope: WalkScope, place: ExistingPlace): void {
  if (isDirectory(place)) {
    for (const name of namesIn(scope, place)) {
      const child = step(scope, place, name);
      if (child.in !== "nowhere") refuseSpecialFiles(scope, child);
    }
  } else if (!isLink(place) && !isFile(place)) throw new Failure(NOT_REGULAR, place.path);
}

/** Names in a directory as the sandbox sees it: of the host, of the base tree and of mount points. */
export function namesIn({ table, base }: WalkScope, directory: ExistingPlace): string[] {
  const own = directory.in === "mount" ? listNames(directory.host) : base.namesIn(directory.path);
  const mounted = table.mountNamesIn(directory.path);
  return mounted.length === 0 ? own : [...new Set([...own, ...mounted])].sort();
}

function isFile(place: ExistingPlace): boolean {
  return place.in === "mount" ? place.stats.isFile() : place.node.kind === "file";
}

function isSameFile(a: Stats, b: Stats): boolean {
  return a.dev === b.dev && a.ino === b.ino;
}
