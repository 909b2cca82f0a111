/**
 * Files that are written in a staging directory, flushed, and moved from there into their place. A reader sees the
 * old text or the new one, never a part; and whoever moves the staging directory away stops every write through it:
 * so a late owner of a lock is fenced off, by the kernel and not by a check that is old when it is used.
 */
import { randomUUID } from "node:crypto";
import { mkdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { codeOf } from "./error-code.ts";
import { syncDirectory, writeAndMove } from "./write-file-atomic.ts";

/**
 * Writes `text` to `path`, making the directories above it. `sync`: flush file and directory to the disk, for what
 * must outlive a loss of power. Rejects with the system's error and leaves the old file as it was; one exception:
 * when only the last flush of the directory fails, the new text stands.
 */
export async function writeStaged(
  path: string,
  text: string,
  stagingDirectory: string,
  sync: boolean,
): Promise<void> {
  const temporary = join(stagingDirectory, `${TEMPORARY_PREFIX}${randomUUID()}`);
  await writeAndMove(temporary, text, sync, () => moveStaged(temporary, path, sync));
}

/** Takes a file out of its place by way of the staging directory. False when there was none. */
export async function removeStaged(path: string, stagingDirectory: string, sync: boolean): Promise<boolean> {
  const aside = join(stagingDirectory, `${TEMPORARY_PREFIX}${randomUUID()}`);
  try {
    await rename(path, aside);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    // Which of the two is missing? Without the staging directory the lock is lost.
    await stat(stagingDirectory);
    return false;
  }
  await rm(aside, { force: true }).catch(() => undefined); // It goes with the staging directory.
  if (sync) await syncNames(dirname(path));
  return true;
}

/** Begins the names of files that are being written. */
export const TEMPORARY_PREFIX = ".tmp-";

/** How often another may remove the directory, empty still, between its making and the move. */
const MOVE_TRIES = 20;

/** Makes the directory of the new place when that is what is missing. */
async function moveStaged(from: string, to: string, sync: boolean): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await rename(from, to);
      break;
    } catch (error) {
      if (codeOf(error) !== "ENOENT" || tries === MOVE_TRIES) throw error;
      await stat(from);
      await makeDirectory(dirname(to), sync).catch((failure: unknown) => {
        if (codeOf(failure) !== "ENOENT") throw failure; // Another has just removed one of them.
      });
    }
  }
  if (sync) await syncNames(dirname(to));
}

/** Makes a directory and those above it, and flushes the names of the new ones. */
export async function makeDirectory(path: string, sync: boolean): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 });
  if (first === undefined || !sync) return;
  for (let made = path; made.length >= first.length; made = dirname(made)) await syncNames(dirname(made));
}

/** A directory that another has removed since has no names to flush. */
async function syncNames(path: string): Promise<void> {
  try {
    await syncDirectory(path);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
}
