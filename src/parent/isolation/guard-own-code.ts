/** What must not be so on the rungs that make claims about the worker's own code. */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { isAtOrBelow } from "../host-paths.ts";
import type { LaunchInput } from "./launch.ts";
import { lockdownFile } from "./permission-flags.ts";

/** Flags of Node.js that would give back what a rung takes. */
const LOOSENING =
  /^(?:--(?:no-)?(?:experimental-)?permission|--allow-|--import|--require|-r|--inspect|--env-file)/;

/** Why the worker's code would not be safe from its guest, or `null`. */
export function findOwnCodeProblem({ workerFile, mounts, execArgv }: LaunchInput): string | null {
  const folder = dirname(workerFile);
  if (!existsSync(lockdownFile(workerFile))) return `the worker's folder ${folder} has no lockdown.js`;
  for (const { backingPath, access } of mounts) {
    // A script could change the code that the next worker runs.
    if (access === "rw" && isAtOrBelow(folder, backingPath)) {
      return `the mounted directory ${backingPath} holds the worker's own code and is not read-only`;
    }
    if (isAtOrBelow(backingPath, folder))
      return `the mounted directory ${backingPath} lies in the worker's folder`;
  }
  const flag = execArgv.find((argument) => LOOSENING.test(argument));
  return flag === undefined ? null : `execArgv holds ${flag}, which would change the rights of the worker`;
}
