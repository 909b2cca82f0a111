/** What one line of the table is, and what a group of lines gets to work with. */
import type { Pairs } from "./measure.ts";

/** A line that was measured. */
export interface MeasuredRow {
  readonly what: string;
  readonly against: string;
  readonly unit: "ms" | "MB";
  readonly pairs: Pairs;
  /** `null`: told for comparison, with no promise. */
  readonly goal: Goal | null;
  readonly note?: string;
}

/** A line that this build or this machine cannot give. */
export interface MissingRow {
  readonly what: string;
  readonly reason: string;
}

export type Row = MeasuredRow | MissingRow;

/** What the median of a row must not go above. */
export type Goal = { readonly maxRatio: number } | { readonly maxExtraMs: number };

/** How thorough a run is. */
export interface Effort {
  readonly quick: boolean;
  /** Rounds: the first number in a full run, the second in a quick one. */
  rounds(full: number, quick: number): number;
}

/** Measures the rows of one subject. Leaves no process and no file behind. */
export type RowGroup = (effort: Effort) => Promise<Row[]>;

/** Whether the median keeps to the goal; `null` where there is none. */
export function keepsGoal({ goal, pairs }: MeasuredRow): boolean | null {
  if (goal === null) return null;
  return "maxRatio" in goal ? pairs.ratio.p50 <= goal.maxRatio : pairs.extra.p50 <= goal.maxExtraMs;
}
