/**
 * What the worker can say of its own walls, by trying. Runs outside the engine's defenses, as plain code: what
 * an escaped guest could do, not what a script can.
 */
import { lstatSync, readFileSync } from "node:fs";

/** One wall, as `HarnessSandbox.isolation()` reports it. */
export interface ProbedWall {
  readonly name: string;
  readonly state: "holds" | "open" | "not-claimed";
  readonly reason: string;
}

export function selfProbe(): ProbedWall[] {
  return [ownEnvironment(), parentEnvironment(), hostFiles(), network()];
}

function ownEnvironment(): ProbedWall {
  const names = Object.keys(process.env);
  const name = "environment of the worker";
  if (names.length === 0) return { name, state: "holds", reason: "it has no variable" };
  return { name, state: "open", reason: `it holds ${names.length} variables that the host added` };
}

function parentEnvironment(): ProbedWall {
  const name = "environment of the parent against an escaped guest";
  try {
    readFileSync(`/proc/${process.ppid}/environ`);
    return {
      name,
      state: "not-claimed",
      reason: "the worker runs as the parent's user and can read it in /proc",
    };
  } catch (error) {
    return { name, state: "holds", reason: `reading it fails: ${codeOf(error)}` };
  }
}

function hostFiles(): ProbedWall {
  const name = "host files outside the mounts against an escaped guest";
  try {
    lstatSync("/etc/passwd");
    return { name, state: "not-claimed", reason: "the worker process itself sees the host's files" };
  } catch (error) {
    return { name, state: "holds", reason: `looking at /etc/passwd fails: ${codeOf(error)}` };
  }
}

function network(): ProbedWall {
  return {
    name: "network against an escaped guest",
    state: "not-claimed",
    reason: "scripts have no network; the process itself has no wall around its sockets",
  };
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}
