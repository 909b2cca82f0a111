/**
 * Workers started ahead of need (`prewarm`). A spare has loaded its engine and knows no workspace, but what kind of
 * engine the last sandbox had: for another one of that kind it waits in a shell. It is handed out once, to one
 * sandbox, and never comes back. Only the `process` rung has spares: the walls of the others are cut
 * to one sandbox's mounts before the worker starts.
 */
import { SPARE_ARGUMENT, type SpareKind } from "../protocol/spare.ts";
import type { Launch } from "./isolation/launch.ts";
import { MAX_PREWARM } from "./options.ts";
import { spawnWorker, type WorkerProcess } from "./spawn-worker.ts";

/** A spare that nobody has taken for so long is ended, and not replaced until the next sandbox needs one. */
const MAX_IDLE_MS = 300_000;

/** Spares are started once the sandbox that took one had time for its first command. */
const REFILL_DELAY_MS = 250;

interface Spare {
  /** The argument that it was started with. */
  readonly kind: string;
  readonly worker: WorkerProcess;
  /** From now on its stderr goes to `onStderr`, what it wrote so far too. */
  hear(onStderr: (text: string) => void): void;
}

interface Pool {
  readonly spares: Spare[];
  wanted: number;
  /** Of the next ones. */
  kind: string;
  filling: boolean;
}

const pools = new Map<string, Pool>();

/** A spare for this launch, or null when there is none. One that waits for another kind comes after those of this. */
export function takeSpare(
  launch: Launch,
  kind: SpareKind | null,
  onStderr: (text: string) => void,
): WorkerProcess | null {
  const spares = pools.get(keyOf(launch))?.spares ?? [];
  const argument = toArgument(kind);
  const fitting = spares.findIndex((spare) => spare.kind === argument);
  const [spare] = spares.splice(Math.max(fitting, 0), 1);
  if (spare === undefined) return null;
  spare.hear(onStderr);
  return spare.worker;
}

/** Sees to it that soon `count` spares for this launch are there. Neither waits nor fails. */
export function keepSpares(
  launch: Launch,
  kind: SpareKind | null,
  count: number,
  delayMs: number = REFILL_DELAY_MS,
): void {
  if (launch.rung !== "process") return;
  const key = keyOf(launch);
  const pool = pools.get(key) ?? { spares: [], wanted: 0, kind: "", filling: false };
  pools.set(key, pool);
  pool.kind = toArgument(kind);
  pool.wanted = Math.max(pool.wanted, count);
  if (pool.filling) return;
  pool.filling = true;
  setTimeout(() => void fill(launch, pool), delayMs).unref();
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
  const { kind } = pool;
  const worker = await spawnWorker({ launch, extraArgs: [kind], onStderr: (text) => hear(text) });
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
    kind,
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

function toArgument(kind: SpareKind | null): string {
  return SPARE_ARGUMENT + JSON.stringify(kind);
}

/** Two launches with one key start the same process. */
function keyOf({ command, args, env, cwd }: Launch): string {
  return JSON.stringify([command, args, Object.entries(env).sort(), cwd]);
}
