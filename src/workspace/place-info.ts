/** What `stat` and listings tell of a place. */
import type { Dirent } from "node:fs";
import type { DirectoryEntry, FileStat } from "../shared/file-system.ts";
import { joinVirtualPath } from "../shared/virtual-path.ts";
import { namesIn } from "./copy-tree.ts";
import { readdirSync } from "./node-fs.ts";
import { type ExistingPlace, isDirectory, isLink, step, type WalkScope } from "./path-walk.ts";

/** A `FileStat` with the identity that tells two names of one file. */
export interface PlaceStat extends FileStat {
  readonly dev: number;
  readonly ino: number;
  readonly atime: Date;
  /** When content or entry changed last. */
  readonly ctime: Date;
  /** Milliseconds since 1970 with all digits that the host gives. */
  readonly mtimeMs: number;
  /** How many names the file has. */
  readonly nlink: number;
  /** Of 512 bytes each. */
  readonly blocks: number;
  readonly isDevice: boolean;
}

// Directories on the way to a mount have no node; numbered as they are met, far above the base tree's own.
const inosOnTheWay = new Map<string, number>();

/** Mode holds the permission bits alone, as the engine's own file system gives it: `stat -c %a` prints it whole. */
export function statOf(place: ExistingPlace, baseTime: Date): PlaceStat {
  if (place.in === "mount") {
    const { stats } = place;
    return {
      isFile: stats.isFile(),
      isDirectory: stats.isDirectory(),
      isSymbolicLink: stats.isSymbolicLink(),
      mode: stats.mode & 0o7777,
      size: stats.size,
      mtime: stats.mtime,
      dev: stats.dev,
      ino: stats.ino,
      atime: stats.atime,
      ctime: stats.ctime,
      mtimeMs: stats.mtimeMs,
      nlink: stats.nlink,
      blocks: stats.blocks ?? Math.ceil(stats.size / 4096) * 8,
      isDevice: false,
    };
  }
  const { node } = place;
  const isFolder = node.kind === "directory";
  return {
    isFile: !isFolder,
    isDirectory: isFolder,
    isSymbolicLink: false,
    mode: isFolder ? 0o755 : node.kind === "device" ? 0o666 : node.mode,
    size: node.kind === "file" ? node.bytes.length : 0,
    mtime: baseTime,
    dev: 0,
    ino: node.ino === 0 ? inoOnTheWay(place.path) : node.ino,
    atime: baseTime,
    ctime: baseTime,
    mtimeMs: baseTime.getTime(),
    nlink: isFolder ? 2 : 1,
    blocks: 0,
    isDevice: node.kind === "device",
  };
}

/** Entries of a directory, sorted by name; mount points show as directories whatever lies below them on the host. */
export function entriesOf(scope: WalkScope, directory: ExistingPlace): DirectoryEntry[] {
  if (directory.in === "mount") {
    const listed = readdirSync(directory.host, { withFileTypes: true });
    const isPlain =
      !scope.table.hasMountBelow(directory.path) && !listed.some(({ name }) => name.includes("\ufffd"));
    if (isPlain) return listed.map(fromDirent).sort((a, b) => (a.name < b.name ? -1 : 1));
  }
  return namesIn(scope, directory).flatMap((name) => {
    const place = step(scope, directory, name);
    if (place.in === "nowhere") {
      // The root of a mount that is gone from the host still has its name.
      const isMount = scope.table.mountAt(joinVirtualPath(directory.path, name)) !== undefined;
      return isMount ? [{ name, isFile: false, isDirectory: true, isSymbolicLink: false }] : [];
    }
    const link = isLink(place);
    const folder = isDirectory(place);
    const file = place.in === "mount" ? place.stats.isFile() : !folder;
    return [{ name, isFile: file, isDirectory: folder, isSymbolicLink: link }];
  });
}

function fromDirent(entry: Dirent): DirectoryEntry {
  return {
    name: entry.name,
    isFile: entry.isFile(),
    isDirectory: entry.isDirectory(),
    isSymbolicLink: entry.isSymbolicLink(),
  };
}

function inoOnTheWay(path: string): number {
  const known = inosOnTheWay.get(path) ?? 2 ** 40 + inosOnTheWay.size;
  inosOnTheWay.set(path, known);
  return known;
}
