/** What the commands of one sandbox share. Internal to `shell`; made once by `createShellRuntime`. */
import type { Execute } from "../shared/executor.ts";
import type { SandboxLimits } from "../shared/limits.ts";
import type { ToolBridge } from "../shared/tools.ts";
import type { HarnessTraceOptions } from "../shared/trace-options.ts";
import type { MountAccess } from "../shared/workspace-spec.ts";
import type { ChangeTracker } from "./change-tracker.ts";
import type { EventStream } from "./event-stream.ts";
import type { FileEvents } from "./file-events.ts";
import type { IsolationKeeper } from "./isolation-record.ts";

/** Limits that the runtime applies, and those of the executor that it was told about. */
export type RuntimeLimits = Partial<SandboxLimits> &
  Pick<SandboxLimits, "maxToolCalls" | "maxToolConcurrency">;

export interface RuntimeParts {
  readonly execute: Execute;
  /** See `ShellRuntimeOptions.prepare`. */
  prepare(): void;
  readonly events: EventStream;
  readonly tracker: ChangeTracker;
  readonly fileEvents: FileEvents;
  readonly isolation: IsolationKeeper;
  /** Absent: no tools, or no JavaScript to call them from. */
  readonly toolBridge: ToolBridge | undefined;
  readonly emitToolEvents: boolean;
  readonly traceOptions: HarnessTraceOptions;
  readonly limits: RuntimeLimits;
  readonly mounts: readonly { readonly path: string; readonly access: MountAccess }[];
  readonly lastResortMs: number;
  /** Asks the host anew; `problem` when it did not say: a command must not run with fewer prefixes. */
  readReadOnlyPrefixes(): { readonly prefixes: readonly string[] } | { readonly problem: string };
}
