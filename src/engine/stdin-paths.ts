/**
 * Names of the standard input as a file. The engine hands each command its input as a string and knows no file
 * for it, so `cat /dev/stdin` would read a device that is the same for all.
 * Called from the engine's own text (`build/engine-faults/bytes.ts`).
 */
import { Buffer } from "node:buffer";
import type { IFileSystem } from "just-bash";
import { bytesToText } from "./byte-text.ts";
import { callsOf, fileSystemOf } from "./file-system-calls.ts";

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
  const calls = callsOf(fs);
  for (const name of READS) {
    const call = calls.get(name);
    calls.set(name, async (path, ...rest) => {
      if (!isStdinPath(String(path))) return call?.(path, ...rest);
      if (name === "readFileBuffer") return Buffer.from(stdin, "latin1");
      return name === "readFileBytes" || isByteEncoding(rest[0]) ? stdin : bytesToText(stdin);
    });
  }
  return fileSystemOf(calls);
}

function isByteEncoding(option: unknown): boolean {
  const named = typeof option === "object" && option !== null ? Reflect.get(option, "encoding") : option;
  return named === "latin1" || named === "binary";
}
