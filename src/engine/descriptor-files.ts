/**
 * The files behind `<(…)` and `>(…)` at `/dev/fd/63` and below, over the file system of the shell. The engine puts
 * one of its own around the whole, which knows fewer calls: patterns and parts of files failed from then on.
 * Called from the engine's own text (`build/engine-faults/files.ts`).
 */
import type { FsStat, IFileSystem } from "just-bash";
import { callsOf, type FileCall, fileSystemOf } from "./file-system-calls.ts";

/** Calls whose first argument is the only path. */
const OF_ONE_PATH = new Set(
  (
    "readFile readFileBytes readFileBuffer writeFile appendFile exists stat lstat rm mkdir readdir " +
    "readdirWithFileTypes chmod utimes readlink realpath access truncate"
  ).split(" "),
);

/** What our file system tells of a place and the engine's own does not. */
function asPlace(stat: FsStat): object {
  const { mtime } = stat;
  return {
    atime: mtime,
    ctime: mtime,
    mtimeMs: mtime.getTime(),
    nlink: 1,
    blocks: 0,
    ino: 1,
    isDevice: false,
    ...stat,
  };
}

/** `descriptors` gets paths without `prefix`: `/63`. */
export function withDescriptorFiles(fs: IFileSystem, descriptors: IFileSystem, prefix: string): IFileSystem {
  const calls = callsOf(fs);
  const inside = (path: unknown): string | null =>
    typeof path === "string" && /^\/\d+$/.test(path.slice(prefix.length)) && path.startsWith(prefix)
      ? path.slice(prefix.length)
      : null;
  for (const [name, call] of calls) {
    const own: unknown = Reflect.get(descriptors, name);
    if (!OF_ONE_PATH.has(name) || typeof own !== "function") continue;
    calls.set(name, (path, ...rest) => {
      const descriptor = inside(path);
      if (descriptor === null) return call(path, ...rest);
      const answer = (own.bind(descriptors) as FileCall)(descriptor, ...rest);
      return name === "stat" || name === "lstat" ? (answer as Promise<FsStat>).then(asPlace) : answer;
    });
  }
  const copy = calls.get("cp");
  calls.set("cp", async (from, to, ...rest) => {
    const descriptor = inside(from);
    if (descriptor === null) return copy?.(from, to, ...rest);
    return fs.writeFile(String(to), await descriptors.readFileBuffer(descriptor));
  });
  return fileSystemOf(calls);
}
