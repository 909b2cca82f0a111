import { readFileSync } from "node:fs";
import { arch, cpus, loadavg, platform, release, totalmem } from "node:os";
import { join } from "node:path";
import { root } from "../build/paths.ts";
import { buildId } from "./built.ts";

/** What was measured, and on what. */
export interface Machine {
  readonly version: string;
  readonly buildId: string;
  readonly node: string;
  readonly system: string;
  readonly processor: string;
  readonly cores: number;
  readonly memoryGb: number;
  /** Of the last minute, when the run began: above the number of cores, others were at work. */
  readonly load: number;
}

export function describeMachine(): Machine {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  return {
    version,
    buildId,
    node: process.version,
    system: `${platform()} ${release().split("-")[0]} ${arch()}`,
    processor: cpus()[0]?.model.trim() ?? "unknown",
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 1024 ** 3),
    load: Number(loadavg()[0]?.toFixed(1)),
  };
}

export function machineLine({ version, node, system, processor, cores, memoryGb, load }: Machine): string {
  return (
    `@little-stack/harness ${version}, Node.js ${node}, ${system}, ${processor}, ${cores} cores, ` +
    `${memoryGb} GB, load ${load} at the start`
  );
}
