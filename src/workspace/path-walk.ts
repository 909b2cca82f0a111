/**
 * Finds what a path means, one component at a time. Links are read here and interpreted in the sandbox's
 * own names, whoever made them, so none leads out; the kernel is never asked to follow one. `..` is taken
 * after links, as a kernel does, and the root is its own parent.
 *
 * Not defended here: another process that writes to the same host directory may swap a component between
 * this look and the use of its answer. Within one sandbox nothing can, because look and use are one
 * synchronous step.
 */
import type { Stats } from "node:fs";
import { joinVirtualPath, nameOfVirtualPath } from "../shared/virtual-path.ts";
import type { BaseNode, BaseTree } from "./base-tree.ts";
import { deepDirectory } from "./deep-walk.ts";
import { Failure } from "./fs-error.ts";
import { decodeName, type HostPath, joinHostPath } from "./host-path.ts";
import type { Mount, MountTable } from "./mount-table.ts";
import { lstatSync, readlinkSync } from "./node-fs.ts";

/** What stands at a path, or would. `path` is canonical: no links, no `.` or `..`. */
export type Place =
  | {
      readonly in: "mount";
      readonly path: string;
      readonly mount: Mount;
      readonly host: HostPath;
      readonly stats: Stats;
    }
  | { readonly in: "base"; readonly path: string; readonly node: BaseNode }
  | { readonly in: "nowhere"; readonly path: string; readonly parent: ExistingPlace };

/** A place where something is. */
export type ExistingPlace = Exclude<Place, { in: "nowhere" }>;

/** A place on the host where something is. */
export type MountPlace = Extract<Place, { in: "mount" }>;

/** A place where nothing is, in a directory that is there. */
export type MissingPlace = Extract<Place, { in: "nowhere" }>;

const MAX_LINKS = 40;

/** What a walk needs to know. */
export interface WalkScope {
  readonly table: MountTable;
  readonly base: BaseTree;
}

/**
 * Walks to a path. The last component may be missing; a missing or unfit one before it throws `ENOENT`,
 * `ENOTDIR` or `ELOOP`, unless `makeMissing` puts a directory there. A last component that is a link is followed
 * unless `follow` is false. One lstat per component: about 3 µs each.
 */
export function walk(
  scope: WalkScope,
  path: string,
  follow: boolean,
  makeMissing?: (place: MissingPlace) => ExistingPlace,
): Place {
  // just as a kernel would, which cannot be given such a name at all
  if (path === "" || path.includes("\0")) throw new Failure("ENOENT");
  const deep = deepDirectory(scope.table, path);
  if (deep !== undefined) {
    const place = step(scope, deep.place, deep.name);
    if (place.in === "nowhere" || !follow || !isLink(place)) return place;
  }
  const root = rootPlace(scope);
  const trail: ExistingPlace[] = [root];
  let pending = components(path);
  // A trailing slash asks for the directory behind a link.
  const wantsDirectory = /\/\.?$/.test(path);
  let links = 0;
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    const here = trail[trail.length - 1] ?? root;
    if (!isDirectory(here)) throw new Failure("ENOTDIR");
    if (name === "..") {
      if (trail.length > 1) trail.pop();
      continue;
    }
    let next = step(scope, here, name);
    const isLast = pending.length === 0;
    if (next.in === "nowhere") {
      if (isLast) return next;
      if (makeMissing === undefined) throw new Failure("ENOENT");
      next = makeMissing(next);
    }
    if (!isLink(next) || (isLast && !follow && !wantsDirectory)) {
      trail.push(next);
      continue;
    }
    links++;
    if (links > MAX_LINKS) throw new Failure("ELOOP");
    const target = readLinkTarget(scope.table, next);
    if (target === "") throw new Failure("ENOENT");
    if (target.startsWith("/")) trail.length = 1;
    pending = pending.concat(components(target));
  }
  const end = trail[trail.length - 1] ?? root;
  if (wantsDirectory && !isDirectory(end)) throw new Failure("ENOTDIR");
  return end;
}

/** The target of a link as the sandbox names it: a host path below a mount's directory becomes the mount's path. */
export function readLinkTarget(table: MountTable, place: ExistingPlace): string {
  if (place.in !== "mount") throw new Failure("EINVAL");
  const target = decodeName(readlinkSync(place.host, { encoding: "buffer" }));
  return target.startsWith("/") ? (table.toVirtual(target) ?? target) : target;
}

/** The entry of a directory; no link is followed. */
export function step({ table, base }: WalkScope, directory: ExistingPlace, name: string): Place {
  const path = joinVirtualPath(directory.path, name);
  const mount = table.mountAt(path);
  if (mount !== undefined) {
    const stats = lstatSync(mount.host, { throwIfNoEntry: false });
    // The root may have been removed or replaced on the host since the sandbox began.
    if (!stats?.isDirectory()) return { in: "nowhere", path, parent: directory };
    return { in: "mount", path, mount, host: mount.host, stats };
  }
  if (directory.in === "mount") {
    const host = joinHostPath(directory.host, name);
    const stats = lstatSync(host, { throwIfNoEntry: false });
    if (stats !== undefined && (stats.isDirectory() || !table.hasMountBelow(path))) {
      return { in: "mount", path, mount: directory.mount, host, stats };
    }
  }
  const node = base.get(path) ?? (table.hasMountBelow(path) ? onTheWayToMount : undefined);
  if (node !== undefined && (directory.in === "base" || node === onTheWayToMount))
    return { in: "base", path, node };
  return { in: "nowhere", path, parent: directory };
}

/** The place itself; throws `ENOENT` where nothing is. */
export function existing(place: Place): ExistingPlace {
  if (place.in === "nowhere") throw new Failure("ENOENT");
  return place;
}

/** Whether a place is a directory. */
export function isDirectory(place: ExistingPlace): boolean {
  return place.in === "mount" ? place.stats.isDirectory() : place.node.kind === "directory";
}

/** Whether a place is a symbolic link; outside the mounts there is none. */
export function isLink(place: ExistingPlace): boolean {
  return place.in === "mount" && place.stats.isSymbolicLink();
}

/** Where a missing entry would go on the host. Throws `EROFS` outside the mounts. */
export function hostOfMissing({ path, parent }: MissingPlace): HostPath {
  if (parent.in !== "mount") throw new Failure("EROFS");
  return joinHostPath(parent.host, nameOfVirtualPath(path));
}

// A directory that exists only because a mount point lies below it.
const onTheWayToMount: BaseNode = { kind: "directory", ino: 0, names: new Set(), hidden: new Set() };

function rootPlace({ base }: WalkScope): ExistingPlace {
  return { in: "base", path: "/", node: base.get("/") ?? onTheWayToMount };
}

/** Components in reverse, so that the next one is popped. */
function components(path: string): string[] {
  return path
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .reverse();
}
