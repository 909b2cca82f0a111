import { fstatSync } from "node:fs";
import { Worker } from "node:worker_threads";

/** Starts the watcher thread. Without descriptor 3 (started by hand) there is no parent to outlive. */
export function startLifeline(script: URL): void {
  try {
    fstatSync(3);
  } catch {
    return;
  }
  const thread = new Worker(script, {
    env: {},
    execArgv: [],
    stdout: false,
    stderr: false,
    resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1, stackSizeMb: 1 },
  });
  thread.unref();
}
