/**
 * Names of the standard input as a file. The engine hands each command its input as a string and knows no file
 * for it, so `cat /dev/stdin` would read a device that is the same for all.
 * Called from the engine's own text (`build/engine-faults/bytes.ts`).
 */
import { Buffer } from "node:buffer";
import type { IFileSystem } from "just-bash";
import { bytesToText } from "./byte-text.ts";

const PATHS = new Set(["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"]);
const NAMED_IN = /\/dev\/stdin|\/dev\/fd\/0|\/proc\/self\/fd\/0/;
/** The file system's calls that read a whole file. */
const READS = ["readFile", "readFileBytes", "readFileBuffer"];

/** Whether a path is the standard input. */
export function isStdinPath(path: string): boolean {
  return path.startsWith("/") && PATHS.has(path);
}

/** The file system as a command sees it: when its arguments name the standard input as a file, that file is `stdin`. */
export function fileSystemWithStdin(fs: IFileSystem, args: readonly string[], stdin: string): IFileSystem {
  if (!args.some((arg) => (arg.startsWith("/") ? PATHS.has(arg) : NAMED_IN.test(arg)))) return fs;
  const calls = new Map<string, unknown>();
  // Bound one by one, as the calls reach private parts of the file system.
  for (let level: object | null = fs; level !== null && level !== Object.prototype; ) {
    for (const name of Object.getOwnPropertyNames(level)) {
      const call: unknown = Reflect.get(fs, name);
      if (typeof call === "function" && !calls.has(name)) calls.set(name, call.bind(fs));
    }
    level = Object.getPrototypeOf(level) as object | null;
  }
  for (const name of READS) {
    const call = calls.get(name) as ((path: string, ...rest: unknown[]) => Promise<unknown>) | undefined;
    calls.set(name, async (path: string, ...rest: unknown[]) => {
      if (!isStdinPath(path)) return call?.(path, ...rest);
      if (name === "readFileBuffer") return Buffer.from(stdin, "latin1");
      return name === "readFileBytes" || isByteEncoding(rest[0]) ? stdin : bytesToText(stdin);
    });
  }
  return Object.fromEntries(calls) as unknown as IFileSystem;
}

function isByteEncoding(option: unknown): boolean {
  const named = typeof option === "object" && option !== null ? Reflect.get(option, "encoding") : option;
  return named === "latin1" || named === "binary";
}
