/** Waits that end with the command that waits: when it is stopped, or at its deadline. */
import type { ExecuteOutput } from "../shared/executor.ts";
import { waitAtMost } from "../shell/bounded-wait.ts";
import { withoutReport } from "../shell/exec-result.ts";
import { stopped } from "../shell/running-command.ts";
import type { StopSwitch } from "../shell/stop-switch.ts";

/** The promise's outcome, or how the command ended before it. */
export async function whileOpen<T>(
  promise: Promise<T>,
  stop: StopSwitch,
  untilMs: number,
): Promise<{ readonly value: T } | { readonly thrown: unknown } | { readonly report: ExecuteOutput }> {
  let onStop: () => void = () => undefined;
  const stopping = new Promise<{ report: ExecuteOutput }>((resolve) => {
    onStop = () => resolve({ report: stopped(stop) });
    stop.signal.addEventListener("abort", onStop, { once: true });
    if (stop.signal.aborted) onStop();
  });
  const settled = promise.then(
    (value) => ({ value }),
    (thrown: unknown) => ({ thrown }),
  );
  try {
    const first = await waitAtMost(Promise.race([settled, stopping]), untilMs - performance.now());
    return first.inTime ? first.value : { report: tooLate() };
  } finally {
    stop.signal.removeEventListener("abort", onStop);
  }
}

/** Of a command whose deadline passed before a tier had it. */
export function tooLate(): ExecuteOutput {
  const why = "the deadline passed before the command started";
  return withoutReport(124, { kind: "killed", by: "deadline" }, why);
}
