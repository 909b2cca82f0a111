/** Where a worker that is not in a jail stands. */
import { existsSync } from "node:fs";
import { dirname } from "node:path";

const NOTHING_CAN_BE_MADE_HERE = "/proc";

/**
 * The working directory of the worker. A process that crashes leaves its memory there where the system is set up
 * for it (a file `core`), and so do reports of Node.js: on Linux it is a directory in which nobody, root included,
 * can make a file, elsewhere the worker's own folder. No code of ours reads it.
 */
export function workerDirectory(workerFile: string, platform: string = process.platform): string {
  if (platform === "linux" && existsSync(NOTHING_CAN_BE_MADE_HERE)) return NOTHING_CAN_BE_MADE_HERE;
  return dirname(workerFile);
}
