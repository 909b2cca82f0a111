/** Waits for an executor, which ends commands by itself; if it does not, the command still gets a result. */

import type { Execute, ExecuteInput } from "../shared/executor.ts";
import { tellThrown } from "../shared/redact.ts";
import { MAX_TIMER_MS } from "./bounded-wait.ts";
import { type BareResult, fromReport, withoutReport } from "./exec-result.ts";
import type { StopSwitch } from "./stop-switch.ts";

/**
 * The result of an execution. An executor that throws, or that has not ended a command `lastResortMs` after
 * its deadline or after it was told to stop, gives an unknown ending; what it reports later is dropped.
 */
export async function settleExecution(
  execute: Execute,
  input: ExecuteInput,
  stop: StopSwitch,
  lastResortMs: number,
): Promise<BareResult> {
  const timers: NodeJS.Timeout[] = [];
  let onStop: (() => void) | undefined;
  const lastResort = new Promise<BareResult>((resolve) => {
    const giveUp = (what: string): void => {
      const why = `the executor did not end the command within ${lastResortMs} ms after ${what}`;
      stop.stop("deadline");
      resolve(withoutReport(126, { kind: "unknown", why }, why));
    };
    onStop = () => timers.push(setTimeout(giveUp, lastResortMs, "it was told to stop"));
    if (stop.signal.aborted) onStop();
    else stop.signal.addEventListener("abort", onStop, { once: true });
    if (input.timeoutMs !== undefined) {
      timers.push(setTimeout(giveUp, Math.min(input.timeoutMs + lastResortMs, MAX_TIMER_MS), "its deadline"));
    }
  });
  try {
    return await Promise.race([report(execute, input), lastResort]);
  } finally {
    for (const timer of timers) clearTimeout(timer);
    if (onStop !== undefined) stop.signal.removeEventListener("abort", onStop);
  }
}

async function report(execute: Execute, input: ExecuteInput): Promise<BareResult> {
  try {
    return fromReport(await execute(input));
  } catch (thrown) {
    const why = `the executor failed: ${tellThrown(thrown)}`;
    return withoutReport(126, { kind: "unknown", why }, why);
  }
}
