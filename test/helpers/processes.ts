import { readdirSync, readFileSync } from "node:fs";

/** Process ids of the workers that this process has started and that still live (Linux). */
export function workerPids(parent: number = process.pid): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => isWorkerOf(pid, parent));
}

function isWorkerOf(pid: number, parent: number): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, "latin1");
    const [state, ppid] = status.slice(status.lastIndexOf(")") + 2).split(" ");
    if (state === "Z" || Number(ppid) !== parent) return false;
    return readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("worker/main.js");
  } catch {
    // Gone between the listing and the look.
    return false;
  }
}

/** Whether a process with this id exists and is not a zombie. */
export function isAlive(pid: number): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, "latin1");
    return status.slice(status.lastIndexOf(")") + 2, status.lastIndexOf(")") + 3) !== "Z";
  } catch {
    return false;
  }
}

/** Resolves when `condition` holds; rejects after `timeoutMs`. Polls, for what the system tells by no event. */
export async function until(condition: () => boolean, timeoutMs = 5_000): Promise<void> {
  const end = Date.now() + timeoutMs;
  while (!condition()) {
    if (Date.now() > end) throw new Error(`did not come true within ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
