/**
 * The workspace as plain data: what a sandbox is told about its file system.
 * Equal after JSON and after a structured clone, so it can cross any wire.
 */

/** Whether a sandbox may write below a mount. */
export type MountAccess = "rw" | "ro";

/** One directory of the host, shown at one place inside the sandbox. Mounts may nest; the longest prefix wins. */
export interface HarnessMount {
  /** Absolute POSIX path inside the sandbox. */
  readonly path: string;
  /** Absolute path of the host directory behind it. */
  readonly backingPath: string;
  readonly access: MountAccess;
  /** Whether changes below this mount are reported as `harness.file.*` events. */
  readonly tracked: boolean;
  /** Absolute paths inside the sandbox, below `path`, that are read-only although the mount is `rw`. */
  readonly readOnlyPrefixes?: readonly string[];
}

/** Hosts that scripts may reach. No policy: no network. */
export interface NetworkPolicy {
  /** URL prefixes that `curl` may request, for example `https://api.example.com/v1/`. */
  readonly allowOnlyUrlPrefixes: readonly string[];
  /** HTTP methods that `curl` may use. @default ["GET", "HEAD"] */
  readonly allowOnlyMethods?: readonly string[];
}

/** What scripts may use besides bash. */
export interface HarnessCapabilities {
  readonly python: boolean;
  readonly javascript: boolean;
  readonly network?: NetworkPolicy;
}

/** The file system and capabilities of one sandbox, as plain data. */
export interface HarnessWorkspaceSpec {
  readonly mounts: readonly HarnessMount[];
  /** Absolute POSIX path inside the sandbox where the first command starts. */
  readonly cwd: string;
  readonly capabilities: HarnessCapabilities;
}
