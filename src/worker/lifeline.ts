/**
 * The watcher thread: ends the process when the parent is gone and when the process has grown above its memory
 * limit, also while a script keeps the main thread busy for ever. It has an isolate of its own, which the
 * engine's defenses do not reach, and shares nothing with scripts.
 *
 * To look at the lifeline never blocks (`lifeline-end.ts`), so one thread can watch both.
 */
import { readSync, writeFileSync, writeSync } from "node:fs";
import { workerData } from "node:worker_threads";
import { MEMORY_MARK } from "../protocol/lifeline.ts";
import { isParentGone, LIFELINE_FD } from "./lifeline-end.ts";
import { LIMIT_MB, PARENT, SLEEP, WORK } from "./watch-cells.ts";

const BUSY_LOOK_MS = 20;
/** An idle main thread leaves by itself at the end of stdin: this is for what a command left behind. */
const IDLE_LOOK_MS = 1_000;
/** Looks without work before the slow pace: commands in a row do not wake this thread one by one. */
const LOOKS_UNTIL_IDLE = 50;

const cells = new Int32Array(workerData as SharedArrayBuffer);

offerToOomKiller();
if (process.platform === "win32") waitForEnd();
else watch();
end();

function watch(): void {
  let quiet = 0;
  for (;;) {
    if (hasNoParent()) return;
    if (isOverMemory()) {
      tellMemory();
      return;
    }
    quiet = Atomics.load(cells, WORK) > 0 ? 0 : quiet + 1;
    if (quiet < LOOKS_UNTIL_IDLE) Atomics.wait(cells, SLEEP, 0, BUSY_LOOK_MS);
    else Atomics.wait(cells, WORK, 0, IDLE_LOOK_MS);
  }
}

function hasNoParent(): boolean {
  // The second question for systems whose sockets do not answer the first; it has no meaning in a process
  // namespace, where the parent is always the same.
  return isParentGone() || process.ppid !== Atomics.load(cells, PARENT);
}

function isOverMemory(): boolean {
  const limitMb = Atomics.load(cells, LIMIT_MB);
  if (limitMb === 0) return false;
  try {
    return process.memoryUsage.rss() > limitMb * 1024 * 1024;
  } catch {
    // No /proc to read it from: the parent still looks.
    return false;
  }
}

function tellMemory(): void {
  try {
    writeSync(LIFELINE_FD, new Uint8Array([MEMORY_MARK]));
  } catch {
    // The parent is gone: nobody is left to tell.
  }
}

/** No look without blocking is known here: only the parent's death is watched. */
function waitForEnd(): void {
  const buffer = new Uint8Array(1);
  for (;;) {
    try {
      if (readSync(LIFELINE_FD, buffer) === 0) return;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "EINTR" && code !== "EAGAIN") return;
    }
  }
}

/** When the machine runs out of memory, this process is the one to take. To ask for that needs no privilege. */
function offerToOomKiller(): void {
  if (process.platform !== "linux") return;
  try {
    writeFileSync("/proc/self/oom_score_adj", "1000");
  } catch {
    // Not allowed here: the kernel chooses by size.
  }
}

function end(): void {
  // `process.exit()` in a thread ends the thread only.
  process.kill(process.pid, "SIGKILL");
}
