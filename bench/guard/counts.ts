/**
 * What one command and one start cost in things that can be counted: they come out nearly the same however busy
 * the machine is, where times do not.
 */
import { readFileSync } from "node:fs";
import { getHeapStatistics } from "node:v8";
import { openSandbox } from "../built.ts";
import { measurePairs, median, type Sample } from "../measure.ts";
import { bareFirstByte, firstResult } from "../rows/cold.ts";
import { withDirectory } from "../scratch.ts";
import { readWireCounts, WIRE_TAP, type WireCounts } from "./wire-tap.ts";

/** Frames and bytes of a longer run less those of a shorter one leave out the start and the end. */
const [FEW, MANY] = [50, 250];

export interface ExecCounts extends WireCounts {
  /** Bytes that the host allocated on its heap between the ends of commands: the median. */
  readonly hostHeapBytes: number;
}

/** What one warm `exec('true')` costs. */
export async function countExec(): Promise<ExecCounts> {
  const [few, many] = [await runMany(FEW), await runMany(MANY)];
  const each = (pick: (counts: WireCounts) => number) => (pick(many) - pick(few)) / (MANY - FEW);
  return { ...many, frames: each(({ frames }) => frames), bytes: each(({ bytes }) => bytes) };
}

async function runMany(count: number): Promise<ExecCounts> {
  let diagnostics = "";
  const heap: number[] = [];
  await withDirectory(async (directory) => {
    await using sandbox = await openSandbox({
      mounts: { "/work": directory },
      sandbox: "subprocess",
      execArgv: WIRE_TAP,
      onDiagnostic: (text) => {
        diagnostics += text;
      },
    });
    for (let index = 0; index < count; index++) {
      await sandbox.exec("true");
      heap.push(getHeapStatistics().used_heap_size);
    }
  });
  // A collection makes one step far too small, which a median does not mind.
  const steps = heap.slice(1).map((size, index) => size - (heap[index] ?? 0));
  return { ...readWireCounts(diagnostics), hostHeapBytes: median(steps) };
}

/** A sandbox from nothing to its first result, against bare Node.js: by the clock, and by the processors' time. */
export async function coldRatios(): Promise<{ clock: number; processors: number }> {
  return await withDirectory(async (directory) => {
    const spent = { sandbox: 0, bare: 0 };
    const count = (side: keyof typeof spent, sample: Sample) => async () => {
      const startedMs = spentMs();
      const tookMs = await sample();
      spent[side] += spentMs() - startedMs;
      return tookMs;
    };
    const cold = firstResult(directory, {});
    await cold();
    const { ratio } = await measurePairs(count("sandbox", cold), count("bare", bareFirstByte), {
      rounds: 7,
      warmups: 0,
    });
    return { clock: ratio.p50, processors: spent.sandbox / spent.bare };
  });
}

/** User and system time in milliseconds, of this process and of its children that have ended. */
function spentMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000 + endedChildrenMs();
}

/** Linux counts it in ticks of 10 ms, of the exact sum. */
function endedChildrenMs(): number {
  const stat = readFileSync("/proc/self/stat", "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[13]) + Number(fields[14])) * 10;
}
