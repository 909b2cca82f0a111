import { readFileSync } from "node:fs";

const POLL_MS = 50;
/** Linux reports pages of 4 KiB in `statm` on every platform that Node.js runs on but arm64 with large pages. */
const PAGE_BYTES = 4096;

/**
 * Calls `onOver` once when the resident size of a process goes above `maxMemoryMb`. Linux only; elsewhere it
 * watches nothing. Returns the function that stops it.
 */
export function watchMemory(
  pid: number,
  maxMemoryMb: number,
  onOver: (residentMb: number) => void,
): () => void {
  if (process.platform !== "linux") return () => undefined;
  const timer = setInterval(() => {
    const residentMb = residentMegabytes(pid);
    if (residentMb <= maxMemoryMb) return;
    clearInterval(timer);
    onOver(residentMb);
  }, POLL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

function residentMegabytes(pid: number): number {
  try {
    const pages = Number(readFileSync(`/proc/${pid}/statm`, "latin1").split(" ")[1]);
    return (pages * PAGE_BYTES) / (1024 * 1024);
  } catch {
    // The process is gone: its exit is told elsewhere.
    return 0;
  }
}
