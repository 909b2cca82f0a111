import { within } from "./in-time.ts";
import type { WorkerProcess } from "./spawn-worker.ts";

/**
 * The ladder: end of stdin (an idle worker leaves at once), then TERM, then KILL, `graceMs` apart, each
 * waiting for the exit. Resolves when the process is gone.
 */
export async function stopWorker(worker: WorkerProcess, graceMs: number): Promise<void> {
  worker.stdin.end();
  if (await within(worker.exit, graceMs)) return;
  worker.kill("SIGTERM");
  if (await within(worker.exit, graceMs)) return;
  worker.kill("SIGKILL");
  await worker.exit;
}
