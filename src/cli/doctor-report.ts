/** What `little-harness doctor` found, as plain data, and what of it is broken. Pure. */
import type { BubblewrapFacts, NodeFacts, WorkerFacts } from "../parent/inspect-parts.ts";
import type { MemoryWatch } from "../parent/watch-memory.ts";
import type { IsolationReport } from "../shared/sandbox.ts";

/** The rungs that are tried, from least to most. */
export const RUNGS = ["process", "hardened", "namespace"] as const;

/** One of them. */
export type Rung = (typeof RUNGS)[number];

/** Whether one language runs in a worker. */
export interface LanguageReport {
  readonly name: string;
  readonly runs: boolean;
  readonly tookMs: number;
  /** Why it does not run; `null` when it does. */
  readonly reason: string | null;
}

/** What became of one rung. Fields that nobody came to are `null` or empty. */
export interface RungReport {
  readonly name: Rung;
  /** `"unavailable"`: this machine cannot give it; `"failed"`: it should, and did not; `"not-tried"`: see `reason`. */
  readonly state: "started" | "unavailable" | "failed" | "not-tried";
  readonly reason: string | null;
  /** From the call that starts the worker to the result of `true`. */
  readonly firstResultMs: number | null;
  /** For all walls together. */
  readonly probeMs: number | null;
  readonly engine: string | null;
  readonly defense: string | null;
  readonly layers: NonNullable<IsolationReport["layers"]>;
  readonly walls: IsolationReport["walls"];
  readonly languages: readonly LanguageReport[];
}

/** The JSON document of `--json`, but for `broken`. A key that is taken away or changes its meaning raises `formatVersion`. */
export interface DoctorReport {
  readonly format: "little-harness-doctor";
  readonly formatVersion: 1;
  readonly packageVersion: string;
  readonly demanded: Rung | "auto";
  readonly system: { readonly platform: string; readonly arch: string; readonly kernel: string };
  readonly node: { readonly host: NodeFacts; readonly worker: NodeFacts };
  readonly worker: WorkerFacts;
  readonly bubblewrap: BubblewrapFacts;
  readonly temp: TempFacts;
  readonly memory: MemoryWatch;
  readonly rungs: readonly RungReport[];
  /** What `isolation: "auto"` takes; `rung` is `null` when it takes none. */
  readonly auto: { readonly rung: string | null; readonly reason: string | null };
}

/** The directory of the system for files that do not stay. */
export interface TempFacts {
  readonly path: string;
  readonly writable: boolean;
  readonly freeBytes: number | null;
  readonly reason: string | null;
}

/** Everything that was promised and does not hold, one line each; empty when nothing is broken. */
export function findBroken(report: DoctorReport): string[] {
  const { node, worker, temp, rungs, auto, demanded } = report;
  const broken: string[] = [];
  if (node.host.problem !== null) broken.push(`node of this program: ${node.host.problem}`);
  if (node.worker.problem !== null) broken.push(`node of the worker: ${node.worker.problem}`);
  if (worker.problem !== null) broken.push(`worker: ${worker.problem}`);
  if (!temp.writable) broken.push(`temp: ${temp.reason ?? "not writable"}`);
  for (const rung of rungs) {
    if (rung.state === "failed") broken.push(`${rung.name}: ${rung.reason ?? "it did not start"}`);
    // An ordinary process is there on every machine.
    else if (rung.state === "unavailable" && (rung.name === "process" || rung.name === demanded))
      broken.push(`${rung.name}: not available: ${rung.reason ?? "no reason given"}`);
    for (const { name, state, reason } of rung.walls)
      if (state === "open") broken.push(`${rung.name}: open wall: ${name} (${reason})`);
    for (const { name, runs, reason } of rung.languages)
      if (!runs) broken.push(`${rung.name}: ${name} does not run: ${reason ?? "no reason given"}`);
  }
  if (demanded === "auto" && auto.rung === null && rungs.some(({ state }) => state === "started"))
    broken.push(`auto: ${auto.reason ?? "it takes no rung"}`);
  return broken;
}
