/**
 * What the worker can say of its own walls, by trying. Runs outside the engine's defenses, as plain code: what
 * an escaped guest could do, not what a script can. Walls that the rung does not claim are not run into: on the
 * rung `process` that would start programs and threads with every sandbox.
 */
import { lstatSync, readFileSync, symlinkSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import type { ProbeTask } from "../protocol/probe-task.ts";
import { tellThrown } from "../shared/redact.ts";
import { OWN_VARIABLES } from "./neutral-process.ts";
import { connectTo, runProgram, runThread } from "./probe-attacks.ts";

/** One wall, as `HarnessSandbox.isolation()` reports it. */
export interface ProbedWall {
  readonly name: string;
  readonly state: "holds" | "open" | "not-claimed";
  readonly reason: string;
}

const LINK = ".little-harness-probe";

/** Resolves when it succeeds, with what it gave; rejects when the wall stands. */
type Attack = () => unknown;

export async function selfProbe(task: ProbeTask, platform: string = process.platform): Promise<ProbedWall[]> {
  const { claimed, network, parentPid, outsideFile, port, scratch } = task;
  const unclaimed = "no wall of this rung: the worker is an ordinary process of the host's user";
  const wall = (name: string, attack: Attack | null, notClaimed: string | null): Promise<ProbedWall> =>
    probe(`${name} against an escaped guest`, attack, claimed ? notClaimed : unclaimed);
  const file = outsideFile;
  // Elsewhere the attempt fails because the file was never there, whatever stands around the worker.
  const noProc = platform === "linux" ? null : `there is no /proc on ${platform}`;
  return [
    ownEnvironment(),
    await wall("environment of the parent", () => readFileSync(`/proc/${parentPid}/environ`), noProc),
    await wall("environment of process 1", () => readFileSync("/proc/1/environ"), noProc),
    await wall("host files outside the mounts", file === null ? null : () => look(file), null),
    await wall(
      "host files through a link in a mount",
      file === null || scratch === null ? null : () => lookThroughLink(file, join(scratch, LINK)),
      null,
    ),
    await wall("other programs", runProgram, null),
    await wall("threads without these walls", runThread, null),
    await wall(
      "network",
      port === null ? null : () => connectTo(port),
      network ? "the workspace allows scripts a network" : null,
    ),
    await wall("signals to the parent", () => process.kill(parentPid, 0), null),
  ];
}

async function probe(name: string, attack: Attack | null, notClaimed: string | null): Promise<ProbedWall> {
  if (notClaimed !== null) return { name, state: "not-claimed", reason: notClaimed };
  if (attack === null) return { name, state: "not-claimed", reason: "there was nothing to try it with" };
  try {
    await attack();
    return { name, state: "open", reason: "the attempt succeeded" };
  } catch (error) {
    return { name, state: "holds", reason: `the attempt failed: ${codeOf(error)}` };
  }
}

function ownEnvironment(): ProbedWall {
  const names = Object.keys(process.env).filter((variable) => !OWN_VARIABLES.includes(variable));
  const name = "environment of the worker";
  if (names.length === 0) return { name, state: "holds", reason: "it has no variable of the host" };
  return { name, state: "open", reason: `it holds ${names.length} variables that the host added` };
}

function look(path: string): void {
  lstatSync(path);
  readFileSync(path);
}

function lookThroughLink(target: string, link: string): void {
  symlinkSync(target, link);
  try {
    readFileSync(link);
  } finally {
    unlinkSync(link);
  }
}

function codeOf(error: unknown): string {
  const text = error instanceof Error && "code" in error ? String(error.code) : tellThrown(error);
  return text.slice(0, 200);
}
