/**
 * A `SandboxFileSystem` over a `MountFs` in this process: for hosts that reach the files of a sandbox without
 * its worker. Same rights as a script has; errors are `SandboxError`s of code `FS_ERROR`.
 */

import { SandboxError } from "../shared/errors.ts";
import type { DirectoryEntry, FileStat, SandboxFileSystem } from "../shared/file-system.ts";
import { tellThrown } from "../shared/redact.ts";
import { resolveVirtualPath } from "../shared/virtual-path.ts";
import { isFsError } from "./fs-error.ts";
import { globFiles } from "./glob.ts";
import type { MountFs } from "./mount-fs.ts";
import { errnoText } from "./shell-error.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The files of a sandbox; relative paths start at `cwd`. `beforeCall` runs before each operation. */
export function hostFiles(fs: MountFs, cwd: string, beforeCall = (): void => undefined): SandboxFileSystem {
  // A trailing slash asks for a directory; resolving by text alone would lose it.
  const at = (path: string) => {
    const absolute = resolveVirtualPath(cwd, path);
    return path.endsWith("/") && absolute !== "/" ? `${absolute}/` : absolute;
  };
  const at1 = <T>(path: string, call: (absolute: string) => Promise<T>) =>
    mapped(path, beforeCall, () => call(at(path)));
  return {
    readFile: (path) => at1(path, async (absolute) => decoder.decode(await fs.readFileBuffer(absolute))),
    readFileBuffer: (path) => at1(path, (absolute) => fs.readFileBuffer(absolute)),
    writeFile: (path, content) => at1(path, (absolute) => fs.writeFile(absolute, content)),
    appendFile: (path, content) => at1(path, (absolute) => fs.appendFile(absolute, content)),
    stat: (path) => at1(path, async (absolute) => toFileStat(await fs.stat(absolute))),
    lstat: (path) => at1(path, async (absolute) => toFileStat(await fs.lstat(absolute))),
    readdir: (path) => at1(path, (absolute) => fs.readdir(absolute)),
    readdirWithFileTypes: (path): Promise<DirectoryEntry[]> =>
      at1(path, (absolute) => fs.readdirWithFileTypes(absolute)),
    mkdir: (path, options) => at1(path, (absolute) => fs.mkdir(absolute, options)),
    rm: (path, options) => at1(path, (absolute) => fs.rm(absolute, options)),
    mv: (source, destination) => at1(source, (absolute) => fs.mv(absolute, at(destination))),
    cp: (source, destination, options) =>
      at1(source, (absolute) => fs.cp(absolute, at(destination), options)),
    exists: (path) => at1(path, (absolute) => fs.exists(absolute)),
    realpath: (path) => at1(path, (absolute) => fs.realpath(absolute)),
    chmod: (path, mode) => at1(path, (absolute) => fs.chmod(absolute, mode)),
    symlink: (target, linkPath) => at1(linkPath, (absolute) => fs.symlink(target, absolute)),
    readlink: (path) => at1(path, (absolute) => fs.readlink(absolute)),
    glob: (pattern, options) =>
      mapped(pattern, beforeCall, () => globFiles(fs, pattern, resolveVirtualPath(cwd, options?.cwd ?? "."))),
  };
}

async function mapped<T>(asked: string, beforeCall: () => void, call: () => Promise<T>): Promise<T> {
  try {
    beforeCall();
    if (typeof asked !== "string") throw new TypeError("the path is not a string");
    return await call();
  } catch (cause) {
    if (isFsError(cause)) {
      const { code: errno, path } = cause;
      throw new SandboxError(
        "FS_ERROR",
        `${errno}: ${errnoText(errno)}, '${path}'`,
        { errno, path },
        { cause },
      );
    }
    throw new SandboxError(
      "FS_ERROR",
      `EINVAL: ${tellThrown(cause)}`,
      { errno: "EINVAL", path: String(asked) },
      { cause },
    );
  }
}

function toFileStat({ isFile, isDirectory, isSymbolicLink, mode, size, mtime }: FileStat): FileStat {
  return { isFile, isDirectory, isSymbolicLink, mode, size, mtime };
}
