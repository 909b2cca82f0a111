/**
 * A shorter way to places far down in one mount, on Linux. Looking at each component costs time that grows
 * with the square of the depth, because the kernel starts at the top each time. Opening the directory and
 * asking the kernel for its path says as much: if it comes back unchanged, there is no link in it.
 * One `stat` on a busy two-core machine: 0.3 ms against 12 ms at 400 levels, 30 µs against 110 µs at 12.
 */
import { isAtOrBelow, isNormalisedVirtualPath } from "../shared/virtual-path.ts";
import { type HostPath, joinHostPath } from "./host-path.ts";
import type { Mount, MountTable } from "./mount-table.ts";
import { closeSync, fstatSync, OPEN, openSync, platform, readlinkSync } from "./node-fs.ts";
import type { ExistingPlace } from "./path-walk.ts";

/** Names below the mount from which on this is the shorter way. */
const DEEP = 8;

/** The directory that holds a deep path's last name, or `undefined` where only a walk can tell. */
export function deepDirectory(
  table: MountTable,
  path: string,
): { place: ExistingPlace; name: string } | undefined {
  if (platform !== "linux") return undefined;
  const slashes = path.split("/").length - 1;
  if (slashes < DEEP || !isNormalisedVirtualPath(path)) return undefined;
  const mount = deepestMount(table, path);
  if (mount === undefined) return undefined;
  const names = path.slice(mount.path.length + 1).split("/");
  const name = names.pop();
  if (name === undefined || names.length < DEEP) return undefined;
  const host = names.reduce<HostPath>(joinHostPath, mount.host);
  if (typeof host !== "string") return undefined;
  let fd: number;
  try {
    fd = openSync(host, OPEN.directory);
  } catch {
    return undefined; // missing, or something else that the walk words better
  }
  try {
    if (readlinkSync(`/proc/self/fd/${fd}`) !== host) return undefined;
    return {
      place: { in: "mount", path: path.slice(0, -name.length - 1), mount, host, stats: fstatSync(fd) },
      name,
    };
  } catch {
    return undefined; // no /proc here, or not ours to read
  } finally {
    closeSync(fd);
  }
}

function deepestMount(table: MountTable, path: string): Mount | undefined {
  let deepest: Mount | undefined;
  for (const mount of table.mounts) {
    if (isAtOrBelow(path, mount.path) && mount.path.length > (deepest?.path.length ?? 0)) deepest = mount;
  }
  return deepest;
}
