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

/** Whether a process with this id exists and one of its threads is no zombie: until then its descriptors are open. */
export function isAlive(pid: number): boolean {
  try {
    return readdirSync(`/proc/${pid}/task`).some((thread) => {
      const status = readFileSync(`/proc/${pid}/task/${thread}/stat`, "latin1");
      return status.slice(status.lastIndexOf(")") + 2, status.lastIndexOf(")") + 3) !== "Z";
    });
  } catch {
    // Gone between the listing and the look; or it never was.
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

/** Process ids of all that descends from a process (Linux). */
export function descendants(pid: number): number[] {
  let children: number[];
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").trim();
    children = text === "" ? [] : text.split(" ").map(Number);
  } catch {
    // Gone between the listing and the look.
    return [];
  }
  return children.flatMap((child) => [child, ...descendants(child)]);
}
