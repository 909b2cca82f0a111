/** The worker's side of file calls in parts (`file-parts.ts`), called by just-bash's bridge. */
import { PART } from "./file-parts.ts";

/** Of `MountFs`. The engine hands it on call by call, with all arguments, but no method that it does not know. */
interface PartFiles {
  readFileBuffer(path: string, part?: { offset: number; length: number }): Promise<Uint8Array>;
  writeFile(
    path: string,
    bytes: Uint8Array,
    options?: null,
    place?: { offset: number } | { size: number },
  ): Promise<void>;
  chmod(path: string, mode: number): Promise<void>;
  utimes(path: string, atime: Date, mtime: Date): Promise<void>;
}

/** Reads what a call asks for: `data` tells which part. */
export function bridgeRead(
  fs: PartFiles,
  flags: number,
  path: string,
  data: Uint8Array,
): Promise<Uint8Array> {
  if (flags !== PART.read) return fs.readFileBuffer(path);
  const [offset = 0, length = 0] = numbers(data, 2);
  return fs.readFileBuffer(path, { offset, length });
}

/** Writes a file, a part of it, or its size. */
export function bridgeWrite(fs: PartFiles, flags: number, path: string, data: Uint8Array): Promise<void> {
  if (flags === 0) return fs.writeFile(path, data);
  const [number = 0] = numbers(data, 1);
  const place = flags === PART.write ? { offset: number } : { size: number };
  return fs.writeFile(path, data.subarray(8), null, place);
}

/** Sets the mode, or the times. */
export function bridgeChmod(
  fs: PartFiles,
  flags: number,
  path: string,
  mode: number,
  data: Uint8Array,
): Promise<void> {
  if (flags !== PART.times) return fs.chmod(path, mode);
  const [atimeMs = 0, mtimeMs = 0] = numbers(data, 2);
  return fs.utimes(path, new Date(atimeMs), new Date(mtimeMs));
}

function numbers(data: Uint8Array, count: number): Float64Array {
  return new Float64Array(data.slice(0, 8 * count).buffer);
}
