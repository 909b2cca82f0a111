/** Forgets rows that are over. */
import type { LedgerRow, PruneOptions } from "../shared/ledgers/row.ts";
import { checkOptions, checkTime } from "./check.ts";
import type { Table } from "./table.ts";

/** So many at a time, so that nobody waits for the lock for long. */
const ROWS_AT_ONCE = 50;

/** Removes the rows that `isOver` takes and that have not changed since `endedBeforeMs`; gives their number. */
export async function prune<Row extends LedgerRow>(
  table: Table<Row>,
  options: PruneOptions,
  isOver: (row: Row) => boolean,
): Promise<number> {
  const { endedBeforeMs } = checkOptions("prune", options, ["endedBeforeMs"]);
  checkTime("endedBeforeMs", endedBeforeMs);
  const isOld = (row: Row) => isOver(row) && row.updatedAtMs < endedBeforeMs;
  const old = await table.list(isOld, undefined, Number.POSITIVE_INFINITY);
  let removed = 0;
  for (let at = 0; at < old.length; at += ROWS_AT_ONCE) {
    await table.change(async (change) => {
      const rows: Row[] = [];
      for (const { id } of old.slice(at, at + ROWS_AT_ONCE)) {
        const row = await change.get(id);
        if (row !== undefined && isOld(row)) rows.push(row);
      }
      await change.remove(rows);
      removed += rows.length;
    });
  }
  return removed;
}
