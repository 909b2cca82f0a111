import { checkTurnOptions } from "./check-options.ts";
import type { HarnessTurnOptions } from "./harness-options.ts";
import type { HarnessResult } from "./harness-result.ts";
import { TurnStop } from "./turn-stop.ts";

/**
 * Runs one turn: the model is called, and called again with what its tools answered, until it has done. Settles once
 * everything the turn held is released. An abort is a result whose `finishReason` is `"aborted"`, with the steps that
 * were done, and not an error.
 *
 * @throws SandboxError `OPTION_INVALID`, `TOOL_INVALID`; `PEER_MISSING`: `ai` is not installed; `MODEL_FAILED`: the
 * model gave no answer, `data` says whether to try again; `SESSION_NOT_FOUND`, `SESSION_BUSY` and what else the host
 * throws; what the factory of the sandbox throws. With a session log also `REPLAY_DIVERGED`: the run was begun with
 * something else, or its model now takes another course; `TOOL_OUTCOME_UNKNOWN`: a tool had begun when its process
 * ended; `SESSION_LOG_CONFLICT`: another process goes on with the run; `SESSION_LOG_FAILED` and what else the log throws.
 */
export async function generateHarness(options: HarnessTurnOptions): Promise<HarnessResult> {
  checkTurnOptions("generateHarness", options);
  const stop = new TurnStop(options.abortSignal);
  const { runTurn } = await import("./run-turn.ts");
  return await runTurn(options, stop, {
    drive: async (sdk, request) => {
      await sdk.generateText(request);
    },
    onEvent: options.onEvent,
    onRecorded: () => undefined,
  });
}
