/**
 * One turn, whoever drives the model: prepare, call the model and its tools until it has done, and release everything
 * on every way out. Order at the end: the open step is told, the outcome is said, the turn is disposed of, then the
 * caller hears.
 */
import type { PreparedTurn, TurnOutcome } from "../host/host.ts";
import { SandboxError } from "../shared/errors.ts";
import { tellThrown } from "../shared/redact.ts";
import type { HarnessTurnEvent } from "../shared/turn-events.ts";
import { createRuntimeToolBridge } from "../tools/tool-bridge.ts";
import { type AiSdk, loadAiSdk, type SdkPart, type SdkRequest } from "./ai-sdk.ts";
import { BashTool, maxTimeoutOf } from "./bash-tool.ts";
import { describeBash } from "./describe-bash.ts";
import type { HarnessTurnOptions } from "./harness-options.ts";
import type { HarnessFinishReason, HarnessResult } from "./harness-result.ts";
import { LargeOutputs } from "./large-output.ts";
import { toModelFailure } from "./model-failure.ts";
import { ModelToolCalls } from "./model-tool-calls.ts";
import { toModelTools } from "./model-tools.ts";
import { answerFromRecord, openRecord, prepareTurn } from "./record/open-record.ts";
import type { RunRecord } from "./record/run-record.ts";
import { toResult } from "./to-result.ts";
import { decideTurn, type TurnSettings } from "./turn-settings.ts";
import { sumUsage, TurnSteps } from "./turn-steps.ts";
import { settleSoon, type TurnStop } from "./turn-stop.ts";

/** How a turn is run, streamed or not. */
export interface TurnDriver {
  /** Calls the model until it has done. Rejects with what the AI SDK throws. */
  readonly drive: (sdk: AiSdk, request: SdkRequest) => Promise<void>;
  readonly onEvent: ((event: HarnessTurnEvent) => unknown) | undefined;
  /** Told in place of all that, when the run's record has the result already. */
  readonly onRecorded: (result: HarnessResult) => void;
}

/** Milliseconds that a model's call has to end after an abort; a provider that ignores it is left behind. */
const GRACE_MS = 2_000;

/**
 * @throws SandboxError `PEER_MISSING`, `MODEL_FAILED`, `OPTION_INVALID`, `TOOL_INVALID`, what `prepareTurn` throws, and
 * what the factory of the sandbox throws once a command needs one; with a session log `REPLAY_DIVERGED`,
 * `TOOL_OUTCOME_UNKNOWN` and what the log throws.
 */
export async function runTurn(
  options: HarnessTurnOptions,
  stop: TurnStop,
  { drive, onEvent, onRecorded }: TurnDriver,
): Promise<HarnessResult> {
  try {
    const sdk = await loadAiSdk();
    const settings = decideTurn(options);
    const record = await logged(openRecord(sdk, settings, stop), stop);
    const recorded = record && (await logged(answerFromRecord(record), stop));
    if (recorded !== undefined) {
      onRecorded(recorded);
      return recorded;
    }
    const turn = await prepareTurn(settings, record, onEvent);
    const steps = new TurnSteps(turn);
    const running = { turn, steps, stop, record };
    const ended = await recordEnd(running, await runSteps(sdk, settings, running, drive));
    try {
      turn.end({ ...ended.outcome, steps: steps.completed.length, usage: sumUsage(steps.completed) });
    } finally {
      await turn.dispose();
    }
    const finishing = logged(Promise.resolve(record?.finish()), stop);
    if ("failure" in ended) {
      await finishing.catch(() => undefined); // what failed first is told
      throw ended.failure;
    }
    await finishing;
    return toResult(steps, {
      finishReason: ended.finishReason,
      sessionId: turn.session.id,
      turnId: turn.id,
      ...(settings.runId === undefined ? {} : { runId: settings.runId }),
    });
  } finally {
    stop.release();
  }
}

interface RunningTurn {
  readonly turn: PreparedTurn;
  readonly steps: TurnSteps;
  readonly stop: TurnStop;
  readonly record: RunRecord | undefined;
}

type Ended =
  | { readonly outcome: TurnOutcome; readonly finishReason: HarnessFinishReason }
  | { readonly outcome: TurnOutcome; readonly failure: unknown };

/** Never rejects: how it ended is its result, so that the turn is disposed of in one place. */
async function runSteps(
  sdk: AiSdk,
  settings: TurnSettings,
  running: RunningTurn,
  drive: TurnDriver["drive"],
): Promise<Ended> {
  const { turn, steps, stop, record } = running;
  try {
    if (record !== undefined) await logged(record.begin(turn), stop);
  } catch (thrown) {
    return failed(steps, thrown);
  }
  try {
    const request = await toRequest(sdk, settings, running);
    stop.signal.throwIfAborted();
    await settleSoon(drive(sdk, request), stop.signal, GRACE_MS);
  } catch (thrown) {
    if (!stop.signal.aborted) return failed(steps, toModelFailure(thrown, steps.current));
  }
  if (stop.broken !== undefined) return failed(steps, stop.broken.by);
  const last = steps.completed.at(-1);
  const isDone = last !== undefined && !steps.isOpen && last.finishReason !== "tool-calls";
  if (stop.signal.aborted && !isDone) {
    const error = `aborted: ${tellThrown(stop.signal.reason)}`;
    steps.fail(error);
    return { outcome: { status: "aborted", error, finishReason: "aborted" }, finishReason: "aborted" };
  }
  const isCutOff = last?.finishReason === "tool-calls" && steps.completed.length >= settings.maxSteps;
  const finishReason = isCutOff ? "step-limit" : ((last?.finishReason ?? "unknown") as HarnessFinishReason);
  return { outcome: { status: "completed", finishReason }, finishReason };
}

/** A run that cannot be recorded has failed, whatever came of it. */
async function recordEnd({ steps, stop, record }: RunningTurn, ended: Ended): Promise<Ended> {
  if (record === undefined) return ended;
  if (record.broken !== undefined) return "failure" in ended ? ended : failed(steps, record.broken);
  const { status, error = "" } = ended.outcome;
  const recording = record.end(
    status === "completed"
      ? {
          status,
          finishReason: "finishReason" in ended ? ended.finishReason : "unknown",
          steps: steps.completed.length,
          usage: sumUsage(steps.completed),
        }
      : { status, error },
    GRACE_MS,
  );
  try {
    await logged(recording, stop);
    return ended;
  } catch (thrown) {
    if ("failure" in ended) return ended;
    return failed(steps, record.broken ?? thrown);
  }
}

/** Waits for the session log, which may be another's: one that does not answer is left behind after an abort. */
async function logged<T>(work: Promise<T>, stop: TurnStop): Promise<T> {
  const { signal } = stop;
  try {
    return await settleSoon(work, signal, GRACE_MS);
  } catch (thrown) {
    const isLate = signal.aborted && thrown === signal.reason && stop.broken === undefined;
    if (!isLate) throw thrown;
    const message = "The turn was aborted, and its session log did not answer in time.";
    throw new SandboxError("SESSION_LOG_FAILED", message, {}, { cause: thrown });
  }
}

function failed(steps: TurnSteps, failure: unknown): Ended {
  const error = tellThrown(failure);
  steps.fail(error);
  return { outcome: { status: "failed", error }, failure };
}

async function toRequest(
  sdk: AiSdk,
  settings: TurnSettings,
  { turn, steps, stop, record }: RunningTurn,
): Promise<SdkRequest> {
  const { tools, toolContext, emitToolEvents, maxInlineBytes, bash } = settings;
  const outputs = new LargeOutputs(turn, maxInlineBytes);
  const calls = new ModelToolCalls({
    turn,
    signal: stop.signal,
    emitToolEvents,
    currentStep: () => steps.current,
    record,
  });
  let recording = Promise.resolve();
  const modelTools = await toModelTools({
    sdk,
    tools,
    bridge: createRuntimeToolBridge({
      tools,
      toolContext,
      sandboxPaths: turn.workspace.mounts.map(({ path }) => path),
    }),
    calls,
    outputs,
    signal: stop.signal,
    onNoSandbox: (thrown) => stop.breakBy(thrown),
    bash: bash && {
      tool: new BashTool(bash, outputs, turn),
      description: describeBash({
        turn,
        tools,
        timeoutMs: bash.timeoutMs,
        maxTimeoutMs: maxTimeoutOf(bash),
        maxInlineBytes,
      }),
    },
  });
  return {
    ...settings.request,
    model: settings.model,
    tools: modelTools,
    abortSignal: stop.signal,
    stopWhen: (state) => state.steps.length >= settings.maxSteps,
    prepareStep: async () => {
      await recording;
      return steps.begin();
    },
    // Waited for by the AI SDK; should one of its versions not do so, the next step does.
    onStepFinish: async (step) => {
      for (const part of step.content) tellRefused(calls, part);
      // Its tools were cut short. With streams the AI SDK says nothing of such a step; without, it calls it finished.
      if (stop.signal.aborted && step.finishReason === "tool-calls") return;
      const messages = steps.complete(step);
      recording = Promise.resolve(record?.completeStep(steps.completed.length, step, messages));
      await recording;
    },
  };
}

function tellRefused(calls: ModelToolCalls, { type, toolName, toolCallId, input, error }: SdkPart): void {
  if (type === "tool-error") calls.refusedBySdk(String(toolName), input, String(toolCallId), error);
}
