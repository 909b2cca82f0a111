/**
 * Who a process is, so that another one can tell later whether it still lives. A process id alone cannot: ids are
 * given out again, and mean another process in another container.
 */
import { readFileSync, readlinkSync } from "node:fs";
import { codeOf } from "./error-code.ts";

/** One life of one process. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in the kernel's own units since boot; `null` where the system does not say (no `/proc`). */
  readonly start: string | null;
  /** The machine since its last boot, and the namespace in which `pid` counts; `null` as above. */
  readonly place: string | null;
}

let own: ProcessIdentity | undefined;

/** Who this process is. */
export function ownIdentity(): ProcessIdentity {
  own ??= { pid: process.pid, start: startOf(process.pid), place: placeOf() };
  return own;
}

/** Whether that process lives; `"unknown"` for one of another machine or container, or where ids are all there is. */
export function isAlive(identity: ProcessIdentity): "yes" | "no" | "unknown" {
  const here = ownIdentity();
  if (identity.place !== here.place) return "unknown";
  if (identity.place === null || identity.start === null)
    return look(identity.pid) === "gone" ? "no" : "unknown";
  const start = startOf(identity.pid);
  if (start === identity.start) return "yes";
  // Where /proc hides the processes of other users, there is no start although there is a process.
  return start === null && look(identity.pid) === "another user's" ? "unknown" : "no";
}

/** `null` for a process that is gone, and for one that has ended and waits for its parent to ask. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name in parentheses may hold blanks and parentheses of its own.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const state = fields[0];
    return state === "Z" || state === "X" ? null : (fields[19] ?? null);
  } catch {
    return null; // gone, or a system without /proc
  }
}

function placeOf(): string | null {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
    return `${boot} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return null; // a system without /proc
  }
}

function look(pid: number): "there" | "another user's" | "gone" {
  try {
    process.kill(pid, 0);
    return "there";
  } catch (error) {
    return codeOf(error) === "EPERM" ? "another user's" : "gone";
  }
}
