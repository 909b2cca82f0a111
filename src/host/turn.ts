/**
 * One turn of a session on this host. It holds the session's lock, perhaps a sandbox, and the turn's stream; all of
 * them go in `dispose`, in that order backwards, whatever happened before.
 */
import { SandboxError } from "../shared/errors.ts";
import type { HarnessEvent } from "../shared/events.ts";
import type { HarnessOrchestrationServices } from "../shared/orchestration.ts";
import type { HarnessSandbox, HarnessSandboxFactory } from "../shared/sandbox.ts";
import type { HarnessTraceOptions } from "../shared/trace-options.ts";
import type { UnstampedTurnEvent } from "../shared/turn-events.ts";
import type { HarnessWorkspaceSpec } from "../shared/workspace-spec.ts";
import { waitAtMost } from "../shell/bounded-wait.ts";
import { codeOf } from "../storage/error-code.ts";
import type { FileLock } from "../storage/file-lock.ts";
import { ownIdentity } from "../storage/process-identity.ts";
import { writeArtifact } from "./artifacts.ts";
import type { PreparedTurn, PrepareTurnOptions, TurnArtifact, TurnOutcome } from "./host.ts";
import type { LocalHarnessSession } from "./session.ts";
import { sessionPathsAt, turnPathsAt } from "./session-paths.ts";
import { checkOutcome } from "./turn-outcome.ts";
import { type TurnRecord, writeTurnRecord } from "./turn-record.ts";
import { TurnSandbox } from "./turn-sandbox.ts";
import { TurnStream } from "./turn-stream.ts";

/** What a turn is made of; all of it checked. */
export interface TurnParts {
  readonly id: string;
  /** Where its files lie; may be missing when it could not be made. */
  readonly directory: string;
  readonly session: LocalHarnessSession;
  readonly lock: FileLock;
  readonly workspace: HarnessWorkspaceSpec;
  readonly runtime: PreparedTurn["runtime"];
  readonly traceOptions: HarnessTraceOptions;
  readonly orchestration: HarnessOrchestrationServices;
  readonly sandboxMode: PreparedTurn["sandboxMode"];
  readonly factory: HarnessSandboxFactory;
  /** Paths inside, for as long as the turn lasts. */
  readonly readOnlyPrefixes: readonly string[];
  readonly options: PrepareTurnOptions;
  /** For each thing that `dispose` waits for, in milliseconds. */
  readonly disposeTimeoutMs: number;
  /** Called once, when nothing is held any longer. */
  readonly onReleased: (turn: LocalTurn) => void;
}

export class LocalTurn implements PreparedTurn {
  readonly id: string;
  readonly session: LocalHarnessSession;
  readonly workspace: HarnessWorkspaceSpec;
  readonly runtime: PreparedTurn["runtime"];
  readonly traceOptions: HarnessTraceOptions;
  readonly orchestration: HarnessOrchestrationServices;
  readonly sandboxMode: PreparedTurn["sandboxMode"];
  readonly #parts: TurnParts;
  readonly #stream: TurnStream;
  readonly #sandbox: TurnSandbox;
  readonly #startedMs = performance.now();
  readonly #record: TurnRecord;
  /** Path inside and digest of what the host wrote itself. */
  readonly #artifacts = new Map<string, string>();
  readonly #writing = new Set<Promise<unknown>>();
  #outcome: TurnOutcome | undefined;
  #disposed: Promise<void> | undefined;

  private constructor(parts: TurnParts) {
    this.#parts = parts;
    const { id, session, workspace, runtime, traceOptions, orchestration, sandboxMode, options } = parts;
    this.id = id;
    this.session = session;
    this.workspace = workspace;
    this.runtime = runtime;
    this.traceOptions = traceOptions;
    this.orchestration = orchestration;
    this.sandboxMode = sandboxMode;
    this.#stream = new TurnStream({
      turnId: id,
      file: turnPathsAt(parts.directory).events,
      onEvent: options.onEvent,
    });
    this.#sandbox = new TurnSandbox(() => this.#makeSandbox());
    const { runId } = options;
    this.#record = {
      version: 1,
      turnId: id,
      sessionId: session.id,
      ...(runId === undefined ? {} : { runId }),
      status: "running",
      process: ownIdentity(),
      startedAt: new Date().toISOString(),
      sandboxMode,
      runtime,
    };
  }

  /** Never rejects: what cannot be written is told in the turn's stream. */
  static async begin(parts: TurnParts, directoryProblem: unknown): Promise<LocalTurn> {
    const turn = new LocalTurn(parts);
    const { sandboxMode, runtime, session, options } = parts;
    const { runId } = options;
    turn.#stream.tell({
      type: "harness.turn.started",
      sessionId: session.id,
      ...(runId === undefined ? {} : { runId }),
      sandboxMode,
      runtime,
    });
    if (directoryProblem !== undefined) turn.#tellNotWritten("the directory of the turn", directoryProblem);
    await turn.#writeRecord(turn.#record);
    return turn;
  }

  get sandboxOpened(): boolean {
    return this.#sandbox.wasMade;
  }

  async sandbox(): Promise<HarnessSandbox> {
    return await this.#sandbox.get();
  }

  emit(event: UnstampedTurnEvent): void {
    this.#stream.emit(event);
  }

  async artifact(name: string, bytes: Uint8Array | string): Promise<TurnArtifact> {
    if (this.#disposed !== undefined) throw new SandboxError("TURN_ENDED", "The turn has ended.");
    const writing = writeArtifact(this.session.artifactsDir, name, bytes);
    const settled = writing.catch(() => undefined); // told to the caller
    this.#writing.add(settled);
    try {
      const written = await writing;
      const path = `/artifacts/${written.name}`;
      this.#artifacts.set(path, written.sha256);
      const { sizeBytes, sha256 } = written;
      this.#stream.tell({
        type: "harness.file.created",
        path,
        kind: "file",
        size: sizeBytes,
        sha256,
        source: "host",
      });
      return { path, sizeBytes };
    } finally {
      this.#writing.delete(settled);
    }
  }

  end(outcome: TurnOutcome): void {
    const checked = checkOutcome(outcome);
    this.#outcome ??= checked;
  }

  dispose(): Promise<void> {
    this.#disposed ??= this.#release();
    return this.#disposed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose();
  }

  async #release(): Promise<void> {
    const { lock, onReleased, disposeTimeoutMs } = this.#parts;
    const problem = await this.#sandbox.release(disposeTimeoutMs);
    if (problem !== undefined) this.#stream.tell({ type: "harness.runtime.dispose.failed", error: problem });
    await waitAtMost(Promise.all(this.#writing), disposeTimeoutMs);
    await waitAtMost(this.#stream.flush(), disposeTimeoutMs);
    await this.#tellEnd();
    // The last event is on its way to the file and to the caller.
    await waitAtMost(this.#stream.close(), disposeTimeoutMs);
    await waitAtMost(lock.release(), disposeTimeoutMs);
    onReleased(this);
  }

  /** The record first: when it cannot be written, there is still a stream to tell it in. */
  async #tellEnd(): Promise<void> {
    const { status, error, finishReason, steps, usage }: TurnOutcome = this.#outcome ?? {
      status: "aborted",
      error: "the turn was disposed of without an outcome",
    };
    const durationMs = Math.round(performance.now() - this.#startedMs);
    const counted = {
      durationMs,
      ...(steps !== undefined && { steps }),
      ...(usage !== undefined && { usage }),
    };
    const told = { ...(error !== undefined && { error }) };
    const reason = { ...(finishReason !== undefined && { finishReason }) };
    const record: TurnRecord = {
      ...this.#record,
      status,
      endedAt: new Date().toISOString(),
      sandboxOpened: this.#sandbox.wasMade,
      ...counted,
      ...told,
      ...reason,
    };
    await waitAtMost(this.#writeRecord(record), this.#parts.disposeTimeoutMs);
    if (status === "completed") this.#stream.end({ type: "harness.turn.completed", ...counted, ...reason });
    else this.#stream.end({ type: "harness.turn.failed", status, ...counted, ...told });
  }

  async #makeSandbox(): Promise<HarnessSandbox> {
    const { factory, options, workspace, traceOptions, readOnlyPrefixes, session, runtime } = this.#parts;
    return await factory({
      workspace,
      tools: options.tools,
      toolContext: options.toolContext,
      runtime,
      replay: options.replay,
      emit: (event) => this.#take(event),
      emitToolEvents: options.emitToolEvents,
      traceOptions,
      getReadOnlyPrefixes: () => readOnlyPrefixes,
      // One turn at a time has a session, so one sandbox at a time has its journal.
      changeJournal: sessionPathsAt(session.directory).changeJournal,
    });
  }

  #take(event: HarnessEvent): void {
    // What the host wrote itself was told when it was written; the sandbox finds it as nobody's.
    const isTold =
      "unreported" in event && event.unreported === true && this.#artifacts.get(event.path) === event.sha256;
    if (!isTold) this.#stream.take(event);
  }

  async #writeRecord(record: TurnRecord): Promise<void> {
    try {
      await writeTurnRecord(this.#parts.directory, record);
    } catch (error) {
      this.#tellNotWritten("turn.json", error);
    }
  }

  #tellNotWritten(what: string, error: unknown): void {
    const errno = codeOf(error);
    this.#stream.tellLogFailed(`${what} could not be written${errno === undefined ? "" : `: ${errno}`}`);
  }
}
