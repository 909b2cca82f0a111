/** Under which paths the tracked mounts show what a path of the sandbox names. */
import { Buffer } from "node:buffer";
import nodePath from "node:path";
import { isAtOrBelow, isBelow } from "../shared/virtual-path.ts";
import type { HarnessMount } from "../shared/workspace-spec.ts";
import { Failure } from "./fs-error.ts";
import { decodeName, type HostPath, joinHostPath } from "./host-path.ts";
import { realpathSync } from "./node-fs.ts";

/** A tracked mount. */
export interface TrackedRoot {
  /** Path inside the sandbox. */
  readonly path: string;
  /** Real path on the host. */
  readonly host: string;
  /** Paths inside the sandbox where another mount lies over this one. */
  readonly excluded: ReadonlySet<string>;
}

/** A place in a tracked mount: the names that lead there from its root. */
export interface TrackedPlace {
  readonly root: TrackedRoot;
  readonly names: readonly string[];
}

/** One per sandbox. */
export class TrackedPlaces {
  readonly roots: readonly TrackedRoot[];
  readonly #mounts: readonly (TrackedRoot & { readonly tracked: boolean })[];

  /** The backing directories are resolved once, here; one that is gone is an empty tree until it is back. */
  constructor(mounts: readonly HarnessMount[]) {
    this.#mounts = mounts.map(({ path, backingPath, tracked }) => ({
      path,
      host: toRealPath(backingPath),
      tracked,
      excluded: new Set(mounts.filter((other) => isBelow(other.path, path)).map((other) => other.path)),
    }));
    this.roots = this.#mounts.filter((mount) => mount.tracked);
  }

  /** Where a path shows: under its own name, and in mounts whose directory overlaps on the host. */
  of(path: string): TrackedPlace[] {
    const owner = this.#mounts
      .filter((mount) => isAtOrBelow(path, mount.path))
      .sort((a, b) => b.path.length - a.path.length)[0];
    if (owner === undefined) {
      // Above all mounts: they lie below it.
      return this.roots.filter((root) => isBelow(root.path, path)).map((root) => ({ root, names: [] }));
    }
    const inside = path
      .slice(owner.path === "/" ? 1 : owner.path.length)
      .split("/")
      .filter(Boolean);
    let host: HostPath;
    try {
      host = inside.reduce<HostPath>(joinHostPath, owner.host);
    } catch (error) {
      if (error instanceof Failure) return []; // a name that no file can have
      throw error;
    }
    if (this.roots.length === 1 && owner.tracked) return [{ root: owner, names: inside }];
    return this.roots.flatMap((root) => {
      const names = innerNames(host, root.host);
      if (names !== undefined) return [{ root, names }];
      return innerNames(root.host, host) === undefined ? [] : [{ root, names: [] }];
    });
  }
}

/** The mounts as a writer must see them: tracked are also those whose files a tracked one shows at another path. */
export function withOverlaps(mounts: readonly HarnessMount[]): HarnessMount[] {
  const roots = mounts.filter(({ tracked }) => tracked).map(({ backingPath }) => toRealPath(backingPath));
  return mounts.map((mount) => {
    const host = toRealPath(mount.backingPath);
    const tracked = roots.some((root) => innerNames(host, root) ?? innerNames(root, host));
    return { ...mount, tracked };
  });
}

function toRealPath(backingPath: string): string {
  try {
    return realpathSync(backingPath);
  } catch {
    return backingPath; // not there now: looked at under the name given
  }
}

/** Names that lead from a directory of the host to a path at or below it. */
function innerNames(host: HostPath, directory: HostPath): string[] | undefined {
  const to = decodeName(Buffer.from(host)).split(nodePath.sep);
  const from = decodeName(Buffer.from(directory)).split(nodePath.sep);
  return from.every((name, index) => to[index] === name) ? to.slice(from.length) : undefined;
}
