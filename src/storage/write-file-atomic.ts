/** A file that readers see whole, as it was or as it will be, whoever dies meanwhile. */
import { randomBytes } from "node:crypto";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import nodePath from "node:path";
import { codeOf } from "./error-code.ts";

/** How a file is replaced. */
export interface WriteFileAtomicOptions {
  /** Whether it is on the disk, and not in its cache alone, before the promise resolves. @default true */
  readonly sync?: boolean | undefined;
}

/**
 * Replaces a file, or makes it, in one step. Rejects with the system's error and leaves the file as it was, but
 * for an error of the sync of the directory, when it has been replaced. A process that is killed meanwhile leaves a
 * file beside it whose name starts with a dot and ends in `.tmp`. No lock stops a late writer: what is written under a
 * lease goes through `staged-write.ts`.
 */
export async function writeFileAtomic(
  path: string,
  text: string,
  options: WriteFileAtomicOptions = {},
): Promise<void> {
  const { sync = true } = options;
  const directory = nodePath.dirname(path);
  const temporary = nodePath.join(
    directory,
    `.${nodePath.basename(path)}.${randomBytes(8).toString("hex")}.tmp`,
  );
  await writeAndMove(temporary, text, sync, () => rename(temporary, path));
  if (sync) await syncDirectory(directory);
}

/** Writes a new file and has `move` put it into its place; of one that fails nothing stays. */
export async function writeAndMove(
  temporary: string,
  text: string,
  sync: boolean,
  move: () => Promise<void>,
): Promise<void> {
  try {
    const file = await open(temporary, "wx", 0o600);
    try {
      await file.writeFile(text);
      if (sync) await file.datasync();
    } finally {
      await file.close();
    }
    await move();
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined); // the error before is the one to tell
    throw error;
  }
}

/** What systems say that cannot open a directory or sync one: Windows, some network and FUSE file systems. */
const CANNOT_SYNC = ["EACCES", "EBADF", "EINVAL", "EISDIR", "ENOSYS", "ENOTSUP", "EOPNOTSUPP", "EPERM"];

/**
 * Puts names on the disk. Where a directory cannot be synced, the system does it in its time. Any other error is the
 * caller's: the file is replaced, and may be as it was after a loss of power.
 *
 * @param openDirectory For tests. @default `open` of `node:fs/promises`
 */
export async function syncDirectory(
  directory: string,
  openDirectory: (path: string) => Promise<Pick<FileHandle, "sync" | "close">> = (path) => open(path, "r"),
): Promise<void> {
  try {
    const handle = await openDirectory(directory);
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (!CANNOT_SYNC.includes(String(codeOf(error)))) throw error;
  }
}
