import type { Launch, LaunchInput } from "./launch.ts";
import { workerDirectory } from "./worker-directory.ts";

/** The first rung: an ordinary process of this user, with nothing in its environment. */
export function processLaunch(input: LaunchInput): Launch {
  return {
    rung: "process",
    command: input.nodePath,
    args: [...input.execArgv, input.workerFile],
    env: input.env,
    cwd: workerDirectory(input.workerFile),
    inputs: [],
    backingPaths: input.mounts.map(({ backingPath }) => backingPath),
    wrapped: false,
  };
}
