import { once } from "node:events";
import type { Launch } from "../src/parent/isolation/launch.ts";
import { spawnWorker } from "../src/parent/spawn-worker.ts";

/** Milliseconds from the start of a worker to its first byte. Its end is not in it. */
export async function firstByte(launch: Launch): Promise<number> {
  const startedMs = performance.now();
  const worker = await spawnWorker({ launch, onStderr: (text) => console.error(text) });
  await once(worker.stdout, "data");
  const tookMs = performance.now() - startedMs;
  worker.kill("SIGKILL");
  await worker.exit;
  return tookMs;
}
