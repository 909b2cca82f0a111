/**
 * The `fs` of a sandbox around the files that really do the work: refuses after dispose, lets changing calls
 * run one after another, and reports what each changed below tracked mounts. Looks at the touched paths only.
 */
import { isSandboxError } from "../shared/errors.ts";
import type { FileChange } from "../shared/file-change.ts";
import type { SandboxFileSystem } from "../shared/file-system.ts";
import {
  joinVirtualPath,
  nameOfVirtualPath,
  parentOfVirtualPath,
  resolveVirtualPath,
} from "../shared/virtual-path.ts";
import type { ChangeTracker } from "./change-tracker.ts";
import { checkedFiles } from "./check-file-arguments.ts";
import { Turns } from "./turns.ts";

/** What the wrapper needs besides the files. */
export interface TrackedFilesOptions {
  readonly files: SandboxFileSystem;
  readonly tracker: ChangeTracker;
  /** Where relative paths start. */
  readonly cwd: string;
  /** Called before every call; what it throws is the call's rejection. */
  beforeCall(): void;
  /** @param id of the call, as the journal knows it */
  onChanges(changes: readonly FileChange[], id: string): void;
}

/** As many links as a path walk follows before it calls them a loop. */
const MAX_LINKS = 40;

/** Wraps files for `sandbox.fs`. */
export function createTrackedFiles(options: TrackedFilesOptions): SandboxFileSystem {
  const { files, tracker, cwd, beforeCall, onChanges } = options;
  const turns = new Turns();

  const read = async <T>(operation: () => Promise<T>): Promise<T> => {
    beforeCall();
    return await operation();
  };
  const change = async (
    findTouched: () => Promise<string[]>,
    operation: () => Promise<void>,
  ): Promise<void> => {
    beforeCall();
    await turns.take(async () => {
      if (!tracker.isTracking) return await operation();
      const touched = await findTouched().catch(noneIfFsError);
      await tracker.around(touched, operation, onChanges);
    });
  };
  const target = async (path: string) => resolveTarget(files, resolveVirtualPath(cwd, path));
  const entry = async (path: string) => resolveEntry(files, resolveVirtualPath(cwd, path));

  return checkedFiles({
    readFile: (path) => read(() => files.readFile(path)),
    readFileBuffer: (path) => read(async () => toPlainBytes(await files.readFileBuffer(path))),
    stat: (path) => read(() => files.stat(path)),
    lstat: (path) => read(() => files.lstat(path)),
    readdir: (path) => read(() => files.readdir(path)),
    readdirWithFileTypes: (path) => read(() => files.readdirWithFileTypes(path)),
    exists: (path) => read(() => files.exists(path)),
    realpath: (path) => read(() => files.realpath(path)),
    readlink: (path) => read(() => files.readlink(path)),
    glob: (pattern, globOptions) => read(() => files.glob(pattern, globOptions)),
    writeFile: (path, content) =>
      change(
        async () => [await target(path)],
        () => files.writeFile(path, content),
      ),
    appendFile: (path, content) =>
      change(
        async () => [await target(path)],
        () => files.appendFile(path, content),
      ),
    mkdir: (path, mkdirOptions) =>
      change(
        async () => [await firstMissing(files, await entry(path))],
        () => files.mkdir(path, mkdirOptions),
      ),
    rm: (path, rmOptions) =>
      change(
        async () => [await entry(path)],
        () => files.rm(path, rmOptions),
      ),
    mv: (source, destination) =>
      change(
        async () => [await entry(source), await entry(destination)],
        () => files.mv(source, destination),
      ),
    cp: (source, destination, cpOptions) =>
      change(
        async () => [await target(destination)],
        () => files.cp(source, destination, cpOptions),
      ),
    symlink: (linkTarget, linkPath) =>
      change(
        async () => [await entry(linkPath)],
        () => files.symlink(linkTarget, linkPath),
      ),
    chmod: (path, mode) => read(() => files.chmod(path, mode)),
  });
}

/** A path that leads nowhere or is no path: the operation itself says what is wrong with it. */
function noneIfFsError(error: unknown): string[] {
  // Late, dead or disposed of: the operation would wait for the same once more.
  if (isSandboxError(error) && error.code !== "FS_ERROR") throw error;
  return [];
}

// A Buffer is a Uint8Array that prints, slices and compares in its own way; callers get the same in every adapter.
function toPlainBytes({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Where a write through this path ends up, also through a link whose target does not exist. */
async function resolveTarget(files: SandboxFileSystem, path: string, links = 0): Promise<string> {
  if (await files.exists(path)) return await files.realpath(path);
  const place = await resolveEntry(files, path);
  try {
    if (links < MAX_LINKS && (await files.lstat(place)).isSymbolicLink) {
      const next = resolveVirtualPath(parentOfVirtualPath(place), await files.readlink(place));
      return await resolveTarget(files, next, links + 1);
    }
  } catch (error) {
    // Not there: the write creates it at this place, or fails and says why.
    noneIfFsError(error);
  }
  return place;
}

/** The path itself, its directory without links. */
async function resolveEntry(files: SandboxFileSystem, path: string): Promise<string> {
  if (path === "/") return path;
  const parent = parentOfVirtualPath(path);
  const realParent = (await files.exists(parent))
    ? await files.realpath(parent)
    : await resolveEntry(files, parent);
  return joinVirtualPath(realParent, nameOfVirtualPath(path));
}

async function firstMissing(files: SandboxFileSystem, path: string): Promise<string> {
  let missing = path;
  for (let parent = parentOfVirtualPath(missing); parent !== "/"; parent = parentOfVirtualPath(missing)) {
    if (await files.exists(parent)) return missing;
    missing = parent;
  }
  return missing;
}
