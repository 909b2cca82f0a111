import { dirname } from "node:path";
import type { Launch, LaunchInput } from "./launch.ts";

/** The first rung: an ordinary process of this user, with nothing in its environment. */
export function processLaunch(input: LaunchInput): Launch {
  return {
    rung: "process",
    command: input.nodePath,
    args: [...input.execArgv, input.workerFile],
    env: input.env,
    // The folder of the worker tells a guest nothing about the host application.
    cwd: dirname(input.workerFile),
    inputs: [],
    backingPaths: input.mounts.map(({ backingPath }) => backingPath),
    wrapped: false,
  };
}
