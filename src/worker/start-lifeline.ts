import { fstatSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { original } from "./originals.ts";
import { CELLS, LIMIT_MB, WORK } from "./watch-cells.ts";

/** What the main thread tells the watcher thread. Works, and does nothing, when none was started. */
export interface Watcher {
  limitMemory(maxMemoryMb: number): void;
  /** Says that work has begun, and what it returns says that it is over. */
  work(): () => void;
}

/** Starts the watcher thread. Without descriptor 3 (started by hand) there is no parent to outlive. */
export function startLifeline(script: URL): Watcher {
  const cells = new Int32Array(new SharedArrayBuffer(CELLS * Int32Array.BYTES_PER_ELEMENT));
  if (isOpen(3)) {
    const thread = new Worker(script, {
      workerData: cells.buffer,
      env: {},
      execArgv: [],
      stdout: false,
      stderr: false,
      resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1, stackSizeMb: 1 },
    });
    thread.unref();
  }
  return {
    limitMemory(maxMemoryMb) {
      original.store(cells, LIMIT_MB, Math.min(maxMemoryMb, 2 ** 31 - 1));
    },
    work() {
      if (original.add(cells, WORK, 1) === 0) original.notify(cells, WORK);
      return () => {
        original.add(cells, WORK, -1);
      };
    },
  };
}

function isOpen(fd: number): boolean {
  try {
    fstatSync(fd);
    return true;
  } catch {
    return false;
  }
}
