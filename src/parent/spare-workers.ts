/**
 * Workers started ahead of need (`prewarm`). A spare has loaded its engine and knows no workspace; it is handed out
 * once, to one sandbox, and never comes back. Only the `process` rung has spares: the walls of the others are cut
 * to one sandbox's mounts before the worker starts.
 */
import type { Launch } from "./isolation/launch.ts";
import { MAX_PREWARM } from "./options.ts";
import { spawnWorker, type WorkerProcess } from "./spawn-worker.ts";

/** A spare that nobody has taken for so long is ended, and not replaced until the next sandbox needs one. */
const MAX_IDLE_MS = 300_000;

/** Spares are started once the sandbox that took one had time for its first command. */
const REFILL_DELAY_MS = 250;

interface Spare {
  readonly worker: WorkerProcess;
  /** From now on its stderr goes to `onStderr`, what it wrote so far too. */
  hear(onStderr: (text: string) => void): void;
}

interface Pool {
  readonly spares: Spare[];
  wanted: number;
  filling: boolean;
}

const pools = new Map<string, Pool>();

/** A spare for this launch, or null when there is none. */
export function takeSpare(launch: Launch, onStderr: (text: string) => void): WorkerProcess | null {
  const spare = pools.get(keyOf(launch))?.spares.shift();
  if (spare === undefined) return null;
  spare.hear(onStderr);
  return spare.worker;
}

/** Sees to it that soon `count` spares for this launch are there. Neither waits nor fails. */
export function keepSpares(launch: Launch, count: number): void {
  if (launch.rung !== "process") return;
  const key = keyOf(launch);
  const pool = pools.get(key) ?? { spares: [], wanted: 0, filling: false };
  pools.set(key, pool);
  pool.wanted = Math.max(pool.wanted, count);
  if (pool.filling) return;
  pool.filling = true;
  setTimeout(() => void fill(launch, pool), REFILL_DELAY_MS).unref();
}

/** One after the other: a host that starts up needs the processor itself. */
async function fill(launch: Launch, pool: Pool): Promise<void> {
  try {
    while (pool.spares.length < pool.wanted && countSpares() < MAX_PREWARM)
      pool.spares.push(await startSpare(launch, pool));
  } catch {
    // No more processes, no such Node.js: the sandbox that needs a worker tells it.
  } finally {
    pool.filling = false;
  }
}

async function startSpare(launch: Launch, pool: Pool): Promise<Spare> {
  let said = "";
  let hear = (text: string): void => {
    said += text;
  };
  const worker = await spawnWorker({ launch, onStderr: (text) => hear(text) });
  worker.hold(false);
  const drop = (): void => {
    const at = pool.spares.indexOf(spare);
    if (at < 0) return;
    pool.spares.splice(at, 1);
    worker.kill("SIGKILL");
  };
  const tooOld = setTimeout(() => {
    pool.wanted = 0;
    drop();
  }, MAX_IDLE_MS);
  tooOld.unref();
  const spare: Spare = {
    worker,
    hear(onStderr) {
      clearTimeout(tooOld);
      hear = onStderr;
      if (said !== "") onStderr(said);
    },
  };
  void worker.exit.then(() => {
    clearTimeout(tooOld);
    drop();
  });
  return spare;
}

function countSpares(): number {
  let count = 0;
  for (const { spares } of pools.values()) count += spares.length;
  return count;
}

/** Two launches with one key start the same process. */
function keyOf({ command, args, env, cwd }: Launch): string {
  return JSON.stringify([command, args, Object.entries(env).sort(), cwd]);
}
