/**
 * Which mount holds a path, and what may be changed there. Decides by the text of canonical paths (links
 * resolved), so every door to a file meets the same rights. Touches no file but the mount roots, once.
 */
import { isAtOrBelow, isBelow } from "../shared/virtual-path.ts";
import type { HarnessMount } from "../shared/workspace-spec.ts";
import { lstatSync, platform, realpathSync } from "./node-fs.ts";

/** A mount with its directory resolved. */
export interface Mount {
  /** Path inside the sandbox. */
  readonly path: string;
  /** Real path of the host directory. */
  readonly host: string;
  /** The host directory as it was named. */
  readonly namedHost: string;
  readonly writable: boolean;
}

// macOS and Windows find a file under other spellings of its name, so rights must not depend on the spelling.
const foldHere = platform === "darwin" || platform === "win32" ? foldSpelling : (path: string) => path;

/** One spelling for all under which a file system that knows no case and no Unicode form finds a file. */
export function foldSpelling(path: string): string {
  return path.normalize("NFC").toLowerCase();
}

/** The mounts of one sandbox and its read-only places. */
export class MountTable {
  readonly #fold: (path: string) => string;
  #mounts: readonly Mount[] = [];
  #byPath: ReadonlyMap<string, Mount> = new Map();
  #fixed: readonly string[] = [];
  #readOnly: ReadonlySet<string> = new Set();

  /**
   * Throws a plain `Error` that names the mount when a backing path is not an existing directory.
   *
   * @param fold how paths are spelled that mean one file; by default as on this system
   */
  constructor(mounts: readonly HarnessMount[], fold: (path: string) => string = foldHere) {
    this.#fold = fold;
    this.replaceMounts(mounts);
  }

  get mounts(): readonly Mount[] {
    return this.#mounts;
  }

  /** These mounts and no other from now on. Throws as the constructor does, and then leaves all as it was. */
  replaceMounts(mounts: readonly HarnessMount[]): void {
    this.#mounts = mounts.map(toMount);
    this.#byPath = new Map(this.#mounts.map((mount) => [this.#fold(mount.path), mount]));
    this.#fixed = mounts.flatMap((mount) => mount.readOnlyPrefixes ?? []);
    this.#readOnly = new Set(this.#fixed.map(this.#fold));
  }

  /** The mount whose root is at this path. */
  mountAt(path: string): Mount | undefined {
    return this.#byPath.get(this.#fold(path));
  }

  /** Names that mount points put into the directory at this path. */
  mountNamesIn(path: string): string[] {
    const names = new Set<string>();
    for (const mount of this.#mounts) {
      if (!isBelow(this.#fold(mount.path), this.#fold(path))) continue;
      const name = mount.path.slice(path === "/" ? 1 : path.length + 1).split("/")[0];
      if (name !== undefined && name !== "") names.add(name);
    }
    return [...names];
  }

  hasMountBelow(path: string): boolean {
    return this.#mounts.some((mount) => isBelow(this.#fold(mount.path), this.#fold(path)));
  }

  /**
   * Replaces the read-only prefixes that are not part of the mounts. `resolve` gives the place a prefix leads to
   * when links lie on its way: that place is read-only as well, under whatever name it is reached.
   */
  setReadOnlyPrefixes(prefixes: readonly string[], resolve: (prefix: string) => string | undefined): void {
    const all = [...this.#fixed, ...prefixes];
    const places = all.map(resolve).filter((place) => place !== undefined);
    this.#readOnly = new Set([...all, ...places].map(this.#fold));
  }

  /** Whether a read-only prefix covers this canonical path. */
  isReadOnly(path: string): boolean {
    const folded = this.#fold(path);
    for (const prefix of this.#readOnly) if (isAtOrBelow(folded, prefix)) return true;
    return false;
  }

  /** Whether removing or renaming this path would take a mount point or a read-only prefix along. */
  isHeldInPlace(path: string): boolean {
    return this.mountAt(path) !== undefined || this.hasHeldBelow(path);
  }

  /** Whether a mount point or a read-only prefix lies strictly below this path. */
  hasHeldBelow(path: string): boolean {
    if (this.hasMountBelow(path)) return true;
    const folded = this.#fold(path);
    for (const prefix of this.#readOnly) if (isBelow(prefix, folded)) return true;
    return false;
  }

  /** A host path that lies below a mount's directory, as the sandbox names it; the deepest directory wins. */
  toVirtual(host: string): string | undefined {
    let best: { length: number; path: string } | undefined;
    for (const mount of this.#mounts) {
      for (const root of [mount.host, mount.namedHost]) {
        if (!isAtOrBelow(host, root) || root.length <= (best?.length ?? -1)) continue;
        const inner = host.slice(root.length);
        best = { length: root.length, path: mount.path + (inner === "/" ? "" : inner) };
      }
    }
    return best?.path;
  }
}

/** Under Node's permission model the way to a mount may not be looked at; whoever set it up gave real paths. */
function toRealPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_ACCESS_DENIED") return path;
    throw error;
  }
}

function toMount({ path, backingPath, access }: HarnessMount): Mount {
  let host: string;
  try {
    host = toRealPath(backingPath);
  } catch (cause) {
    throw new Error(`The backing path of mount "${path}" does not exist: ${backingPath}`, { cause });
  }
  if (!lstatSync(host).isDirectory()) {
    throw new Error(`The backing path of mount "${path}" is not a directory: ${backingPath}`);
  }
  return { path, host, namedHost: backingPath.replace(/(?<=.)\/+$/, ""), writable: access === "rw" };
}
