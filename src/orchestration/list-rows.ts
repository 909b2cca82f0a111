/** The verb `list` of every ledger: its options checked, its filters, its paging. */
import type { LedgerRow } from "../shared/ledgers/row.ts";
import { checkId, checkInteger, checkOptions, optional } from "./check.ts";
import type { Table } from "./table.ts";

const PAGING = ["after", "limit"];

/**
 * Rows in the order of their ids. `known` names the options: those that are not of the paging are fields that rows
 * must have. `seen` is what a row looks like now, where that is not what was written.
 */
export async function listRows<Row extends LedgerRow>(
  table: Table<Row>,
  options: { readonly after?: string | undefined; readonly limit?: number | undefined },
  known: readonly string[],
  seen: (row: Row) => Row = (row) => row,
): Promise<readonly Row[]> {
  checkOptions("list", options, known);
  const { after, limit = 100 } = options;
  checkInteger("limit", limit, 1, 1_000);
  const wanted = Object.entries(options).filter(
    ([name, value]) => !PAGING.includes(name) && value !== undefined,
  );
  const accepts = (row: Row) => {
    const now = seen(row);
    return wanted.every(([name, value]) => now[name as keyof Row] === value);
  };
  return table.list(accepts, optional("after", after, checkId), limit);
}
