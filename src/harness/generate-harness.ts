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
 * throws; what the factory of the sandbox throws.
 */
export async function generateHarness(options: HarnessTurnOptions): Promise<HarnessResult> {
  checkTurnOptions("generateHarness", options);
  const stop = new TurnStop(options.abortSignal);
  const { runTurn } = await import("./run-turn.ts");
  return await runTurn(
    options,
    stop,
    async (sdk, request) => {
      await sdk.generateText(request);
    },
    options.onEvent,
  );
}
