/**
 * Opens the file of a log for writing: nothing but a regular file of this format, by one process at a time. What a
 * writer that died has left at the end without a newline is cut off.
 */
import { constants } from "node:fs";
import { realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { SandboxError } from "../shared/errors.ts";
import { codeOf } from "../storage/error-code.ts";
import { type FileLock, tryFileLock } from "../storage/file-lock.ts";
import { HEADER_BYTES, newHeader, readHeader } from "./file-log-header.ts";
import { type LogFile, type LogFiles, readUpTo, writeAll } from "./log-files.ts";

/** A file that this process alone writes. */
export interface OpenedLogFile {
  readonly path: string;
  readonly file: LogFile;
  readonly lock: FileLock;
  /** Of the log: see `file-log-header.ts`. */
  readonly id: string;
  readonly size: number;
}

/** Where links above the file lead is one place, so that it has one lock. @throws SandboxError */
async function resolveLogPath(path: string): Promise<string> {
  const absolute = resolve(path);
  try {
    return join(await realpath(dirname(absolute)), basename(absolute));
  } catch (error) {
    throw failed(absolute, "its directory cannot be opened; it is not made", error);
  }
}

/** @throws SandboxError `SESSION_LOG_BUSY`, `SESSION_LOG_CORRUPT` for another format, `SESSION_LOG_FAILED`. */
export async function openLogFile(files: LogFiles, given: string, sync: boolean): Promise<OpenedLogFile> {
  const path = await resolveLogPath(given);
  await refuseSpecial(files, path);
  const lock = await takeLock(path);
  let file: LogFile | undefined;
  try {
    file = await openFile(files, path);
    const opened = await prepare(file, path);
    if (sync) await syncAll(files, file, path);
    return { path, file, lock, ...opened };
  } catch (error) {
    await file?.close().catch(() => undefined); // the error before is the one to tell
    await lock.release();
    throw error;
  }
}

/** A path that is there must be a file. @throws SandboxError */
async function refuseSpecial(files: Pick<LogFiles, "lstat">, path: string): Promise<void> {
  const info = await files.lstat(path).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return undefined;
    throw failed(path, "it cannot be looked at", error);
  });
  if (info === undefined || info.isFile()) return;
  const what = info.isSymbolicLink()
    ? "a symbolic link"
    : info.isDirectory()
      ? "a directory"
      : "no regular file";
  throw new SandboxError("SESSION_LOG_FAILED", `${path} is ${what}; a session log is a regular file.`, {
    path,
  });
}

/** What went wrong with the file, by the system's code. */
export function failed(path: string, what: string, cause: unknown): SandboxError {
  const code = codeOf(cause);
  return new SandboxError(
    "SESSION_LOG_FAILED",
    `${path}: ${what}${code === undefined ? "" : ` (${code})`}.`,
    { path, code },
    { cause },
  );
}

/** The file is of another format. */
export function otherFormat(path: string): SandboxError {
  return new SandboxError(
    "SESSION_LOG_CORRUPT",
    `${path}, line 1: this is no session log of the format lh.session-log.v1; the file is left as it is.`,
    { path, line: 1 },
  );
}

function severalNames(path: string, nlink: number): SandboxError {
  return new SandboxError(
    "SESSION_LOG_FAILED",
    `${path} is a file with ${nlink} names (hard links); a session log has one, for its lock lies beside its name.`,
    { path, nlink },
  );
}

async function takeLock(path: string): Promise<FileLock> {
  let taken: Awaited<ReturnType<typeof tryFileLock>>;
  try {
    taken = await tryFileLock(`${path}.lock`);
  } catch (error) {
    if (codeOf(error) === "NO_LOCK_FILE")
      throw failed(path, `what is at ${path}.lock is no lock, and is left as it is`, error);
    throw failed(path, "its lock cannot be made beside it", error);
  }
  if (!("heldBy" in taken)) return taken;
  const { pid, since } = taken.heldBy;
  if (pid === 0)
    throw new SandboxError(
      "SESSION_LOG_BUSY",
      `${path}.lock names no process. It counts as a lock until it has not changed for a minute.`,
      { path },
    );
  throw new SandboxError("SESSION_LOG_BUSY", `${path} is open in process ${pid} since ${since}.`, {
    path,
    pid,
  });
}

async function openFile(files: LogFiles, path: string): Promise<LogFile> {
  // NOFOLLOW and NONBLOCK: what was put there since it was looked at is neither followed nor waited for.
  const { O_RDWR, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  try {
    return await files.open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
  } catch (error) {
    throw failed(path, "it cannot be opened for reading and writing", error);
  }
}

async function prepare(file: LogFile, path: string): Promise<{ id: string; size: number }> {
  try {
    const { size, nlink } = await file.stat();
    if (nlink > 1) throw severalNames(path, nlink);
    const header = readHeader(await readUpTo(file, 0, HEADER_BYTES));
    if (header === "other") throw otherFormat(path);
    if (header !== "torn") return { id: header.id, size };
    const { id, line } = newHeader();
    await file.truncate(0);
    await writeAll(file, line, 0);
    return { id, size: line.length };
  } catch (error) {
    if (error instanceof SandboxError) throw error;
    throw failed(path, "its first line cannot be read or written", error);
  }
}

/**
 * Puts on the disk what is in the file, and its name. A writer before may have died between a write and its sync, and
 * what is read from the file counts as kept. Where the system cannot do that, the log does not open.
 */
async function syncAll(files: LogFiles, file: LogFile, path: string): Promise<void> {
  try {
    await file.sync();
    const directory = await files.open(dirname(path), constants.O_RDONLY);
    try {
      await directory.sync();
    } finally {
      await directory.close();
    }
  } catch (error) {
    throw new SyncFailed(path, error);
  }
}

/** Nothing that is written after it can be relied on. */
export class SyncFailed extends SandboxError {
  constructor(path: string, cause: unknown) {
    const code = codeOf(cause);
    super(
      "SESSION_LOG_FAILED",
      `${path}: the file or its directory cannot be synced (${code ?? "unknown"}). Nothing more is appended by this log; "sync: false" gives up what a sync keeps.`,
      { path, code },
      { cause },
    );
  }
}
