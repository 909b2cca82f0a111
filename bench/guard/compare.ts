/** What the guard knows: a few numbers, those that were stored, and when one has become worse. */

/** One number. Less is better in each of them. */
export interface GuardNumber {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** How many times the stored number it may be before it is told. */
  readonly warnAt: number;
}

/** What was stored, and on what. */
export interface Baseline {
  readonly machine: { readonly node: string; readonly processor: string };
  readonly values: Readonly<Record<string, number>>;
}

/** Times of two sides on a machine with other work: what is below this is noise. */
export const WARN_AT_RATIO = 1.5;
/** It depends less on what else runs, and still on how the cores are shared. */
export const WARN_AT_PROCESSOR_TIME = 1.25;
/** Counts come out within 1 or 2 % of each other wherever the same version of Node.js runs. */
export const WARN_AT_COUNT = 1.1;

/** One line a number that is worse, in their order; empty when all is well. */
export function findWorse(stored: Baseline["values"], numbers: readonly GuardNumber[]): string[] {
  return numbers.flatMap(({ name, value, unit, warnAt }) => {
    const was = Object.hasOwn(stored, name) ? stored[name] : undefined;
    if (was === undefined) return [`warning: ${name} has no stored number`];
    const times = value / was;
    // Not `times < warnAt`: a number that is none must be told too.
    if (times < warnAt) return [];
    return [`warning: ${name} ${toText(value, unit)} was ${toText(was, unit)} (${times.toFixed(2)} × worse)`];
  });
}

/** Reads `baseline.json`; throws when it holds something else. */
export function parseBaseline(text: string): Baseline {
  const found = JSON.parse(text) as Partial<Baseline> | null;
  const { machine, values } = found ?? {};
  if (typeof machine?.node !== "string" || typeof machine.processor !== "string" || !isTable(values))
    throw new Error("bench/baseline.json is no baseline: `npm run bench -- --store` makes one");
  const wrong = Object.entries(values).find(([, value]) => !(typeof value === "number" && value > 0));
  if (wrong !== undefined) throw new Error(`bench/baseline.json: "${wrong[0]}" is no number above 0`);
  return { machine, values };
}

const isTable = (value: unknown): value is Baseline["values"] => typeof value === "object" && value !== null;

export function toText(value: number, unit: string): string {
  const digits = value >= 100 || Number.isInteger(value) ? 0 : value >= 10 ? 1 : 2;
  return `${value.toLocaleString("en", { maximumFractionDigits: digits })} ${unit}`;
}
