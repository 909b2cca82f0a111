/** What the host holds while it is at full load, and whether that grows. */
import { readdirSync } from "node:fs";
import { descendants } from "../helpers/processes.ts";

/** One look. */
export interface Sample {
  readonly seconds: number;
  readonly rssMb: number;
  readonly heapMb: number;
  readonly descriptors: number;
  readonly timers: number;
  readonly processes: number;
  readonly entries: number;
}

/** `temp` is where temporary files of this process lie. Without `--expose-gc` garbage is counted too. */
export function takeSample(startedMs: number, temp: string): Sample {
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  return {
    seconds: Math.round((performance.now() - startedMs) / 1_000),
    rssMb: Math.round(rss / 1e6),
    heapMb: Math.round(heapUsed / 1e5) / 10,
    descriptors: readdirSync("/proc/self/fd").length,
    timers: process.getActiveResourcesInfo().filter((type) => type === "Timeout").length,
    processes: descendants(process.pid).length,
    entries: readdirSync(temp).length,
  };
}

/** What a flat line may still go up by: V8 compiles and caches for minutes. */
const SLACK_MB = { rssMb: 30, heapMb: 5 };

/**
 * Why the memory is not flat; empty when it is. The median of the last third stands against that of the middle
 * third: the first third is start-up, and one sample says nothing.
 */
export function findGrowth(samples: readonly Sample[]): string[] {
  const third = Math.floor(samples.length / 3);
  if (third === 0) return [];
  return (["rssMb", "heapMb"] as const).flatMap((what) => {
    const values = samples.map((sample) => sample[what]);
    const middle = median(values.slice(third, 2 * third));
    const last = median(values.slice(2 * third));
    const most = middle * 1.1 + SLACK_MB[what];
    return last <= most ? [] : [`${what} went from ${middle} in the middle third to ${last} in the last`];
  });
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
