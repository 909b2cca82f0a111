/** What a rung makes of a worker: the command that starts it, and how the worker sees its mounts. */

import type { HarnessMount } from "../../shared/workspace-spec.ts";
import type { CodeCache } from "../code-cache.ts";

/** From least to most. */
export type RungName = "process" | "hardened" | "namespace";

/** What every rung starts from. All paths are absolute. */
export interface LaunchInput {
  readonly workerFile: string;
  readonly nodePath: string;
  /** Whether `nodePath` is the Node.js of this process. */
  readonly ownNode: boolean;
  readonly execArgv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** With `backingPath` resolved: no link on the way. */
  readonly mounts: readonly Pick<HarnessMount, "backingPath" | "access">[];
  /** Where compiled code is kept; `null`: nowhere. @default null */
  readonly codeCacheDirectory?: string | null;
  /** Whether the workspace lets scripts reach any network. */
  readonly network: boolean;
}

/** How one worker is started. */
export interface Launch {
  readonly rung: RungName;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** What the command reads from descriptors 4, 5, …; each is written once and closed. */
  readonly inputs: readonly Uint8Array[];
  /** The directories of the mounts as the worker sees them, in the order of the mounts. */
  readonly backingPaths: readonly string[];
  /** The compiled form of the worker's code; `null`: it compiles by itself. @default null */
  readonly codeCache?: CodeCache | null;
  /** Whether the worker is a process inside another one, which is the one that is started. */
  readonly wrapped: boolean;
}

/** Why a rung cannot be given here, in words that follow «because». */
export interface Unavailable {
  readonly unavailable: string;
}
