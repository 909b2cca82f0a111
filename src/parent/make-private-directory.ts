import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a directory that is this user's alone, and those above it. Step by step: `mkdir` with `recursive` never ends
 * in Node.js 20 where a file system says that a directory is not there in which it has just looked (`/proc/a`).
 */
export function makePrivateDirectory(directory: string): void {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() === true) return;
  if (dirname(directory) !== directory) makePrivateDirectory(dirname(directory));
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
