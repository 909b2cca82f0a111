/** The compiled form of the core, when the parent handed one on: an open file, and its number as the last argument. */
import { closeSync, fstatSync, readSync } from "node:fs";
import { CODE_CACHE_ARGUMENT, CODE_CACHE_HEADER_BYTES } from "../protocol/code-cache.ts";

/** The bytes, or `null`. The file is closed, and nothing tells any more that there was one. */
export function readCodeCache(): Buffer | null {
  const argument = process.argv.at(-1);
  if (argument?.startsWith(CODE_CACHE_ARGUMENT) !== true) return null;
  process.argv.pop();
  const descriptor = Number(argument.slice(CODE_CACHE_ARGUMENT.length));
  try {
    const bytes = Buffer.allocUnsafe(fstatSync(descriptor).size - CODE_CACHE_HEADER_BYTES);
    for (let at = 0; at < bytes.length; ) {
      const count = readSync(descriptor, bytes, at, bytes.length - at, CODE_CACHE_HEADER_BYTES + at);
      if (count === 0) return null;
      at += count;
    }
    return bytes;
  } catch {
    // Then it is compiled, as on any machine without a cache.
    return null;
  } finally {
    closeSync(descriptor);
  }
}
