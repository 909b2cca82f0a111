import { existsSync, readFileSync } from "node:fs";

/** While a call is open. */
export const BUSY_LOOK_MS = 50;
/** Between calls nothing should grow: this is for a guest that took the worker over. */
export const IDLE_LOOK_MS = 1_000;

/** A jail is a process around the worker, or two. What a guest may have started beyond that must not slow the host. */
const MAX_DEPTH = 4;
const MAX_CHILDREN = 8;

/**
 * Calls `onOver` once when a process and its children hold more than `maxMemoryMb`, resident or swapped out. The
 * second line: the worker's own watcher thread looks more often, but a guest that took the worker over could stop
 * it, and in a jail it has no `/proc` to look at. Linux only; elsewhere it watches nothing. Returns the function
 * that stops it.
 */
export function watchMemory(
  pid: number,
  maxMemoryMb: number,
  lookMs: number,
  onOver: (heldMb: number) => void,
): () => void {
  if (process.platform !== "linux") return () => undefined;
  const timer = setInterval(() => {
    const heldMb = heldMegabytes(pid);
    if (heldMb <= maxMemoryMb) return;
    clearInterval(timer);
    onOver(heldMb);
  }, lookMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Who can see how much memory a worker holds on this system. */
export interface MemoryWatch {
  /** Whether `maxMemoryMb` is kept from outside the worker, on every rung that the system gives. */
  readonly watched: boolean;
  readonly reason: string;
}

/** What `watchMemory` can see here. The worker watches itself besides, where Node.js can tell its size. */
export function memoryWatch(platform: string = process.platform): MemoryWatch {
  if (platform === "win32") return { watched: false, reason: "nobody watches it on Windows" };
  if (platform !== "linux")
    return { watched: false, reason: `no /proc on ${platform}: only the worker watches itself` };
  if (ownMegabytes(process.pid) === 0)
    return { watched: false, reason: "/proc does not tell the size of a process here" };
  return existsSync(`/proc/${process.pid}/task/${process.pid}/children`)
    ? { watched: true, reason: `/proc is read every ${BUSY_LOOK_MS} ms while a call is open` }
    : { watched: false, reason: "/proc lists no child processes here: what is in a jail is not seen" };
}

function heldMegabytes(pid: number, depth = 0): number {
  if (depth === MAX_DEPTH) return 0;
  return childrenOf(pid).reduce((sum, child) => sum + heldMegabytes(child, depth + 1), ownMegabytes(pid));
}

function childrenOf(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").trim();
    return text === "" ? [] : text.split(" ").slice(0, MAX_CHILDREN).map(Number);
  } catch {
    // Gone, or a kernel without this file.
    return [];
  }
}

function ownMegabytes(pid: number): number {
  try {
    // `status` and not `statm`: in kB, where `statm` counts pages of a size that it does not tell.
    const status = readFileSync(`/proc/${pid}/status`, "latin1");
    return (kilobytes(status, "VmRSS") + kilobytes(status, "VmSwap")) / 1024;
  } catch {
    // The process is gone: its exit is told elsewhere.
    return 0;
  }
}

/** A number of `/proc/<pid>/status`; 0 where the kernel does not tell it. */
export function kilobytes(status: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1] ?? 0);
}
