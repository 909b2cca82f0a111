/** What ledgers do whose rows nobody claims: written once, read, listed, removed. */
import type { JsonValue } from "../shared/json.ts";
import type { LedgerRow, PruneOptions } from "../shared/ledgers/row.ts";
import { checkId, newId } from "./check.ts";
import { listRows } from "./list-rows.ts";
import { prune } from "./prune.ts";
import { Table } from "./table.ts";
import type { LedgerContext } from "./work-core.ts";

/** How rows are listed: paging, and the ledger's own filters. */
export interface PlainListOptions {
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
}

export class PlainCore<Row extends LedgerRow> {
  readonly table: Table<Row>;
  readonly #now: () => number;

  constructor({ store, prefix, now }: LedgerContext, name: string) {
    this.table = new Table({ store, path: `${prefix}${name}`, orderOf: () => null });
    this.#now = now;
  }

  now(): number {
    return this.#now();
  }

  create(id: string | undefined, given: JsonValue, make: (base: LedgerRow) => Row): Promise<Row> {
    const rowId = id === undefined ? newId(this.now()) : checkId("id", id);
    return this.table.change((change) =>
      change.create(rowId, given, () => {
        const nowMs = this.now();
        return make({ id: rowId, createdAtMs: nowMs, updatedAtMs: nowMs });
      }),
    );
  }

  get(id: string): Promise<Row | undefined> {
    return this.table.get(checkId("id", id));
  }

  /** `also`: the names of the ledger's own filters, whose values rows must have. */
  list(options: PlainListOptions = {}, also: readonly (keyof Row & string)[] = []): Promise<readonly Row[]> {
    return listRows(this.table, options, ["after", "limit", ...also]);
  }

  remove(id: string): Promise<void> {
    checkId("id", id);
    return this.table.change(async (change) => {
      const row = await change.get(id);
      if (row !== undefined) await change.remove([row]);
    });
  }

  prune(options: PruneOptions): Promise<number> {
    return prune(this.table, options, () => true);
  }
}
