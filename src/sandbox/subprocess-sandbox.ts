import { closeCodeCaches } from "../parent/close-code-cache.ts";
import { checkNodePath, findNode } from "../parent/find-node.ts";
import { findWorker } from "../parent/find-worker.ts";
import { resolveOptions, type SubprocessOptions } from "../parent/options.ts";
import { prewarm } from "../parent/prewarm.ts";
import { createSubprocessExecutor } from "../parent/subprocess-executor.ts";
import type { HarnessSandboxFactory } from "../shared/sandbox.ts";
import { checkTripWires } from "../shared/trip-wires.ts";
import { createShellRuntime } from "../shell/shell-runtime.ts";
import { resolveTraceOptions } from "../shell/trace-options.ts";
import { createEnvironmentToolBridge } from "../tools/environment-tool-bridge.ts";
import { checkCwd } from "../workspace/check-cwd.ts";
import { checkWorkspace } from "../workspace/check-workspace.ts";
import { addPrivateDirectories } from "../workspace/private-directories.ts";
import { withOverlaps } from "../workspace/tracked-places.ts";
import { withRuntime } from "./effective-capabilities.ts";

/**
 * A factory of sandboxes that run scripts in a child process: spawned at the first command or file call, with
 * an empty environment, killed when a command must end. Tools stay in this process.
 *
 * @throws SandboxError `OPTION_INVALID` for an unknown option or a bad value, `WORKER_NOT_FOUND` for a
 * `workerPath` that is not there, `NODE_NOT_FOUND` for a `nodePath` that is no program. The factory rejects with
 * `WORKSPACE_INVALID`, `TOOLS_WITHOUT_CONTEXT`, `TOOL_INVALID`, `WORKER_NOT_FOUND`, or `NODE_NOT_FOUND` where this
 * process is no Node.js (Bun, Deno, Electron, an application in one file) and `nodePath` names none.
 */
export function subprocessSandbox(options: SubprocessOptions = {}): HarnessSandboxFactory {
  const resolved = resolveOptions(options);
  if (resolved.workerPath !== null) findWorker(resolved.workerPath);
  checkNodePath(resolved.nodePath);
  let isInUse = false;
  if (resolved.prewarm > 0) prewarm(resolved, () => isInUse);
  return async (create) => {
    const checked = checkWorkspace(create.workspace);
    const workspace = withRuntime(checked, create.runtime);
    const tripWires = checkTripWires(create.tripWires);
    const traceOptions = create.traceOptions ?? resolveTraceOptions(undefined, undefined);
    const toolBridge = createEnvironmentToolBridge({ ...create, workspace }, traceOptions, () => undefined);
    findWorker(resolved.workerPath);
    checkNodePath(resolved.nodePath);
    findNode(resolved.nodePath);
    await checkCwd(workspace);
    const inside = addPrivateDirectories(workspace);
    const { mounts } = inside.workspace;
    const getReadOnlyPrefixes = closeCodeCaches(
      create.getReadOnlyPrefixes,
      mounts,
      resolved.codeCacheDirectory,
    );
    const executor = createSubprocessExecutor(
      resolved,
      { ...inside.workspace, mounts: withOverlaps(mounts) },
      toolBridge !== undefined,
      tripWires,
      () => getReadOnlyPrefixes?.() ?? [],
    );
    isInUse = true;
    if (resolved.prewarm > 0) executor.prepare();
    return createShellRuntime({
      ...create,
      getReadOnlyPrefixes,
      workspace,
      toolBridge,
      traceOptions,
      files: create.files ?? executor.files,
      execute: executor.execute,
      tellsTouchedPaths: true,
      prepare: executor.prepare,
      limits: resolved.limits,
      isolation: () => executor.describe(),
      dispose: async () => {
        try {
          await executor.dispose();
        } finally {
          inside.remove();
        }
      },
    });
  };
}
