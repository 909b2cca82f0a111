import { fstatSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { ENDS_WITH_PARENT_ARGUMENT } from "../protocol/lifeline.ts";
import { isParentGone, LIFELINE_FD } from "./lifeline-end.ts";
import { original } from "./originals.ts";
import { CELLS, LIMIT_MB, PARENT, WORK } from "./watch-cells.ts";

/** What the main thread tells the watcher thread. Works, and does nothing, when none was started. */
export interface Watcher {
  limitMemory(maxMemoryMb: number): void;
  /** Says that work has begun, and what it returns says that it is over. */
  work(): () => void;
}

/**
 * Nothing of a guest runs before the first work, and the thread takes as much of a processor as the rest of the start:
 * so it begins with that work, or, in a worker that was started ahead of need, once that is likely to wait.
 */
const BEGIN_MS = 100;
/**
 * Without work for so long the thread ends, and the next work starts another: it holds a third of an idle worker's
 * memory, and to start one takes the main thread a millisecond and another core 50 or more.
 */
const REST_MS = 30_000;

/**
 * Starts the watcher thread. There is none where the kernel ends this process with its parent, and without
 * descriptor 3 (started by hand) there is no parent to outlive.
 */
export function startLifeline(script: URL, leave: () => void): Watcher {
  const cells = new Int32Array(new SharedArrayBuffer(CELLS * Int32Array.BYTES_PER_ELEMENT));
  original.store(cells, PARENT, process.ppid);
  const needed = isOpen(LIFELINE_FD) && !endsWithParent(leave);
  const start = (): Worker => {
    const thread = new Worker(script, {
      workerData: cells.buffer,
      env: {},
      execArgv: [],
      stdout: false,
      stderr: false,
      resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1, stackSizeMb: 1 },
    });
    thread.unref();
    return thread;
  };
  let thread: Worker | null = null;
  const watch = (): void => {
    thread ??= start();
  };
  if (needed) setTimeout(watch, BEGIN_MS).unref();
  // Behind the lockdown a guest that escaped cannot do more than what this thread ends: there it stays.
  const rests = needed && process.permission === undefined;
  let rest: NodeJS.Timeout | null = null;

  // The main thread does it and not the other one: it is not kept busy, so nothing is left that would have to be ended.
  function endThread(): void {
    if (original.load(cells, WORK) > 0) return;
    void thread?.terminate();
    thread = null;
  }

  return {
    limitMemory(maxMemoryMb) {
      original.store(cells, LIMIT_MB, Math.min(maxMemoryMb, 2 ** 31 - 1));
    },
    work() {
      // First, as it may fail: work that does not begin is not counted.
      if (needed) watch();
      if (original.add(cells, WORK, 1) === 0) original.notify(cells, WORK);
      // Not before: a worker that was started ahead of need is to be quick at its first work.
      if (rests) rest ??= setTimeout(endThread, REST_MS).unref();
      return () => {
        if (original.add(cells, WORK, -1) === 1) rest?.refresh();
      };
    },
  };
}

/** The kernel's word holds from before this process began; whether the parent was there until then, this tells. */
function endsWithParent(leave: () => void): boolean {
  if (process.argv.at(-1) !== ENDS_WITH_PARENT_ARGUMENT) return false;
  process.argv.pop();
  if (isParentGone()) leave();
  return true;
}

function isOpen(fd: number): boolean {
  try {
    fstatSync(fd);
    return true;
  } catch {
    return false;
  }
}
