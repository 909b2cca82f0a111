/** A file system with some of its calls replaced, for the engine's text, which takes any object with the calls. */
import type { IFileSystem } from "just-bash";

export type FileCall = (...args: unknown[]) => unknown;

/** Every call by its name. Bound one by one, as the calls reach private parts of the file system. */
export function callsOf(fs: IFileSystem): Map<string, FileCall> {
  const calls = new Map<string, FileCall>();
  for (let level: object | null = fs; level !== null && level !== Object.prototype; ) {
    for (const name of Object.getOwnPropertyNames(level)) {
      const call: unknown = Reflect.get(fs, name);
      if (typeof call === "function" && !calls.has(name)) calls.set(name, call.bind(fs) as FileCall);
    }
    level = Object.getPrototypeOf(level) as object | null;
  }
  return calls;
}

/** The calls as a file system again. */
export function fileSystemOf(calls: ReadonlyMap<string, FileCall>): IFileSystem {
  return Object.fromEntries(calls) as unknown as IFileSystem;
}
