/** A directory of the host that is private to one sandbox; what nobody removes goes with the process. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeAllSync } from "./remove-all.ts";

export interface TemporaryDirectory {
  readonly path: string;
  /** With whatever guests have left in it. */
  remove(): void;
}

export function makeTemporaryDirectory(): TemporaryDirectory {
  const path = mkdtempSync(join(tmpdir(), "little-harness-"));
  leftovers.add(path);
  if (leftovers.size === 1) process.once("exit", removeLeftovers);
  return {
    path,
    remove() {
      leftovers.delete(path);
      if (leftovers.size === 0) process.off("exit", removeLeftovers);
      removeAllSync(path);
    },
  };
}

/** Directories of sandboxes that nobody disposed of. */
const leftovers = new Set<string>();

function removeLeftovers(): void {
  for (const path of leftovers) removeAllSync(path);
}
