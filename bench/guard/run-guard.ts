/**
 * The guard: `--store` writes what a quiet machine gives into `bench/baseline.json`, `--compare` measures the same
 * in some seconds and warns of what has become worse. It never fails anything.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../build/paths.ts";
import { describeMachine, machineLine } from "../machine.ts";
import { median } from "../measure.ts";
import { firstSentence } from "../row.ts";
import {
  type Baseline,
  findWorse,
  type GuardNumber,
  parseBaseline,
  toText,
  WARN_AT_COUNT,
  WARN_AT_PROCESSOR_TIME,
  WARN_AT_RATIO,
} from "./compare.ts";
import { coldRatios, countExec } from "./counts.ts";
import { outputRatio, toolsRatio, warmRatio } from "./ratios.ts";

const FILE = join(root, "bench/baseline.json");
const STORED_RUNS = 3;

type Values = Readonly<Record<string, number>>;

const count = { warnAt: WARN_AT_COUNT };
const ratio = { unit: "×", warnAt: WARN_AT_RATIO };

/** Measured in this order: the counts first, before other work has warmed the host up. */
const SOURCES: readonly {
  readonly numbers: readonly Omit<GuardNumber, "value">[];
  /** One value a number, in their order. */
  measure(): Promise<readonly number[]>;
}[] = [
  {
    numbers: [
      { name: "frames of a command", unit: "frames", ...count },
      { name: "bytes on the wire of a command", unit: "bytes", ...count },
      { name: "heap of the worker per command", unit: "bytes", ...count },
      { name: "heap of the host per command", unit: "bytes", ...count },
    ],
    async measure() {
      const { frames, bytes, heapBytes, hostHeapBytes } = await countExec();
      return [frames, bytes, heapBytes, hostHeapBytes];
    },
  },
  {
    numbers: [
      { name: "cold", ...ratio },
      { name: "processor time of a cold start", unit: "× bare node", warnAt: WARN_AT_PROCESSOR_TIME },
    ],
    async measure() {
      const { clock, processors } = await coldRatios();
      return [clock, processors];
    },
  },
  { numbers: [{ name: "warm", ...ratio }], measure: async () => [await warmRatio()] },
  { numbers: [{ name: "1,000 tool calls", ...ratio }], measure: async () => [await toolsRatio()] },
  { numbers: [{ name: "10 MB of output", ...ratio }], measure: async () => [await outputRatio()] },
];

/** Measures once. What cannot be measured is told and left out. */
async function measureAll(): Promise<GuardNumber[]> {
  const found: GuardNumber[] = [];
  for (const { numbers, measure } of SOURCES) {
    try {
      const values = await measure();
      for (const [index, number] of numbers.entries())
        found.push({ ...number, value: values[index] ?? Number.NaN });
    } catch (error) {
      for (const { name } of numbers)
        console.log(`warning: ${name} was not measured: ${firstSentence(error)}`);
    }
  }
  return found;
}

/** Stores the medians of a few runs, and prints how far these lie apart. */
export async function storeBaseline(): Promise<void> {
  const { node, processor, ...rest } = describeMachine();
  console.log(machineLine({ node, processor, ...rest }));
  const runs: Values[] = [];
  const units = new Map<string, string>();
  for (let run = 0; run < STORED_RUNS; run++) {
    const numbers = await measureAll();
    for (const { name, unit } of numbers) units.set(name, unit);
    runs.push(Object.fromEntries(numbers.map(({ name, value }) => [name, value])));
  }
  const values: Record<string, number> = {};
  for (const [name, unit] of units) {
    const seen = runs.flatMap((run) => run[name] ?? []).sort((a, b) => a - b);
    const middle = median(seen);
    values[name] = Number(middle.toPrecision(4));
    console.log(`${name}: ${toText(middle, unit)} (${seen.map((value) => toText(value, "")).join("… ")})`);
  }
  const baseline: Baseline = { machine: { node, processor }, values };
  writeFileSync(FILE, `${JSON.stringify(baseline, null, 2)}\n`);
}

/** Prints one line a number, then the warnings. */
export async function compareWithBaseline(): Promise<void> {
  const { machine, values } = parseBaseline(readFileSync(FILE, "utf8"));
  const here = describeMachine();
  console.log(machineLine(here));
  if (machine.node !== here.node || machine.processor !== here.processor)
    console.log(`stored on another machine: Node.js ${machine.node}, ${machine.processor}`);
  if (here.load > 2 * here.cores) console.log("the machine is busy: the counts hold, the times say little");
  const numbers = await measureAll();
  for (const { name, value, unit } of numbers) console.log(`${name}: ${toText(value, unit)}`);
  for (const line of findWorse(values, numbers)) console.log(line);
}
