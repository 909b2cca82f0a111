import { SandboxError } from "../shared/errors.ts";
import type { HarnessWorkspaceSpec } from "../shared/workspace-spec.ts";
import { MountFs } from "./mount-fs.ts";

/**
 * Of a workspace that was checked.
 *
 * @throws SandboxError `WORKSPACE_INVALID` when the first command would start in a directory that is not there.
 */
export async function checkCwd({ cwd, mounts }: HarnessWorkspaceSpec): Promise<void> {
  // The root of a mount is there: the check of the workspace has just looked.
  if (mounts.some(({ path }) => path === cwd)) return;
  const stat = await new MountFs({ mounts }).stat(cwd).catch(() => null);
  if (stat?.isDirectory === true) return;
  throw new SandboxError(
    "WORKSPACE_INVALID",
    `workspace.cwd: expected a directory inside the sandbox, got "${cwd}", which is ${stat === null ? "not there" : "none"}.`,
    { cwd },
  );
}
