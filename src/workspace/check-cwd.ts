import { SandboxError } from "../shared/errors.ts";
import type { HarnessWorkspaceSpec } from "../shared/workspace-spec.ts";
import { MountFs } from "./mount-fs.ts";

/** @throws SandboxError `WORKSPACE_INVALID` when the first command would start in a directory that is not there. */
export async function checkCwd({ cwd, mounts }: HarnessWorkspaceSpec): Promise<void> {
  const stat = await new MountFs({ mounts }).stat(cwd).catch(() => null);
  if (stat?.isDirectory === true) return;
  throw new SandboxError(
    "WORKSPACE_INVALID",
    `workspace.cwd: expected a directory inside the sandbox, got "${cwd}", which is ${stat === null ? "not there" : "none"}.`,
    { cwd },
  );
}
