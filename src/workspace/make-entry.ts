/** Directories, links, modes and times: changes of entries that touch no content. */
import { nameOfVirtualPath } from "../shared/virtual-path.ts";
import { Failure } from "./fs-error.ts";
import { makePrivate } from "./host-file.ts";
import { chmodSync, linkSync, mkdirSync, readlinkSync, symlinkSync, utimesSync } from "./node-fs.ts";
import {
  type ExistingPlace,
  existing,
  hostOfMissing,
  isDirectory,
  type MissingPlace,
  type MountPlace,
  step,
  type WalkScope,
  walk,
} from "./path-walk.ts";
import type { WriteGuard } from "./write-guard.ts";

/** `mkdir` and `mkdir -p`; mode `0o777` less the umask. */
export function makeDirectory(scope: WalkScope, guard: WriteGuard, path: string, recursive: boolean): void {
  // `mkdir name/` makes `name`: the slash would only make a link be followed, and a link is in the way here.
  const bare = path.replace(/(?<=.)\/+$/, "");
  const make = (missing: MissingPlace): ExistingPlace => {
    guard.requireWritable(missing);
    guard.touch(missing.path);
    guard.chargeEntry();
    mkdirSync(hostOfMissing(missing));
    return existing(step(scope, missing.parent, nameOfVirtualPath(missing.path)));
  };
  const place = walk(scope, bare, false, recursive ? make : undefined);
  if (place.in === "nowhere") {
    make(place);
    return;
  }
  if (!recursive) throw new Failure("EEXIST");
  const end = walk(scope, bare, true);
  if (end.in === "nowhere" || !isDirectory(end)) throw new Failure("EEXIST");
}

/** A symbolic link with the target as given. */
export function makeLink(scope: WalkScope, guard: WriteGuard, target: string, path: string): void {
  if (target === "" || target.includes("\0")) throw new Failure("ENOENT");
  const place = free(scope, path);
  guard.requireReplaceable(place);
  guard.touch(place.path);
  guard.chargeEntry();
  symlinkSync(target, hostOfMissing(place));
}

/**
 * A second name for a file of the same mount. The first must be writable too: through the second its content
 * could change. A link gets a twin with the same target, because some kernels would follow it here.
 */
export function makeHardLink(scope: WalkScope, guard: WriteGuard, source: ExistingPlace, path: string): void {
  const place = free(scope, path);
  if (isDirectory(source)) throw new Failure("EPERM");
  if (source.in !== "mount" || place.parent.in !== "mount" || place.parent.mount !== source.mount) {
    // The rights of the destination are the better reason where both stand in the way.
    guard.requireReplaceable(place);
    throw new Failure("EXDEV");
  }
  guard.requireWritable(source);
  guard.requireReplaceable(place);
  guard.touch(source.path, place.path);
  guard.chargeEntry();
  const host = hostOfMissing(place);
  if (source.stats.isSymbolicLink()) symlinkSync(readlinkSync(source.host, { encoding: "buffer" }), host);
  else if (source.stats.isFile()) {
    linkSync(source.host, host);
    guard.nameAdded(source.stats);
  } else throw new Failure("EPERM");
}

/** Sets permission bits and the sticky bit. */
export function changeMode(guard: WriteGuard, place: ExistingPlace, mode: number): void {
  guard.requireWritable(place);
  if (place.in !== "mount") throw new Failure("EROFS");
  touchFile(guard, place);
  makePrivate(place.host, place.stats, guard);
  chmodSync(place.host, mode & 0o1777);
}

/** Sets access and modification time; a device takes and forgets them. */
export function changeTimes(guard: WriteGuard, place: ExistingPlace, atime: Date, mtime: Date): void {
  if (place.in === "base" && place.node.kind === "device") return;
  guard.requireWritable(place);
  if (place.in !== "mount") throw new Failure("EROFS");
  touchFile(guard, place);
  makePrivate(place.host, place.stats, guard);
  utimesSync(place.host, atime, mtime);
}

/** Mode and times of a directory are in no record, and telling its path would mean all that is in it. */
function touchFile(guard: WriteGuard, place: MountPlace): void {
  if (!place.stats.isDirectory()) guard.touch(place.path);
}

function free(scope: WalkScope, path: string): MissingPlace {
  const place = walk(scope, path, false);
  if (place.in !== "nowhere") throw new Failure("EEXIST");
  return place;
}
