/** What one line of the table is, and what a group of lines gets to work with. */
import type { Pairs, Size } from "./measure.ts";

/** A line that was measured. Less is better in each of them. */
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

/** A line whose measuring went wrong. */
export interface FailedRow {
  readonly what: string;
  readonly failure: string;
}

export type Row = MeasuredRow | MissingRow | FailedRow;

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

/** Rounds and warm-ups of commands of a few milliseconds: enough for a 99th percentile, and for compiled code. */
export const warmSize = (effort: Effort): Size => ({
  rounds: effort.rounds(1_000, 200),
  warmups: effort.rounds(500, 200),
});

/** What is said of a row besides its numbers. */
export interface RowText {
  readonly what: string;
  readonly against: string;
  /** @default "ms" */
  readonly unit?: "ms" | "MB";
  readonly goal?: Goal | null;
  /** Asked once the row is measured. */
  note?(pairs: Pairs): string | null;
}

/** A row that fails says so, and the next one is measured all the same. */
export async function measureRow(text: RowText, measure: () => Promise<Pairs>): Promise<Row> {
  const { what, against, unit = "ms", goal = null } = text;
  try {
    const pairs = await measure();
    const note = text.note?.(pairs) ?? null;
    return { what, against, unit, pairs, goal, ...(note !== null && { note }) };
  } catch (error) {
    return { what, failure: firstSentence(error) };
  }
}

/** What went wrong, as far as a table has room for it. */
export function firstSentence(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.trim().split(/(?<=\.)\s|\n/)[0] ?? text;
}

/** Whether the median keeps to the goal; `null` where there is none. */
export function keepsGoal({ goal, pairs }: MeasuredRow): boolean | null {
  if (goal === null) return null;
  return "maxRatio" in goal ? pairs.ratio.p50 <= goal.maxRatio : pairs.extra.p50 <= goal.maxExtraMs;
}
