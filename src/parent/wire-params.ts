import type { ParentRequests } from "../protocol/messages.ts";
import type { SpareKind } from "../protocol/spare.ts";
import type { ExecuteInput } from "../shared/executor.ts";
import type { HarnessWorkspaceSpec } from "../shared/workspace-spec.ts";
import type { ResolvedOptions } from "./options.ts";

/** The workspace as it crosses the wire: what the worker needs to know of it and nothing else. */
export function toOpenParams(
  workspace: HarnessWorkspaceSpec,
  tools: boolean,
  tripWires: readonly string[],
  { executionLimits, limits }: Pick<ResolvedOptions, "executionLimits" | "limits">,
): ParentRequests["open"]["params"] {
  const { python, javascript, network } = workspace.capabilities;
  return {
    workspace: {
      mounts: workspace.mounts.map(({ path, backingPath, access, tracked, readOnlyPrefixes }) => ({
        path,
        backingPath,
        access,
        watched: tracked,
        readOnlyPrefixes: [...(readOnlyPrefixes ?? [])],
      })),
      cwd: workspace.cwd,
      python,
      javascript,
      network:
        network === undefined
          ? null
          : {
              allowOnlyUrlPrefixes: [...network.allowOnlyUrlPrefixes],
              allowOnlyMethods: [...(network.allowOnlyMethods ?? ["GET", "HEAD"])],
            },
    },
    tools,
    tripWires: [...tripWires],
    executionLimits: { ...executionLimits },
    maxMemoryMb: limits.maxMemoryMb,
    maxWriteBytes: limits.maxWriteBytes,
  };
}

/** What a spare may know of such a workspace; `null`: none is made ready for a network, whose addresses are its own. */
export function toSpareKind({
  workspace: { python, javascript, network },
  tools,
  executionLimits,
}: ParentRequests["open"]["params"]): SpareKind | null {
  return network === null ? { python, javascript, tools, executionLimits } : null;
}

/** A command as it crosses the wire; script and stdin travel in the body. */
export function toExecParams(input: ExecuteInput, scriptBytes: number): ParentRequests["exec"]["params"] {
  return {
    scriptBytes,
    stdinBytes: input.stdin?.length ?? null,
    cwd: input.cwd ?? null,
    env: input.env === undefined ? null : { ...input.env },
    replaceEnv: input.replaceEnv === true,
    args: [...(input.args ?? [])],
    nested: input.nested,
    readOnlyPrefixes: [...input.readOnlyPrefixes],
  };
}
