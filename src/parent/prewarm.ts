/** Starts the first spares of a factory, before it is asked for a sandbox. */
import { findNode } from "./find-node.ts";
import { findWorker } from "./find-worker.ts";
import type { ResolvedOptions } from "./options.ts";

/** Neither waits nor fails: what is wrong is told when a sandbox is created. */
export async function prewarm(options: ResolvedOptions): Promise<void> {
  const {
    workerPath,
    nodePath,
    isolation,
    execArgv,
    env,
    prewarm: count,
    codeCacheDirectory,
    executionLimits,
  } = options;
  if (isolation !== "process") return;
  try {
    const [{ chooseRung }, { keepSpares }] = await Promise.all([
      import("./isolation/choose-rung.ts"),
      import("./spare-workers.ts"),
    ]);
    const { launch } = await chooseRung(isolation, {
      workerFile: findWorker(workerPath),
      nodePath: findNode(nodePath),
      ownNode: nodePath === null,
      execArgv,
      env,
      mounts: [],
      codeCacheDirectory,
      network: false,
    });
    // What most sandboxes are; the ones that are opened say what the next will be.
    keepSpares(
      launch,
      { python: true, javascript: true, tools: false, executionLimits: { ...executionLimits } },
      count,
    );
  } catch {
    // See above.
  }
}
