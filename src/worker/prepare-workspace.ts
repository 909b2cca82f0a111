/**
 * A workspace without its mounts: the file system around them, and a shell in it that waits for its first script. Made
 * in the same way whether it is handed its workspace at once or after a long wait, so that no script can tell.
 */
import type { EngineKind, PreparedShell } from "../engine/port.ts";
import type { SpareKind } from "../protocol/spare.ts";
import { defenseInDepthForAdapter } from "../shared/defense.ts";
import { MountFs } from "../workspace/mount-fs.ts";
import { type TouchLog, TouchLogs } from "../workspace/touch-log.ts";

/** What `open` fills. */
export interface PreparedWorkspace {
  readonly fs: MountFs;
  readonly touches: TouchLogs;
  readonly shell: PreparedShell;
  /** What the shell has told of its command's changes. */
  readonly touched: TouchLog;
}

/** Gives what is ready for an engine of this kind, or `null`; nothing else is under way any more. */
export type TakePrepared = (kind: EngineKind) => Promise<PreparedWorkspace | null>;

export function prepareWorkspace(
  { createShellFsError, prepareShell }: typeof import("../engine/index.ts"),
  kind: EngineKind,
): PreparedWorkspace {
  const fs = new MountFs({ mounts: [], createError: createShellFsError });
  const touches = new TouchLogs([]);
  const touched = touches.open();
  return { fs, touches, touched, shell: prepareShell(kind, fs.view(touched)) };
}

/** What an engine is built from, field by field in one order. */
export function toEngineKind(given: SpareKind & Pick<EngineKind, "network">): EngineKind {
  const { python, javascript, tools, network, executionLimits } = given;
  const defenseInDepth = defenseInDepthForAdapter("subprocess");
  return { python, javascript, tools, network, executionLimits, defenseInDepth };
}
