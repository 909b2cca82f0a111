/** `rename(2)` between places of the sandbox, across mounts too. */
import { isBelow, joinVirtualPath, parentOfVirtualPath } from "../shared/virtual-path.ts";
import { copyTree } from "./copy-tree.ts";
import { Failure, toErrno } from "./fs-error.ts";
import { temporaryPrefix } from "./host-file.ts";
import { type HostPath, listNames } from "./host-path.ts";
import { renameSync } from "./node-fs.ts";
import { hostOfMissing, type MountPlace, type Place, type WalkScope, walk } from "./path-walk.ts";
import { removeEntry } from "./remove-tree.ts";
import type { WriteGuard } from "./write-guard.ts";

const MOVING = `${temporaryPrefix}move`;

/**
 * Moves an entry, replacing what `rename(2)` would replace: a file or link by a file or link, an empty directory
 * by a directory. Between file systems it copies beside the destination, renames, then removes the source:
 * the destination is never seen half written.
 */
export function movePath(scope: WalkScope, guard: WriteGuard, from: string, to: string): void {
  const source = walk(scope, from, false);
  if (source.in === "nowhere") throw new Failure("ENOENT");
  const target = walk(scope, to, false);
  guard.requireReplaceable(source);
  guard.requireReplaceable(target);
  if (source.in !== "mount" || target.in === "base") throw new Failure("EROFS");
  if (source.path === target.path) return;
  if (isBelow(target.path, source.path)) throw new Failure("EINVAL");
  guard.touch(source.path, target.path);
  const host = target.in === "mount" ? target.host : hostOfMissing(target);
  const moved = renamed(source.host, host);
  if (!moved) {
    requireReplaceableKind(source, target);
    moveByCopy(scope, guard, source, target, host);
  }
  if (target.in === "mount") guard.nameRemoved(target.stats);
}

function renamed(from: HostPath, to: HostPath): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (toErrno(error) === "EXDEV") return false;
    throw error;
  }
}

function moveByCopy(
  scope: WalkScope,
  guard: WriteGuard,
  source: MountPlace,
  target: Place,
  host: HostPath,
): void {
  // One name for all moves: an operation that is begun anew has told it already. A killed one may have left it.
  const temporary = joinVirtualPath(parentOfVirtualPath(target.path), MOVING);
  guard.touch(temporary);
  const left = walk(scope, temporary, false);
  if (left.in === "mount") removeEntry(left.host, left.stats, guard);
  try {
    copyTree(scope, guard, source, temporary, { recursive: true, exact: true });
    const copy = walk(scope, temporary, false);
    if (copy.in === "mount") renameSync(copy.host, host);
  } catch (error) {
    const half = walk(scope, temporary, false);
    if (half.in === "mount") removeEntry(half.host, half.stats, guard);
    throw error;
  }
  removeEntry(source.host, source.stats, guard);
}

function requireReplaceableKind(source: MountPlace, target: Place): void {
  if (target.in !== "mount") return;
  if (source.stats.isDirectory()) {
    if (!target.stats.isDirectory()) throw new Failure("ENOTDIR");
    if (listNames(target.host).length > 0) throw new Failure("ENOTEMPTY");
  } else if (target.stats.isDirectory()) throw new Failure("EISDIR");
}
