import { readFileSync } from "node:fs";

const POLL_MS = 50;

/**
 * Calls `onOver` once when a process holds more than `maxMemoryMb`, resident or swapped out. The second line:
 * the worker's own watcher thread looks more often, but a guest that took the worker over could stop it. Linux
 * only; elsewhere it watches nothing. Returns the function that stops it.
 */
export function watchMemory(pid: number, maxMemoryMb: number, onOver: (heldMb: number) => void): () => void {
  if (process.platform !== "linux") return () => undefined;
  const timer = setInterval(() => {
    const heldMb = heldMegabytes(pid);
    if (heldMb <= maxMemoryMb) return;
    clearInterval(timer);
    onOver(heldMb);
  }, POLL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

function heldMegabytes(pid: number): number {
  try {
    // `status` and not `statm`: in kB, where `statm` counts pages of a size that it does not tell.
    const status = readFileSync(`/proc/${pid}/status`, "latin1");
    return (kilobytes(status, "VmRSS") + kilobytes(status, "VmSwap")) / 1024;
  } catch {
    // The process is gone: its exit is told elsewhere.
    return 0;
  }
}

function kilobytes(status: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1] ?? 0);
}
