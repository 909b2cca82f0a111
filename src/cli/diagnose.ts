/** Collects what this machine can give. Each step is bounded in time and none ends the others. */
import { mkdtemp, rm, statfs, writeFile } from "node:fs/promises";
import { arch, platform, release, tmpdir } from "node:os";
import { join } from "node:path";
import { inspectBubblewrap, inspectNode, inspectWorker, ownNode } from "../parent/inspect-parts.ts";
import { memoryWatch } from "../parent/watch-memory.ts";
import { type DoctorReport, RUNGS, type Rung, type RungReport, type TempFacts } from "./doctor-report.ts";
import { messageOf } from "./message-of.ts";
import { type RungParts, tryAuto, tryRung, untried } from "./try-rung.ts";
import { packageVersion } from "./version.ts";

/** What to look at. */
export interface DiagnosisInput {
  readonly demanded: Rung | "auto";
  readonly nodePath: string | null;
  readonly workerPath: string | null;
}

/** The whole report. Never rejects for what it finds. */
export async function diagnose(
  { demanded, nodePath, workerPath }: DiagnosisInput,
  stop: AbortSignal,
): Promise<DoctorReport> {
  const host = ownNode();
  const node = nodePath === null ? host : await inspectNode(nodePath);
  const worker = inspectWorker(workerPath);
  const { directory, facts: temp } = await makeDirectory();
  try {
    const obstacle = findObstacle(node.problem, worker.problem, temp.reason);
    const bubblewrap = node.problem === null ? await inspectBubblewrap(node.path) : NO_BUBBLEWRAP;
    const parts = directory === null ? null : { nodePath, workerPath, directory, stop };
    const others = demanded === "auto" ? null : `only ${demanded} was asked for`;
    const rungs: RungReport[] = [];
    for (const rung of RUNGS) {
      const skipped = obstacle ?? (rung === demanded ? null : others);
      rungs.push(
        skipped === null && parts !== null ? await tryRung(rung, parts) : untried(rung, skipped ?? ""),
      );
    }
    return {
      format: "little-harness-doctor",
      formatVersion: 1,
      packageVersion: packageVersion(),
      demanded,
      system: { platform: platform(), arch: arch(), kernel: release() },
      node: { host, worker: node },
      worker,
      bubblewrap,
      temp,
      memory: memoryWatch(),
      rungs,
      auto: await findAuto(parts, rungs, obstacle ?? others),
    };
  } finally {
    if (directory !== null) await rm(directory, { recursive: true, force: true });
  }
}

const NO_BUBBLEWRAP = { path: null, version: null, works: false, reason: "no Node.js to put into a jail" };

/** What makes it useless to start anything. */
function findObstacle(node: string | null, worker: string | null, temp: string | null): string | null {
  if (node !== null) return "no usable Node.js for the worker";
  if (worker !== null) return "no usable worker";
  return temp === null ? null : "no directory to work in";
}

async function findAuto(
  parts: RungParts | null,
  rungs: readonly RungReport[],
  skipped: string | null,
): Promise<DoctorReport["auto"]> {
  if (parts === null || skipped !== null) return { rung: null, reason: skipped };
  if (!rungs.some(({ state }) => state === "started")) return { rung: null, reason: "no rung starts" };
  return tryAuto(parts);
}

async function makeDirectory(): Promise<{ directory: string | null; facts: TempFacts }> {
  const path = tmpdir();
  let directory: string | null = null;
  try {
    directory = await mkdtemp(join(path, "little-harness-doctor-"));
    await writeFile(join(directory, "probe"), "x");
    await rm(join(directory, "probe"));
    const { bavail, bsize } = await statfs(path);
    return { directory, facts: { path, writable: true, freeBytes: bavail * bsize, reason: null } };
  } catch (error) {
    const reason = messageOf(error);
    if (directory !== null) await rm(directory, { recursive: true, force: true }).catch(() => undefined);
    return { directory: null, facts: { path, writable: false, freeBytes: null, reason } };
  }
}
