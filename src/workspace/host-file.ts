/**
 * Reading and writing one regular file of the host. The path is one that a walk has resolved; the open file
 * is checked again, so a FIFO or device that took its name in between is refused and blocks nothing.
 */
import { Buffer } from "node:buffer";
import type { Stats } from "node:fs";
import nodePath from "node:path";
import { Failure } from "./fs-error.ts";
import type { HostPath } from "./host-path.ts";
import {
  chmodSync,
  closeSync,
  fstatSync,
  ftruncateSync,
  OPEN,
  openSync,
  processId,
  readFileSync,
  readSync,
  renameSync,
  unlinkSync,
  utimesSync,
  writeSync,
} from "./node-fs.ts";
import { requireSamePlace } from "./same-place.ts";
import type { WriteGuard } from "./write-guard.ts";

/** What every refusal of a FIFO, socket or device says. */
export const NOT_REGULAR = "EOPNOTSUPP";

const block = Buffer.allocUnsafeSlow(1 << 20);
let lastTemporary = 0;

/** The whole content. Throws `EFBIG` above `maxBytes` before anything is read. */
export function readHostFile(host: HostPath, maxBytes = Number.POSITIVE_INFINITY): Buffer {
  return withReadable(host, (fd, { size }) => {
    if (size > maxBytes) throw new Failure("EFBIG");
    return readFileSync(fd);
  });
}

/** Large enough that system calls do not count, small enough for the processor's cache. */
const PIECE_BYTES = 1 << 18;
/** Kept for the next file: on fresh memory the kernel's work is several times that of the copying. */
let spare: Uint8Array | null = null;

/** A file that is read from its start to its end. */
export interface OpenPieces {
  /** The next bytes; none at the end. They lie in one buffer, which the next call fills anew. */
  next(): Uint8Array;
  close(): void;
}

export function openHostFilePieces(host: HostPath): OpenPieces {
  const { fd } = openReadable(host);
  const buffer = spare ?? new Uint8Array(PIECE_BYTES);
  spare = null;
  return {
    next: () => buffer.subarray(0, readSync(fd, buffer)),
    close() {
      closeSync(fd);
      spare = buffer;
    },
  };
}

/** At most `length` bytes from `offset`. */
export function readHostFilePart(host: HostPath, offset: number, length: number): Buffer {
  return withReadable(host, (fd, { size }) => {
    const part = Buffer.alloc(Math.max(0, Math.min(length, size - offset)));
    return part.subarray(0, readSync(fd, part, 0, part.length, offset));
  });
}

/** Replaces the content, or adds to its end. Creates the file with mode `0o666` less the umask. */
export function writeHostFile(host: HostPath, bytes: Uint8Array, append: boolean, guard: WriteGuard): void {
  withWritable(host, append ? "add" : "replace", guard, (fd) => writeAll(fd, bytes));
}

/** Writes over what is at `offset`; bytes between the end and `offset` become zeros. Creates the file. */
export function writeHostFilePart(
  host: HostPath,
  bytes: Uint8Array,
  offset: number,
  guard: WriteGuard,
): void {
  withWritable(host, "over", guard, (fd) => {
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, bytes.length - at, offset + at);
  });
}

/** Makes a file that must not be there yet: `EEXIST` also for one that somebody else makes at the same time. */
export function createHostFile(host: HostPath, bytes: Uint8Array, mode: number): void {
  const fd = openSync(host, OPEN.createNew, mode);
  try {
    // What is written must not go through a directory that became a link after the walk.
    requireSamePlace(fd, host);
    writeAll(fd, bytes);
  } finally {
    closeSync(fd);
  }
}

/** Cuts a file, or lengthens it by a hole. */
export function resizeHostFile(host: HostPath, size: number, guard: WriteGuard): void {
  withWritable(host, "over", guard, (fd) => ftruncateSync(fd, size));
}

/** Replaces the content of one file by that of another, 1 MiB at a time. */
export function copyHostFile(from: HostPath, to: HostPath, guard: WriteGuard): void {
  const source = openSync(from, OPEN.read);
  try {
    requireSamePlace(source, from);
    const stats = fstatSync(source);
    if (!stats.isFile()) throw new Failure(NOT_REGULAR);
    withWritable(to, "replace", guard, (fd) => copyAll(source, fd));
  } finally {
    closeSync(source);
  }
}

/**
 * Gives a file that has names this file system does not know an inode of its own, so that a change of its
 * mode or times stays here.
 */
export function makePrivate(host: HostPath, stats: Stats, guard: WriteGuard): void {
  if (stats.isFile() && !guard.knowsAllNames(stats)) closeSync(replaceByCopy(host, stats, true));
}

/** Begins the names that are only there while something is replaced; hidden from `*` in case a kill leaves one. */
export const temporaryPrefix = `.little-harness-${processId}-`;

function withReadable<T>(host: HostPath, use: (fd: number, stats: Stats) => T): T {
  const { fd, stats } = openReadable(host);
  try {
    return use(fd, stats);
  } finally {
    closeSync(fd);
  }
}

/** The caller closes it. */
function openReadable(host: HostPath): { fd: number; stats: Stats } {
  const fd = openSync(host, OPEN.read);
  try {
    requireSamePlace(fd, host);
    const stats = fstatSync(fd);
    if (stats.isDirectory()) throw new Failure("EISDIR");
    if (!stats.isFile()) throw new Failure(NOT_REGULAR);
    return { fd, stats };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** What happens to the content that is there: it goes, it is added to, or it is written over in places. */
type WriteWay = "replace" | "add" | "over";

function withWritable(host: HostPath, way: WriteWay, guard: WriteGuard, use: (fd: number) => void): void {
  let fd = openSync(host, way === "add" ? OPEN.append : OPEN.write, 0o666);
  try {
    // Before anything is emptied or written.
    requireSamePlace(fd, host);
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw new Failure(NOT_REGULAR);
    if (!guard.knowsAllNames(stats)) {
      const copy = replaceByCopy(host, stats, way !== "replace");
      closeSync(fd);
      fd = copy;
    } else if (way === "replace" && stats.size > 0) {
      // Truncated only after the check above: what must not be written must not be emptied either.
      ftruncateSync(fd, 0);
    }
    use(fd);
  } finally {
    closeSync(fd);
  }
}

/** Puts a new inode under the name, with mode and times of the old one; returns it open for appending. */
function replaceByCopy(host: HostPath, stats: Stats, withContent: boolean): number {
  const temporary = besideHostPath(host, `${temporaryPrefix}${++lastTemporary}`);
  const fd = openSync(temporary, OPEN.createNew, 0o600);
  try {
    if (withContent) {
      const source = openSync(host, OPEN.read);
      try {
        copyAll(source, fd);
      } finally {
        closeSync(source);
      }
    }
    // By path: Node's permission model denies the calls that take a descriptor.
    chmodSync(temporary, stats.mode & 0o777);
    utimesSync(temporary, stats.atime, stats.mtime);
    renameSync(temporary, host);
    return fd;
  } catch (error) {
    closeSync(fd);
    unlinkSync(temporary);
    throw error;
  }
}

function besideHostPath(host: HostPath, name: string): HostPath {
  if (typeof host === "string") return nodePath.join(nodePath.dirname(host), name);
  return Buffer.concat([host.subarray(0, host.lastIndexOf(nodePath.sep) + 1), Buffer.from(name)]);
}

function copyAll(from: number, to: number): void {
  for (let length = readSync(from, block); length > 0; length = readSync(from, block)) {
    writeAll(to, block.subarray(0, length));
  }
}

function writeAll(fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
}
