import { readdirSync, readFileSync } from "node:fs";

const BUILT_WORKER = "worker/main.js";

/**
 * Process ids of the workers that this process has started and that still live (Linux); `file` is part of the
 * path of the worker's main file.
 */
export function workerPids(parent: number = process.pid, file: string = BUILT_WORKER): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => isWorkerOf(pid, parent, file));
}

function isWorkerOf(pid: number, parent: number, file: string): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, "latin1");
    const [state, ppid] = status.slice(status.lastIndexOf(")") + 2).split(" ");
    if (state === "Z" || Number(ppid) !== parent) return false;
    return readFileSync(`/proc/${pid}/cmdline`, "latin1").includes(file);
  } catch {
    // Gone between the listing and the look.
    return false;
  }
}

/** Kills the one worker of this process and returns its id once no thread of it is left. */
export async function killWorker(file: string = BUILT_WORKER): Promise<number> {
  const [pid, ...others] = workerPids(process.pid, file);
  if (pid === undefined || others.length > 0)
    throw new Error(`expected one worker, found ${pid === undefined ? 0 : others.length + 1}`);
  process.kill(pid, "SIGKILL");
  await until(() => !isAlive(pid));
  return pid;
}

/** Whether a process with this id exists and one of its threads is no zombie: until then its descriptors are open. */
export function isAlive(pid: number): boolean {
  return entries(`/proc/${pid}/task`).some((thread) => {
    try {
      const status = readFileSync(`/proc/${pid}/task/${thread}/stat`, "latin1");
      return status.slice(status.lastIndexOf(")") + 2, status.lastIndexOf(")") + 3) !== "Z";
    } catch {
      // This thread is gone since the listing; the others may not be.
      return false;
    }
  });
}

function entries(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    // No such process.
    return [];
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

/** Process ids of all that descends from a process, from whichever thread (Linux). */
export function descendants(pid: number): number[] {
  const children = entries(`/proc/${pid}/task`).flatMap((thread) => {
    try {
      const text = readFileSync(`/proc/${pid}/task/${thread}/children`, "latin1").trim();
      return text === "" ? [] : text.split(" ").map(Number);
    } catch {
      // Gone between the listing and the look.
      return [];
    }
  });
  return children.flatMap((child) => [child, ...descendants(child)]);
}
