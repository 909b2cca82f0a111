/**
 * How a row is measured: its two sides run one after the other in the same run, in turns as to which goes first,
 * and each pair gives one ratio. On a machine with other work the times drift; the median of the ratios does not.
 */

/** Runs once and gives one number, most often milliseconds: it alone decides what is counted. */
export type Sample = () => Promise<number>;

/** Median and 95th percentile of several samples. */
export interface Summary {
  readonly p50: number;
  readonly p95: number;
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

/** Measures two sides in pairs, after `warmups` pairs that do not count. */
export async function measurePairs(
  value: Sample,
  base: Sample,
  { rounds, warmups }: { readonly rounds: number; readonly warmups: number },
): Promise<Pairs> {
  const values: number[] = [];
  const bases: number[] = [];
  for (let round = -warmups; round < rounds; round++) {
    let first: number;
    let second: number;
    if (round % 2 === 0) {
      first = await value();
      second = await base();
    } else {
      second = await base();
      first = await value();
    }
    if (round < 0) continue;
    values.push(first);
    bases.push(second);
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

function summarise(samples: readonly number[]): Summary {
  const sorted = [...samples].sort((a, b) => a - b);
  return { p50: quantile(sorted, 0.5), p95: quantile(sorted, 0.95) };
}

function quantile(sorted: readonly number[], share: number): number {
  const at = (sorted.length - 1) * share;
  const low = sorted[Math.floor(at)] ?? Number.NaN;
  const high = sorted[Math.ceil(at)] ?? Number.NaN;
  return low + (high - low) * (at - Math.floor(at));
}
