/** Whether the kernel filters the system calls of a worker: read from the kernel, not asked of the worker. */
import { readFileSync } from "node:fs";
import type { Wall } from "../walls.ts";
import type { Launch } from "./launch.ts";

/** `pid` is the worker's, on the host. */
export function filterWall({ rung }: Launch, pid: number): Wall {
  const name = "system calls against an escaped guest";
  if (rung !== "namespace")
    return { name, state: "not-claimed", reason: "only a jail has a filter of system calls" };
  const inWorker = countFilters(pid);
  // A container may have put a filter on this process too, which the worker has from it.
  if (inWorker > countFilters(process.pid))
    return { name, state: "holds", reason: "the kernel says that a filter is on" };
  return { name, state: "open", reason: "the kernel shows no filter" };
}

/** Of a process, as the kernel tells it. Kernels before 5.9 tell that there is a filter, and not how many. */
export function countFilters(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "latin1");
    const count = /^Seccomp_filters:\s+(\d+)$/m.exec(status)?.[1];
    return count === undefined ? Number(/^Seccomp:\s+2$/m.test(status)) : Number(count);
  } catch {
    // No `/proc` here, or the process is gone.
    return 0;
  }
}
