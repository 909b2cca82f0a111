/**
 * What a loop over a model needs of a host: a turn, prepared. `localHost()` is one; others may write theirs. Types
 * only. A host owns sessions, sandboxes and the stream of events; the loop owns the model.
 */
import type { HarnessOrchestrationServices } from "../shared/orchestration.ts";
import type { HarnessRuntimeOptions, HarnessSandbox, ToolReplay } from "../shared/sandbox.ts";
import type { HarnessTools } from "../shared/tools.ts";
import type { HarnessTraceLevel, HarnessTraceOptions } from "../shared/trace-options.ts";
import type { HarnessTurnEvent, TokenUsage, UnstampedTurnEvent } from "../shared/turn-events.ts";
import type { HarnessWorkspaceSpec } from "../shared/workspace-spec.ts";
import type { LocalHarnessSession } from "./session.ts";

/** A directory below `/persistent` that a turn wants. */
export interface PersistentDirectory {
  /** One component of a path: letters, digits, `.`, `_` and `-`. */
  readonly name: string;
  /** `"ro"`: scripts of this turn cannot write below it. */
  readonly access: "rw" | "ro";
}

/** What a turn is asked for with. */
export interface PrepareTurnOptions {
  /** The session or its id. @default a new one */
  readonly session?: string | LocalHarnessSession | undefined;
  /** Name of the run that the turn is part of, for the record. */
  readonly runId?: string | undefined;
  /** The turn's effective runtime: what the harness and the call say, already merged. @default both on */
  readonly runtime?: HarnessRuntimeOptions | undefined;
  /** Tools that scripts may call from `js-exec`. They need `toolContext`. */
  readonly tools?: HarnessTools | undefined;
  readonly toolContext?: unknown;
  /** Goes before the host's, field by field. */
  readonly traceOptions?: HarnessTraceLevel | undefined;
  /** Whether `harness.tool_call.*` of scripts is emitted. @default true */
  readonly emitToolEvents?: boolean | undefined;
  readonly replay?: ToolReplay | undefined;
  /** Made when the turn is prepared; what is not named here stays as it is. @default [] */
  readonly persistentDirs?: readonly PersistentDirectory[] | undefined;
  /** Every event of the turn, in order, at once. What it throws or rejects with changes nothing. */
  readonly onEvent?: ((event: HarnessTurnEvent) => unknown) | undefined;
}

/** How a turn ended, as the loop knows it. */
export interface TurnOutcome {
  readonly status: "completed" | "failed" | "aborted";
  /** For `failed` and `aborted`: what happened, without anything secret; it is written down and told. */
  readonly error?: string | undefined;
  readonly finishReason?: string | undefined;
  readonly steps?: number | undefined;
  readonly usage?: TokenUsage | undefined;
}

/** A file that a turn left for later. */
export interface TurnArtifact {
  /** Inside the sandbox, for example `/artifacts/output-1.txt`. */
  readonly path: string;
  readonly sizeBytes: number;
}

/** One turn of a session, from its preparation to `dispose`. Dispose of it on every way out. */
export interface PreparedTurn extends AsyncDisposable {
  /** Unique within the session. */
  readonly id: string;
  readonly session: { readonly id: string };
  readonly workspace: HarnessWorkspaceSpec;
  readonly runtime: { readonly python: boolean; readonly javascript: boolean };
  /** Both levels in one, for what the loop itself tells. */
  readonly traceOptions: HarnessTraceOptions;
  readonly orchestration: HarnessOrchestrationServices;
  readonly sandboxMode: "subprocess" | "just-bash" | "custom";
  /**
   * The turn's one sandbox, made at the first call; calls meanwhile wait for the same. After a failure the next call
   * tries again.
   *
   * @throws SandboxError what the factory threw, `SANDBOX_UNAVAILABLE` when that was none of ours, `TURN_ENDED` after
   * `dispose`.
   */
  sandbox(): Promise<HarnessSandbox>;
  /** Whether a sandbox was ever made. */
  readonly sandboxOpened: boolean;
  /** Puts an event of the loop into the turn's stream. After `dispose` it is dropped. */
  emit(event: UnstampedTurnEvent): void;
  /**
   * Writes a new file below `/artifacts`, under this name or one close to it; nothing is ever overwritten.
   *
   * @throws SandboxError `OPTION_INVALID`, `TURN_ENDED`, `STORE_FAILED`.
   */
  artifact(name: string, bytes: Uint8Array | string): Promise<TurnArtifact>;
  /** Says how the turn ended; the first call counts. Told and recorded by `dispose`, which takes `aborted` without it. */
  end(outcome: TurnOutcome): void;
  /**
   * Releases everything the turn holds and tells its end. Each call gives the same promise, which never rejects and
   * is bounded in time; what goes wrong with the sandbox becomes `harness.runtime.dispose.failed`.
   */
  dispose(): Promise<void>;
}

/** Prepares turns. */
export interface HarnessHost {
  /**
   * @throws SandboxError `OPTION_INVALID`, `TOOL_INVALID`, `TOOLS_WITHOUT_CONTEXT`, `SESSION_NOT_FOUND`,
   * `SESSION_INVALID`, `SESSION_BUSY`, `DATA_DIR_INVALID`, `STORE_FAILED`, `HOST_CLOSED`.
   */
  prepareTurn(options?: PrepareTurnOptions): Promise<PreparedTurn>;
}
