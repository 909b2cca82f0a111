/**
 * How a row is measured: its two sides run one after the other in the same run, in turns as to which goes first,
 * and each pair gives one ratio. On a machine with other work the times drift; the median of the ratios does not.
 */

/** Runs once and gives one number, most often milliseconds: it alone decides what is counted. */
export type Sample = () => Promise<number>;

/** How often two sides are measured; the warm-ups come first and do not count. */
export interface Size {
  readonly rounds: number;
  readonly warmups: number;
}

/** Median, 95th and 99th percentile of several samples. */
export interface Summary {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** Two sides of one row. */
export interface Pairs {
  readonly rounds: number;
  readonly value: Summary;
  readonly base: Summary;
  /** Of value / base, pair by pair. */
  readonly ratio: Summary;
  /** Of value − base, pair by pair. */
  readonly extra: Summary;
}

/** Measures two sides in pairs. */
export async function measurePairs(value: Sample, base: Sample, { rounds, warmups }: Size): Promise<Pairs> {
  const one = (sample: Sample) => async () => [await sample()];
  return await measureManyPairs(one(value), one(base), { rounds, warmups });
}

/** The same for sides that give several numbers at once, in the same order on both. */
export async function measureManyPairs(
  value: () => Promise<readonly number[]>,
  base: () => Promise<readonly number[]>,
  { rounds, warmups }: Size,
): Promise<Pairs> {
  const values: number[] = [];
  const bases: number[] = [];
  for (let round = -warmups; round < rounds; round++) {
    let first: readonly number[];
    let second: readonly number[];
    if (round % 2 === 0) {
      first = await value();
      second = await base();
    } else {
      second = await base();
      first = await value();
    }
    if (round < 0) continue;
    values.push(...first);
    bases.push(...second);
  }
  return toPairs(values, bases);
}

/** Pairs from samples that were taken elsewhere, in the same order on both sides. */
export function toPairs(values: readonly number[], bases: readonly number[]): Pairs {
  const baseOf = (index: number): number => bases[index] ?? Number.NaN;
  return {
    rounds: values.length,
    value: summarise(values),
    base: summarise(bases),
    ratio: summarise(values.map((value, index) => value / baseOf(index))),
    extra: summarise(values.map((value, index) => value - baseOf(index))),
  };
}

/** Milliseconds that `work` takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

export function median(samples: readonly number[]): number {
  return summarise(samples).p50;
}

function summarise(samples: readonly number[]): Summary {
  const sorted = [...samples].sort((a, b) => a - b);
  return { p50: quantile(sorted, 0.5), p95: quantile(sorted, 0.95), p99: quantile(sorted, 0.99) };
}

function quantile(sorted: readonly number[], share: number): number {
  const at = (sorted.length - 1) * share;
  const low = sorted[Math.floor(at)] ?? Number.NaN;
  const high = sorted[Math.ceil(at)] ?? Number.NaN;
  return low + (high - low) * (at - Math.floor(at));
}
