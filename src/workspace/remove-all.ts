/**
 * Removal of a directory of ours with whatever guests have left in it: nested deeper than a path may be long, or closed
 * to its own user. Follows no link. Only for places in which no guest is left.
 */
import { chmodSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Half of what Linux takes for a path, so that one more name always fits. */
const MAX_PATH_LENGTH = 2048;

/** Why a removal may fail although everything is ours. */
const MENDABLE = ["ENAMETOOLONG", "EACCES", "EPERM", "ENOTEMPTY"];

export function removeAllSync(root: string): void {
  try {
    removeSync(root);
  } catch (error) {
    if (!MENDABLE.includes(String((error as NodeJS.ErrnoException).code))) throw error;
    openAndFlatten(root);
    removeSync(root);
  }
}

function removeSync(root: string): void {
  // Retried: what ends at this moment may still make an entry.
  rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
}

/** Opens every directory below, and moves those that lie too deep up to the root. */
function openAndFlatten(root: string): void {
  const open = [root];
  let moved = 0;
  for (let directory = open.pop(); directory !== undefined; directory = open.pop()) {
    chmodSync(directory, 0o700);
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      if (!entry.isDirectory()) continue;
      const child = join(directory, entry.name);
      if (child.length <= MAX_PATH_LENGTH) {
        open.push(child);
        continue;
      }
      // A directory can be moved only by who may write in it.
      chmodSync(child, 0o700);
      const up = join(root, `moved-up-${moved++}-${process.pid}-${Date.now()}`);
      renameSync(child, up);
      open.push(up);
    }
  }
}
