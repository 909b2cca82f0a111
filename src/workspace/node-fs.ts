/**
 * The functions of Node that the file system uses, copied when this module loads. The engine's
 * defense-in-depth patches globals and modules later, and scripts run after that: what is called then
 * must be these copies. Synchronous on purpose: an lstat costs about 3 µs, the thread pool 50 to 100 µs.
 */
import { createHash as nodeCreateHash, randomBytes as nodeRandomBytes } from "node:crypto";
import nodeFs from "node:fs";
import { getSystemErrorMap } from "node:util";

export const {
  chmodSync,
  closeSync,
  fstatSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeSync,
} = nodeFs;

export const createHash = nodeCreateHash;
export const randomBytes = nodeRandomBytes;
// By the global and not by `node:process`: importing that opens the standard streams of the host, stdin too.
export const platform = process.platform;
export const processId = process.pid;

// Absent on Windows, where the kernel has neither the flag nor the files that it is against.
const {
  O_NOFOLLOW = 0,
  O_NONBLOCK = 0,
  O_RDONLY,
  O_WRONLY,
  O_CREAT,
  O_APPEND,
  O_EXCL,
  O_DIRECTORY = 0,
} = nodeFs.constants;

/** Flags for `openSync`. A link is never followed by the kernel, and a FIFO never blocks. */
export const OPEN = {
  read: O_RDONLY | O_NOFOLLOW | O_NONBLOCK,
  write: O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK,
  append: O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK,
  directory: O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_DIRECTORY,
  createNew: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_NONBLOCK,
} as const;

/** libuv's own words, by POSIX name: what Node prints after the code. */
export const libuvTexts: ReadonlyMap<string, string> = new Map(getSystemErrorMap().values());
