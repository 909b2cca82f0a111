/**
 * What lies in the directory of compiled code is run as code by the next worker, of whatever sandbox. So where a
 * mount shows that directory, as one of a whole home does, scripts may read there and not write.
 */
import { realpathSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import type { HarnessMount } from "../shared/workspace-spec.ts";
import { defaultCodeCacheDirectory } from "./code-cache-directory.ts";
import { isAtOrBelow } from "./host-paths.ts";
import { makePrivateDirectory } from "./make-private-directory.ts";

/** A directory of compiled code as one mount shows it. */
export interface ShownCodeCache {
  /** On the host, without links; it is there. */
  readonly directory: string;
  /** The number of the mount. */
  readonly mount: number;
  /** Below the mount, with `/`; `""` when the mount lies in the directory. */
  readonly below: string;
}

/**
 * Where these mounts show a directory of compiled code: this user's, and `own` if it is another. Makes what could be
 * made through a mount otherwise.
 */
export function shownCodeCaches(
  mounts: readonly Pick<HarnessMount, "backingPath" | "access">[],
  own: string | null = null,
): ShownCodeCache[] {
  const directories = [...new Set([defaultCodeCacheDirectory(), own])].filter((path) => path !== null);
  const places = mounts.map(({ backingPath, access }) => (access === "ro" ? null : realPlace(backingPath)));
  return directories.flatMap((named) => {
    const directory = realPlace(named);
    return places.flatMap((place, mount) => {
      if (place === null) return [];
      if (isAtOrBelow(place, directory)) return [{ directory, mount, below: "" }];
      if (!isAtOrBelow(directory, place)) return [];
      makeIfPossible(directory);
      return [{ directory, mount, below: relative(place, directory).split(sep).join("/") }];
    });
  });
}

/** The read-only prefixes that the caller gives, untouched, and where there are any these directories as paths inside. */
export function closeCodeCaches(
  given: (() => readonly string[]) | undefined,
  mounts: readonly HarnessMount[],
  own: string | null = null,
): (() => readonly string[]) | undefined {
  const closed = shownCodeCaches(mounts, own).map(({ mount, below }) => {
    const path = mounts[mount]?.path ?? "/";
    return below === "" ? path : `${path === "/" ? "" : path}/${below}`;
  });
  if (closed.length === 0) return given;
  return () => (given === undefined ? closed : [...given(), ...closed]);
}

function makeIfPossible(directory: string): void {
  try {
    makePrivateDirectory(directory);
  } catch {
    // Nor can a script make it.
  }
}

/** Without links, as far as it is there. */
function realPlace(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return dirname(path) === path ? path : join(realPlace(dirname(path)), basename(path));
  }
}
