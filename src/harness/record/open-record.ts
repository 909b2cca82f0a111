/** The way from the options of a turn to its record, and the turn that need not be run because it is on record. */

import type { PreparedTurn } from "../../host/host.ts";
import { isSandboxError } from "../../shared/errors.ts";
import type { HarnessTurnEvent } from "../../shared/turn-events.ts";
import type { AiSdk } from "../ai-sdk.ts";
import type { HarnessFinishReason, HarnessResult } from "../harness-result.ts";
import { isOfProvider, toJsonSchema } from "../model-tools.ts";
import { toResult } from "../to-result.ts";
import type { TurnSettings } from "../turn-settings.ts";
import type { TurnStop } from "../turn-stop.ts";
import { describeRun } from "./describe-run.ts";
import { RunRecord } from "./run-record.ts";

/**
 * The record of the turn's run; `undefined` without a session log.
 * @throws SandboxError `REPLAY_DIVERGED`, `TOOL_INVALID`, what the log throws.
 */
export async function openRecord(
  sdk: AiSdk,
  settings: TurnSettings,
  stop: TurnStop,
): Promise<RunRecord | undefined> {
  const { sessionLog, runId } = settings;
  if (sessionLog === undefined || runId === undefined) return undefined;
  const description = await describeRun(settings, async (name, tool) =>
    // A provider's own tool has no schema here: what it is called with is settled elsewhere.
    isOfProvider(tool) ? (tool as { id?: unknown }).id : await toJsonSchema(name, tool.inputSchema, sdk),
  );
  return await RunRecord.open({ sessionLog, runId }, settings, description, (error) => stop.breakBy(error));
}

/** In the session in which the run was before, if that is on this host and no other was asked for. */
export async function prepareTurn(
  { host, prepare }: TurnSettings,
  record: RunRecord | undefined,
  onEvent: ((event: HarnessTurnEvent) => unknown) | undefined,
): Promise<PreparedTurn> {
  if (record === undefined) return await host.prepareTurn({ ...prepare, onEvent });
  const recorded = {
    ...prepare,
    replay: record.replay,
    onEvent: (event: HarnessTurnEvent) => {
      record.hear(event);
      return onEvent?.(event);
    },
  };
  const { session = record.lastTurn?.sessionId } = prepare;
  try {
    return await host.prepareTurn({ ...recorded, session });
  } catch (thrown) {
    const isElsewhere = isSandboxError(thrown) && thrown.code === "SESSION_NOT_FOUND";
    if (!isElsewhere || prepare.session !== undefined) throw thrown;
    return await host.prepareTurn(recorded);
  }
}

/** The result of a run that was over with its first step; `undefined` when the model has to be called. */
export async function answerFromRecord(record: RunRecord): Promise<HarnessResult | undefined> {
  const { completed, lastTurn } = record;
  const only = record.steps.only(completed?.steps === 1);
  if (only === undefined || lastTurn === undefined) return undefined;
  const { step, messages } = only;
  const finishReason = String(completed?.finishReason ?? step.finishReason) as HarnessFinishReason;
  const result = toResult(
    { completed: [{ ...step, response: { ...step.response, messages } }], messages },
    { finishReason, ...lastTurn, runId: record.runId },
  );
  if (completed === undefined) await record.complete({ finishReason, steps: 1, usage: result.usage });
  return result;
}
