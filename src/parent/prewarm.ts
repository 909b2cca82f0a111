/** Starts the first spares of a factory that has not been asked for a sandbox yet. */
import { findNode } from "./find-node.ts";
import { findWorker } from "./find-worker.ts";
import type { ResolvedOptions } from "./options.ts";

/** A host that starts up needs the processor itself. */
const DELAY_MS = 250;

/**
 * Neither waits nor fails: what is wrong is told when a sandbox is created.
 *
 * @param isInUse whether a sandbox was asked for since: its worker's start sees to the spares too
 */
export function prewarm(options: ResolvedOptions, isInUse: () => boolean): void {
  if (options.isolation !== "process") return;
  setTimeout(() => {
    if (!isInUse()) void start(options);
  }, DELAY_MS).unref();
}

async function start(options: ResolvedOptions): Promise<void> {
  const { workerPath, nodePath, isolation, execArgv, env, prewarm, codeCacheDirectory, executionLimits } =
    options;
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
    // What most sandboxes are; each that is opened says what the next ones will be.
    keepSpares(launch, { python: true, javascript: true, tools: false, executionLimits }, prewarm, 0);
  } catch {
    // See above.
  }
}
