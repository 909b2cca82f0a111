/**
 * Looks how much memory all processes of a jail hold together: by their process namespace, as a guest may start them
 * from any thread and let their parents die. What is shared by processes is counted once per process only where it
 * was written to.
 */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { onlyChild } from "../../parent/isolation/wrapped-worker.ts";
import { kilobytes } from "../../parent/watch-memory.ts";

const LOOK_MS = 100;
/** Looks take at most this part of the time. */
const SHARE = 10;
/** More processes than this are too many whatever they hold. */
const MAX_PROCESSES = 4096;

/** Calls `onOver` once; returns the function that stops it. `outerPid` is of bubblewrap, whose child is the jail. */
export function watchTreeMemory(outerPid: number, maxMemoryMb: number, onOver: () => void): () => void {
  let timer: NodeJS.Timeout;
  const look = (): void => {
    const start = performance.now();
    if (heldMegabytes(outerPid) > maxMemoryMb) onOver();
    else arm(Math.max(LOOK_MS, (performance.now() - start) * SHARE));
  };
  const arm = (delayMs: number): void => {
    timer = setTimeout(look, delayMs);
    timer.unref();
  };
  arm(LOOK_MS);
  return () => clearTimeout(timer);
}

function heldMegabytes(outerPid: number): number {
  const jail = onlyChild(outerPid);
  const namespace = jail === null ? null : namespaceOf(jail);
  // Before the jail has started its own, that of the host.
  if (namespace === null || namespace === namespaceOf(process.pid)) return 0;
  let held = 0;
  let count = 0;
  for (const name of readdirSync("/proc")) {
    if (!/^\d/.test(name) || namespaceOf(Number(name)) !== namespace) continue;
    if (++count > MAX_PROCESSES) return Number.POSITIVE_INFINITY;
    held += ownMegabytes(name);
  }
  return held;
}

function namespaceOf(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    // Gone, or somebody else's.
    return null;
  }
}

function ownMegabytes(pid: string): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "latin1");
    const held = ["RssAnon", "RssShmem", "VmSwap"].map((name) => kilobytes(status, name));
    return held.reduce((sum, each) => sum + each, 0) / 1024;
  } catch {
    // Gone since the listing.
    return 0;
  }
}
