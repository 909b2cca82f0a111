import { SandboxError } from "../shared/errors.ts";
import type { SandboxFileSystem } from "../shared/file-system.ts";
import type { HarnessWorkspaceSpec } from "../shared/workspace-spec.ts";
import { hostFiles } from "../workspace/host-files.ts";
import { MountFs } from "../workspace/mount-fs.ts";

/**
 * The `fs` of a sandbox whose adapter brings none: the mounts' directories on this host, with their rights.
 * `refresh` sets the prefixes that are read-only from then on. Throws `WORKSPACE_INVALID` for a mount whose
 * directory is not there.
 */
export function createDefaultFiles(workspace: HarnessWorkspaceSpec): {
  readonly files: SandboxFileSystem;
  refresh(readOnlyPrefixes: readonly string[]): void;
} {
  try {
    const mountFs = new MountFs({ mounts: workspace.mounts });
    return {
      files: hostFiles(mountFs, workspace.cwd),
      refresh: (prefixes) => mountFs.setReadOnlyPrefixes(prefixes),
    };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new SandboxError("WORKSPACE_INVALID", `workspace: ${why}`, {}, { cause });
  }
}
