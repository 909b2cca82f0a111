/** A worker inside bubblewrap, seen from the host: bubblewrap → its process 1 → the worker. */
import { readFileSync } from "node:fs";
import { constants } from "node:os";

/** The worker's process id on the host; `null` while it has not started. */
export function findWrapped(outerPid: number): number | null {
  const first = onlyChild(outerPid);
  return first === null ? null : onlyChild(first);
}

/** `null` when there is none, or it cannot be told. */
export function onlyChild(pid: number): number | null {
  try {
    const child = Number.parseInt(readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1"), 10);
    return Number.isNaN(child) ? null : child;
  } catch {
    // Gone, or a kernel without this file: then the memory is watched from inside only.
    return null;
  }
}

/** bubblewrap ends with 128 and the number of the signal that ended the worker, as a shell does. */
export function exitOfWrapped(
  code: number | null,
  signal: string | null,
): { code: number | null; signal: string | null } {
  if (code === null || code <= 128) return { code, signal };
  const name = Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0];
  return name === undefined ? { code, signal } : { code: null, signal: name };
}
