import { createJustBashExecutor } from "../in-process/just-bash-executor.ts";
import { closeCodeCaches } from "../parent/close-code-cache.ts";
import { findWorker } from "../parent/find-worker.ts";
import { resolveOptions, type SubprocessOptions } from "../parent/options.ts";
import type { SandboxFileSystem } from "../shared/file-system.ts";
import type { HarnessSandboxFactory } from "../shared/sandbox.ts";
import { checkTripWires } from "../shared/trip-wires.ts";
import { createShellRuntime } from "../shell/shell-runtime.ts";
import { resolveTraceOptions } from "../shell/trace-options.ts";
import { createEnvironmentToolBridge } from "../tools/environment-tool-bridge.ts";
import { checkCwd } from "../workspace/check-cwd.ts";
import { checkWorkspace } from "../workspace/check-workspace.ts";
import { hostFiles } from "../workspace/host-files.ts";
import { MountFs } from "../workspace/mount-fs.ts";
import { addPrivateDirectories } from "../workspace/private-directories.ts";
import { withOverlaps } from "../workspace/tracked-places.ts";
import { withRuntime } from "./effective-capabilities.ts";

/** The same files, each call of them run by `run`. */
function runBy(
  run: (call: () => Promise<unknown>) => Promise<unknown>,
  files: SandboxFileSystem,
): SandboxFileSystem {
  const wrap =
    (operation: (...given: unknown[]) => Promise<unknown>) =>
    (...given: unknown[]): Promise<unknown> =>
      run(() => operation(...given));
  return Object.fromEntries(
    Object.entries(files).map(([name, operation]) => [name, wrap(operation.bind(files))]),
  ) as unknown as SandboxFileSystem;
}

/** Options of `justBashSandbox()`: those of `subprocessSandbox()` that make sense without a process. */
export type JustBashOptions = Pick<SubprocessOptions, "workerPath" | "limits" | "executionLimits">;

/**
 * A factory of sandboxes that run scripts with the engine in this process. The same contract as
 * `subprocessSandbox()`, without its walls: no process to kill, the engine's defenses off. For scripts that
 * you trust; **not an isolation boundary**.
 *
 * @throws SandboxError as `subprocessSandbox()`.
 */
export function justBashSandbox(options: JustBashOptions = {}): HarnessSandboxFactory {
  const { workerPath, limits, executionLimits } = resolveOptions(options);
  if (workerPath !== null) findWorker(workerPath);
  return async (create) => {
    const workspace = withRuntime(checkWorkspace(create.workspace), create.runtime);
    const tripWires = checkTripWires(create.tripWires);
    const traceOptions = create.traceOptions ?? resolveTraceOptions(undefined, undefined);
    const toolBridge = createEnvironmentToolBridge({ ...create, workspace }, traceOptions, () => undefined);
    await checkCwd(workspace);
    const inside = addPrivateDirectories(workspace);
    const getReadOnlyPrefixes = closeCodeCaches(create.getReadOnlyPrefixes, inside.workspace.mounts);
    const executor = createJustBashExecutor({
      workspace: { ...inside.workspace, mounts: withOverlaps(inside.workspace.mounts) },
      tools: toolBridge !== undefined,
      limits,
      executionLimits,
      tripWires,
      workerFile: () => findWorker(workerPath),
    });
    const { maxWriteBytes } = limits;
    const mountFs = new MountFs({ mounts: inside.workspace.mounts, maxWriteBytes });
    const files = hostFiles(mountFs, workspace.cwd, () => {
      mountFs.setReadOnlyPrefixes(getReadOnlyPrefixes?.() ?? []);
      mountFs.forgetWrittenBytes();
    });
    return createShellRuntime({
      ...create,
      getReadOnlyPrefixes,
      workspace,
      toolBridge,
      traceOptions,
      files: create.files ?? runBy(executor.between, files),
      execute: executor.execute,
      tellsTouchedPaths: true,
      limits,
      isolation: async () => ({
        rung: "none",
        engine: await executor.engineName(),
        defense: "none",
        walls: [{ name: "process", state: "not-claimed", reason: "scripts run in the host's own process" }],
      }),
      dispose: async () => {
        await executor.dispose();
        inside.remove();
      },
    });
  };
}
