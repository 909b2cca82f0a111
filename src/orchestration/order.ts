/** The two orders in which rows are claimed: by the time when they are due, and by their place in a line. */
import type { Claimed, ClaimOptions, WorkRow } from "../shared/ledgers/row.ts";
import { fromTimeKey, toTimeKey } from "./check.ts";
import { checkClaimOptions } from "./check-claim.ts";
import type { OrderKey, TableChange } from "./table.ts";
import type { WorkCore } from "./work-core.ts";

/** The group of ledgers that have one only. */
export const ALL = "all";

/** By the time from which on the row can be claimed. */
export function byTime({ dueAtMs }: WorkRow, group: string): OrderKey | null {
  return dueAtMs === null ? null : { group, key: toTimeKey(dueAtMs) };
}

/** In a line: its place is kept until the row ends, whatever happens to it meanwhile. */
export interface LinedRow extends WorkRow {
  readonly position: number;
}

export function byPosition({ dueAtMs, position }: LinedRow, group: string): OrderKey | null {
  return dueAtMs === null ? null : { group, key: toTimeKey(position) };
}

/** The place after all that stand in the line. */
export async function nextPosition<Row extends LinedRow>(
  change: TableChange<Row>,
  group: string,
): Promise<number> {
  const last = (await change.entries(group)).at(-1);
  return last === undefined ? 1 : fromTimeKey(last.key) + 1;
}

/**
 * Claims the first of a line that can be, with at most `concurrency` ahead of it that are claimed or wait to be tried
 * again.
 */
export async function claimInLine<Row extends LinedRow>(
  core: WorkCore<Row>,
  group: string,
  options: ClaimOptions,
  concurrency: () => Promise<number>,
): Promise<Claimed<Row> | undefined> {
  const { owner, leaseMs } = checkClaimOptions(options);
  // An empty line, as is most often so: no lock.
  if ((await core.table.entries(group)).length === 0) return undefined;
  return core.table.change(async (change) => {
    let free = await concurrency();
    for (const entry of await change.entries(group)) {
      if (free <= 0) return undefined;
      const row = await change.rowOf(entry);
      if (row === undefined) continue;
      const claimed = await core.tryClaim(change, row, owner, leaseMs);
      if (claimed !== undefined) return claimed;
      // Not due: another works on it, or it waits for its next attempt. Else its attempts were used up, and it is gone.
      if (row.attempts < row.maxAttempts || (row.dueAtMs ?? 0) > core.now()) free -= 1;
    }
    return undefined;
  });
}
