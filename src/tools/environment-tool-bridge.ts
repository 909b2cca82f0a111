import type { CreateSandboxOptions } from "../shared/sandbox.ts";
import type { ToolBridge } from "../shared/tools.ts";
import type { HarnessTraceOptions } from "../shared/trace-options.ts";
import { createRuntimeToolBridge } from "./tool-bridge.ts";

/**
 * The bridge of one sandbox, from the options of its factory; `undefined` without tools or without
 * JavaScript, for scripts call tools from `js-exec` only. Throws `TOOLS_WITHOUT_CONTEXT` and `TOOL_INVALID`.
 * @param _traceOptions part of the signature that adapters call; the shell runtime applies them to its events
 * @param getActiveCommand what a replay is told about each call
 */
export function createEnvironmentToolBridge(
  options: CreateSandboxOptions,
  _traceOptions: HarnessTraceOptions,
  getActiveCommand: () => unknown,
): ToolBridge | undefined {
  const { tools, workspace } = options;
  if (tools === undefined || Object.keys(tools).length === 0) return undefined;
  const bridge = createRuntimeToolBridge({
    tools,
    toolContext: options.toolContext,
    replay: options.replay,
    getActiveCommand,
    sandboxPaths: workspace.mounts.map((mount) => mount.path),
  });
  // After the checks, so that bad tools are an error whatever the runtime is.
  return options.runtime?.javascript === false || !workspace.capabilities.javascript ? undefined : bridge;
}
