/** `@little-stack/harness/sandbox`: what authors of other sandboxes build on. */
export { localSessionWorkspace, type SessionWorkspaceOptions } from "./host/session-workspace.ts";
export { defenseInDepthForAdapter } from "./shared/defense.ts";
export { createShellRuntime } from "./shell/shell-runtime.ts";
export { resolveTraceOptions } from "./shell/trace-options.ts";
export { createEnvironmentToolBridge } from "./tools/environment-tool-bridge.ts";
export { createRuntimeToolBridge } from "./tools/tool-bridge.ts";
