import type { HarnessRuntimeOptions } from "../shared/sandbox.ts";
import type { HarnessWorkspaceSpec } from "../shared/workspace-spec.ts";

/** The workspace with what the runtime options turn off; they can turn nothing on that the workspace lacks. */
export function withRuntime(
  workspace: HarnessWorkspaceSpec,
  runtime: HarnessRuntimeOptions | undefined,
): HarnessWorkspaceSpec {
  const { python, javascript } = workspace.capabilities;
  return {
    ...workspace,
    capabilities: {
      ...workspace.capabilities,
      python: python && runtime?.python !== false,
      javascript: javascript && runtime?.javascript !== false,
    },
  };
}
