/**
 * A turn on record: what its model said, what its tools answered, what its commands changed. Each append is awaited
 * before the turn goes on. With records of an earlier attempt, what those say is answered in place of being done.
 */
import type { PreparedTurn } from "../../host/host.ts";
import { isSandboxError, SandboxError } from "../../shared/errors.ts";
import { tellThrown } from "../../shared/redact.ts";
import type { ToolReplay } from "../../shared/sandbox.ts";
import type { HarnessSessionLog } from "../../shared/session-log.ts";
import type { HarnessTurnEvent, TokenUsage } from "../../shared/turn-events.ts";
import { toolFailed } from "../../tools/tool-error.ts";
import type { SdkStep } from "../ai-sdk.ts";
import { BASH } from "../tool-names.ts";
import type { TurnSettings } from "../turn-settings.ts";
import { Changes } from "./changes.ts";
import { type RunDescription, refuseChanged, toRecordData } from "./describe-run.ts";
import { diverged } from "./divergence.ts";
import { Payloads } from "./payloads.ts";
import { COMPLETED_KEY, callDigest, RECORD, stepKey, toolKey } from "./positions.ts";
import { type CallAtPosition, fieldsOf, RecordedCalls } from "./recorded-call.ts";
import { RecordedCommands } from "./recorded-commands.ts";
import { type RecordData, RunLog } from "./run-log.ts";
import { RunSteps } from "./run-steps.ts";
import { ScriptCalls } from "./script-calls.ts";

/** A call of the model. */
export interface ModelCall {
  readonly step: number;
  readonly tool: string;
  readonly argsJson: string;
}

/** What a call that runs gets of the record. */
export interface RunContext {
  readonly idempotencyKey?: string;
  /** For the model, besides the answer of `bash`. */
  readonly notes?: readonly string[];
}

/** What a run came to. */
export interface RunOutcome {
  readonly finishReason: string;
  readonly steps: number;
  readonly usage: TokenUsage;
}

/** JSON text of a result, and what the model gets of it. */
export interface Answered {
  readonly json: string;
  readonly output: unknown;
}

export class RunRecord {
  readonly steps: RunSteps;
  readonly #settings: TurnSettings;
  readonly #description: RunDescription;
  readonly #log: RunLog;
  readonly #payloads = new Payloads();
  readonly #changes: Changes;
  readonly #calls: RecordedCalls;
  readonly #scripts: ScriptCalls;
  readonly #commands: RecordedCommands;
  readonly #asked = new Map<number, number>();
  #hasBegun = false;
  /** Commands run one after the other, so that a call of a script is known to belong to the one under way. */
  #lastCommand: Promise<unknown> = Promise.resolve();

  private constructor(log: RunLog, settings: TurnSettings, description: RunDescription) {
    this.#log = log;
    this.#description = description;
    this.#settings = settings;
    this.#changes = new Changes(log);
    this.#calls = new RecordedCalls(log, this.#payloads);
    this.#scripts = new ScriptCalls(log, this.#calls, settings.tools);
    this.#commands = new RecordedCommands(log, this.#payloads);
    this.steps = new RunSteps(log, this.#payloads, this.#calls);
  }

  /**
   * Reads what is on record of the run.
   * @param onBroken told why, once, when the run cannot go on
   * @throws SandboxError `REPLAY_DIVERGED` when the run was begun with something else; what the log throws.
   */
  static async open(
    { sessionLog, runId }: { readonly sessionLog: HarnessSessionLog; readonly runId: string },
    settings: TurnSettings,
    description: RunDescription,
    onBroken: (error: unknown) => void,
  ): Promise<RunRecord> {
    const log = await RunLog.read(sessionLog, runId, onBroken);
    const started = log.find("attempt/1");
    if (started !== undefined) refuseChanged(runId, fieldsOf(started).begunWith ?? null, description);
    return new RunRecord(log, settings, description);
  }

  get runId(): string {
    return this.#log.runId;
  }

  get replay(): ToolReplay {
    return this.#scripts;
  }

  /** Why the run cannot go on. */
  get broken(): Error | undefined {
    return this.#log.broken;
  }

  /** Where the run was last, if it was in a turn. */
  get lastTurn(): { readonly sessionId: string; readonly turnId: string } | undefined {
    for (let attempt = this.#log.attempt; attempt > 0; attempt--) {
      const event = this.#log.find(`attempt/${attempt}`);
      const { sessionId, turnId } = event === undefined ? {} : fieldsOf(event);
      if (typeof sessionId === "string" && typeof turnId === "string") return { sessionId, turnId };
    }
    return undefined;
  }

  hear(event: HarnessTurnEvent): void {
    this.#changes.hear(event);
  }

  /** Says on record that this attempt goes on with the run. */
  async begin(turn: PreparedTurn): Promise<void> {
    const { id: turnId, session, sandboxMode } = turn;
    this.#payloads.attach(turn);
    this.#commands.attach(turn, (this.lastTurn?.sessionId ?? session.id) !== session.id);
    await this.#claim({ sessionId: session.id, turnId, sandboxMode });
    this.#hasBegun = true;
  }

  /** Says on record that the run is completed by what is on record already. */
  async complete(outcome: RunOutcome): Promise<void> {
    await this.#claim({});
    await this.#log.append(COMPLETED_KEY, RECORD.completed, toOutcomeData(outcome));
  }

  /** What the run has come to, if it is complete. */
  get completed(): Readonly<Record<string, unknown>> | undefined {
    const event = this.#log.find(COMPLETED_KEY);
    return event && fieldsOf(event);
  }

  /**
   * Answers a call of the model: from the record, or by `run`, of which only what it gives or `TOOL_FAILED` is an
   * answer to record.
   * @throws SandboxError `TOOL_FAILED` as recorded; an error after which the run is broken.
   */
  async answer(
    call: ModelCall,
    signal: AbortSignal,
    run: (context: RunContext) => Promise<Answered>,
  ): Promise<Answered> {
    const at = this.#position(call);
    if (!this.#isBash(call.tool)) return await this.#answer(at, signal, run);
    const before = this.#lastCommand;
    const answered = before.then(() => this.#answer(at, signal, run));
    this.#lastCommand = answered.catch(() => undefined); // told to whoever made the call
    return await answered;
  }

  /** The model has answered and its tools have; resolves when that is on record. */
  async completeStep(step: number, said: SdkStep, messages: readonly object[]): Promise<void> {
    try {
      await this.steps.complete(step, said, messages, this.#asked.get(step) ?? 0);
    } catch (thrown) {
      // The AI SDK drops what its callbacks throw.
      throw this.#log.breakBy(notRecorded(`step ${step}`, thrown));
    }
  }

  /** The end of the attempt, if it is on record that it began. */
  async end(
    outcome:
      | (RunOutcome & { readonly status: "completed" })
      | { readonly status: "failed" | "aborted"; readonly error: string },
    waitMs: number,
  ): Promise<void> {
    if (!this.#hasBegun) return;
    await this.#log.settled(waitMs);
    await this.#changes.flush({});
    if (outcome.status !== "completed") {
      const { status, error } = outcome;
      const key = `attempt/${this.#log.attempt}/ended`;
      await this.#log.append(key, RECORD.attemptEnded, {
        status,
        error: await this.#payloads.keep("error", error),
      });
    } else if (this.completed === undefined) {
      await this.#log.append(COMPLETED_KEY, RECORD.completed, toOutcomeData(outcome));
    }
  }

  /** What was told while the turn was disposed of. */
  async finish(): Promise<void> {
    if (this.#hasBegun && this.#log.broken === undefined) await this.#changes.flush({});
  }

  async #claim(where: Readonly<Record<string, string>>): Promise<void> {
    const type = this.#log.attempt === 0 ? RECORD.started : RECORD.resumed;
    await this.#log.claim(type, { ...where, begunWith: toRecordData(this.#description) });
  }

  #isBash(tool: string): boolean {
    return tool === BASH && this.#settings.bash !== undefined;
  }

  /** Counted as calls come, before anything is waited for. */
  #position({ step, tool, argsJson }: ModelCall): CallAtPosition {
    const number = (this.#asked.get(step) ?? 0) + 1;
    this.#asked.set(step, number);
    const onUnknown = this.#isBash(tool)
      ? (this.#settings.bash?.onUnknownOutcome ?? "repeat")
      : (this.#settings.tools[tool]?.onUnknownOutcome ?? "tell");
    return {
      key: toolKey(step, number),
      tool,
      input: argsJson,
      digest: callDigest(tool, argsJson),
      where: `step ${step}, call ${number}`,
      onUnknown,
      details: { step, call: number },
    };
  }

  async #answer(
    at: CallAtPosition,
    signal: AbortSignal,
    run: (context: RunContext) => Promise<Answered>,
  ): Promise<Answered> {
    this.#refuseOther(at);
    const isBash = this.#isBash(at.tool);
    const begun = await this.#calls.begin(at);
    if (begun.is === "answered") {
      if (isBash) this.#commands.answered(at.key);
      if ("error" in begun.outcome) throw toolFailed(at.tool, begun.outcome.error);
      return { json: begun.outcome.json, output: JSON.parse(begun.outcome.json) };
    }
    const { idempotencyKey, hadBegun } = begun;
    const notes = isBash ? await this.#commands.before(hadBegun, signal) : [];
    if (isBash) this.#scripts.enter(at);
    let answered: Answered;
    try {
      answered = await run({ idempotencyKey, notes });
    } catch (thrown) {
      if (isBash) this.#scripts.leave();
      if (isSandboxError(thrown) && thrown.code === "TOOL_FAILED" && this.#log.broken === undefined) {
        await this.#changes.flush(at.details);
        await this.#calls.end(at, { error: thrown.message });
      }
      throw thrown;
    }
    const callsNotAskedFor = isBash ? this.#scripts.leave() : 0;
    if (this.#log.broken !== undefined) throw this.#log.broken;
    // Cut short by the turn's end: the next attempt runs it again.
    if (isBash && signal.aborted) return answered;
    const shell = isBash ? await this.#commands.after(at.input, answered.output, signal) : {};
    await this.#changes.flush(at.details);
    const details = isBash ? { ...at.details, callsNotAskedFor, ...shell } : at.details;
    await this.#calls.end({ ...at, details }, { json: JSON.stringify(answered.output) });
    return answered;
  }

  #refuseOther(at: CallAtPosition): void {
    const { step } = at.details;
    const recorded = this.#calls.recorded(at.key);
    const isOther =
      recorded === undefined
        ? this.#log.find(`${stepKey(Number(step))}/completed`) !== undefined
        : recorded.digest !== at.digest;
    if (isOther) throw this.#log.breakBy(diverged(this.#log.runId, at.where, recorded, at));
  }
}

function notRecorded(what: string, cause: unknown): SandboxError {
  if (isSandboxError(cause)) return cause;
  const message = `The ${what} could not be recorded: ${tellThrown(cause)}`;
  return new SandboxError("SESSION_LOG_FAILED", message, {}, { cause });
}

function toOutcomeData({ finishReason, steps, usage }: RunOutcome): RecordData {
  return { finishReason, steps, usage: { ...usage } };
}
