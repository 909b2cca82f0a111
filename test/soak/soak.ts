/**
 * Full load for a time: several sandboxes at once, each doing one random step after another. What a step does and
 * in which order goes by the seed alone; how the lanes fall between each other goes by the machine.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { until } from "../helpers/processes.ts";
import { noNamespace, type Rung } from "../helpers/rungs.ts";
import { takeStock } from "../helpers/stock.ts";
import { BAD_STEPS } from "./bad-steps.ts";
import { GOOD_STEPS, type Step } from "./good-steps.ts";
import { Lane } from "./lane.ts";
import { findGrowth, type Sample, takeSample } from "./measure.ts";
import { Random } from "./random.ts";

/** What is asked of a soak. */
export interface SoakOptions {
  readonly seconds: number;
  readonly seed: number;
  readonly log: (line: string) => void;
}

/** What came of it; `problems` is empty when all held. */
export interface SoakReport {
  readonly steps: Readonly<Record<string, number>>;
  readonly samples: readonly Sample[];
  readonly problems: readonly string[];
}

const SAMPLE_MS = 5_000;
/** Far beyond the longest step: one that takes longer hangs. */
const HANG_MS = 120_000;
/** Until what a disposed sandbox had is closed. */
const SETTLE_MS = 5_000;
const STEPS: readonly Step[] = [...GOOD_STEPS, ...BAD_STEPS];

export async function soak({ seconds, seed, log }: SoakOptions): Promise<SoakReport> {
  const folder = mkdtempSync(join(tmpdir(), "soak-"));
  const temp = join(folder, "temp");
  mkdirSync(temp);
  const hostTemp = process.env.TMPDIR;
  process.env.TMPDIR = temp;
  const problems: string[] = [];
  const onStray = (error: unknown): void => void problems.push(`nobody handled: ${String(error)}`);
  process.on("unhandledRejection", onStray).on("uncaughtException", onStray);
  try {
    const lanes = await openLanes(folder, seed);
    log(`${lanes.length} sandboxes: ${lanes.map(({ rung }) => rung).join(", ")}`);
    if (noNamespace !== null) log(`not on the rung namespace: ${noNamespace}`);
    // What is loaded or asked once is there.
    for (const lane of lanes) await lane.close();
    await settle();
    const before = takeStock(temp);
    for (const lane of lanes) await lane.open();
    const { steps, samples } = await load(lanes, seconds, temp, problems, log);
    await closeAll(lanes, problems);
    await until(() => isDeepStrictEqual(takeStock(temp), before), SETTLE_MS).catch(() => {
      const left = JSON.stringify(takeStock(temp));
      problems.push(`not back at the start: ${left}, at the start ${JSON.stringify(before)}`);
    });
    problems.push(...findGrowth(samples));
    return { steps, samples, problems };
  } finally {
    process.off("unhandledRejection", onStray).off("uncaughtException", onStray);
    if (hostTemp === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = hostTemp;
    rmSync(folder, { recursive: true, force: true });
  }
}

async function openLanes(folder: string, seed: number): Promise<Lane[]> {
  const rungs: Rung[] =
    noNamespace === null
      ? ["process", "namespace", "process", "namespace"]
      : ["process", "process", "process", "process"];
  const lanes = rungs.map((rung, index) => {
    const name = `lane${index}`;
    return new Lane(name, rung, join(folder, name), new Random(seed + index));
  });
  for (const lane of lanes) {
    await lane.open();
    await lane.expectState();
    await lane.sandbox.isolation();
  }
  return lanes;
}

/** Runs all lanes until the time is over or one step failed. */
async function load(
  lanes: readonly Lane[],
  seconds: number,
  temp: string,
  problems: string[],
  log: (line: string) => void,
): Promise<Pick<SoakReport, "steps" | "samples">> {
  const steps: Record<string, number> = {};
  const samples: Sample[] = [];
  const startedMs = performance.now();
  const isOver = (): boolean => performance.now() - startedMs > seconds * 1_000 || problems.length > 0;
  const look = (): void => {
    const sample = takeSample(startedMs, temp);
    samples.push(sample);
    log(JSON.stringify(sample));
  };
  const sampler = setInterval(look, SAMPLE_MS);
  await Promise.all(
    lanes.map(async (lane, index) => {
      for (let number = 1; !isOver(); number++) {
        const step = lane.random.pick(STEPS);
        try {
          await inTime(step.run(lane));
          steps[step.name] = (steps[step.name] ?? 0) + 1;
        } catch (error) {
          const why = error instanceof Error ? error.message : String(error);
          problems.push(`lane ${index} (${lane.rung}), step ${number}, "${step.name}": ${why}`);
        }
      }
    }),
  );
  clearInterval(sampler);
  look();
  return { steps, samples };
}

async function inTime(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const hang = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`took longer than ${HANG_MS} ms`)), HANG_MS);
  });
  try {
    await Promise.race([work, hang]);
  } finally {
    clearTimeout(timer);
  }
}

async function closeAll(lanes: readonly Lane[], problems: string[]): Promise<void> {
  for (const lane of lanes) {
    try {
      await lane.close();
    } catch (error) {
      problems.push(`closing a lane: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

/** Handles close a turn after what they belonged to. */
async function settle(): Promise<void> {
  await until(() => !process.getActiveResourcesInfo().includes("ProcessWrap"), SETTLE_MS);
}
