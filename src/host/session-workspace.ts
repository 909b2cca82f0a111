import type { HarnessCapabilities, HarnessWorkspaceSpec } from "../shared/workspace-spec.ts";
import type { LocalHarnessSession } from "./session.ts";

/** Options of `localSessionWorkspace`. */
export interface SessionWorkspaceOptions {
  /** Where the first command starts, inside the sandbox. @default "/session" */
  readonly cwd?: string;
  /** @default python and javascript on, no network */
  readonly capabilities?: Partial<HarnessCapabilities>;
}

/**
 * The workspace that `localHost` hands to every factory: `/session`, `/artifacts` and `/persistent`, writable and
 * tracked, and `/.agents`, read-only. Touches no disk: the directories are there since the session was created.
 */
export function localSessionWorkspace(
  session: LocalHarnessSession,
  options: SessionWorkspaceOptions = {},
): HarnessWorkspaceSpec {
  return {
    mounts: [
      { path: "/session", backingPath: session.sessionDir, access: "rw", tracked: true },
      { path: "/artifacts", backingPath: session.artifactsDir, access: "rw", tracked: true },
      { path: "/persistent", backingPath: session.persistentDir, access: "rw", tracked: true },
      { path: "/.agents", backingPath: session.agentsDir, access: "ro", tracked: false },
    ],
    cwd: options.cwd ?? "/session",
    capabilities: { python: true, javascript: true, ...options.capabilities },
  };
}
