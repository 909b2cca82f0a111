/** The calls of the system that a log in a file makes, in one place: tests give it files that fail. */
import type { Stats } from "node:fs";
import { type FileHandle, lstat, open, rename, rm } from "node:fs/promises";

/** An open file. */
export type LogFile = Pick<
  FileHandle,
  "read" | "write" | "datasync" | "sync" | "truncate" | "stat" | "close"
>;

/** As in `node:fs/promises`. */
export interface LogFiles {
  open(path: string, flags: number, mode?: number): Promise<LogFile>;
  lstat(path: string): Promise<Stats>;
  rename(from: string, to: string): Promise<void>;
  rm(path: string): Promise<void>;
}

/** The system's own. */
export const systemFiles: LogFiles = { open, lstat, rename, rm };

/** Writes all of it, in as many calls as it takes. */
export async function writeAll(file: LogFile, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done);
    if (bytesWritten === 0) throw Object.assign(new Error("Nothing was written."), { code: "ENOSPC" });
    done += bytesWritten;
  }
}

/** What is there of `length` bytes from `position`: less at the end of the file. */
export async function readUpTo(file: LogFile, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await file.read(buffer, done, length - done, position + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return buffer.subarray(0, done);
}
