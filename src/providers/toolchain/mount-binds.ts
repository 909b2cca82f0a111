/**
 * The mounts as arguments of bubblewrap, each at its own path. The kernel can only hold read-only what is there when
 * the jail is made, so a prefix that is not is a reason not to make it.
 */
import { lstatSync, realpathSync } from "node:fs";
import { SandboxError } from "../../shared/errors.ts";
import { isAtOrBelow, isBelow } from "../../shared/virtual-path.ts";
import type { HarnessMount } from "../../shared/workspace-spec.ts";

/**
 * The mounts by the real paths of their directories, held for the life of a sandbox: who writes in one mount must not
 * choose what another one shows.
 *
 * @throws SandboxError `WORKSPACE_INVALID` when a link in a writable mount leads to a mount's directory.
 */
export function holdMounts(mounts: readonly HarnessMount[]): HarnessMount[] {
  const held = mounts.map((mount) => ({ ...mount, backingPath: realpathSync(mount.backingPath) }));
  return held.map((mount, index) => {
    const named = mounts[index]?.backingPath ?? mount.backingPath;
    const isLedTo = held.some((other, at) =>
      [other.backingPath, mounts[at]?.backingPath ?? ""].some(
        (path) =>
          other.access === "rw" &&
          isBelow(named, path) &&
          mount.backingPath !== other.backingPath + named.slice(path.length),
      ),
    );
    if (isLedTo) throw invalid("no link in a writable mount may lead to its directory", mount.path);
    return mount;
  });
}

/** Besides what `checkWorkspace` keeps free. */
const TAKEN = ["/etc", "/lib", "/lib32", "/lib64", "/libx32", "/run"];

/** @throws SandboxError `WORKSPACE_INVALID` for a mount that would hide what programs need, or that cannot be made. */
export function mountBinds(mounts: readonly HarnessMount[]): string[] {
  const outerFirst = [...mounts].sort((a, b) => a.path.length - b.path.length);
  return outerFirst.flatMap((mount) => {
    const taken = TAKEN.find((path) => isAtOrBelow(mount.path, path));
    if (taken !== undefined) throw invalid(`a toolchain has files of its own at "${taken}"`, mount.path);
    const outer = ownerOf(
      mount.path,
      mounts.filter((other) => other !== mount),
    );
    if (outer !== undefined) checkPlace(mount.path, outer);
    return [mount.access === "rw" ? "--bind" : "--ro-bind", mount.backingPath, mount.path];
  });
}

/**
 * What is read-only although its mount is not.
 *
 * @throws SandboxError `WORKSPACE_INVALID` for a prefix that is not there, or that a link leads to.
 */
export function prefixBinds(mounts: readonly HarnessMount[], prefixes: readonly string[]): string[] {
  const fixed = mounts.flatMap(({ readOnlyPrefixes }) => readOnlyPrefixes ?? []);
  return [...new Set([...fixed, ...prefixes])].sort().flatMap((path) => {
    const writable = mounts.filter((mount) => mount.access === "rw" && isAtOrBelow(mount.path, path));
    // The prefix covers whole mounts, or lies in one.
    const whole = writable.flatMap((mount) => ["--remount-ro", mount.path]);
    const owner = ownerOf(path, mounts);
    if (owner === undefined || owner.path === path || owner.access === "ro") return whole;
    const there = hostPath(path, owner);
    if (kindOf(there) === null) throw invalid("a read-only prefix must be there when programs start", path);
    if (realpathSync(there) !== there) throw invalid("a read-only prefix must not lie behind a link", path);
    return [...["--ro-bind", there, path], ...whole];
  });
}

/** A nested mount needs its directory in the outer one; bubblewrap makes it where it may write. */
function checkPlace(path: string, outer: HarnessMount): void {
  const there = hostPath(path, outer);
  const kind = kindOf(there);
  if (kind === null && outer.access === "rw") return;
  if (kind !== "directory")
    throw invalid(`there must be a directory for it in the mount ${outer.path}`, path);
  if (realpathSync(there) !== there) throw invalid("no link may lead to its directory", path);
}

function ownerOf(path: string, mounts: readonly HarnessMount[]): HarnessMount | undefined {
  return mounts
    .filter((mount) => isAtOrBelow(path, mount.path))
    .sort((a, b) => b.path.length - a.path.length)[0];
}

function hostPath(path: string, { path: mountPath, backingPath }: HarnessMount): string {
  return backingPath + path.slice(mountPath.length);
}

function kindOf(path: string): "directory" | "other" | null {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return null;
  return stat.isDirectory() ? "directory" : "other";
}

function invalid(why: string, path: string): SandboxError {
  return new SandboxError("WORKSPACE_INVALID", `The path "${path}" cannot be shown: ${why}.`, { path });
}
