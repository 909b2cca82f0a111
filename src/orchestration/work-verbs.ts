/** The verbs that every ledger of claimed rows gives as they are. Async, so that a bad argument is a rejection too. */
import type { ListOptions, WorkLedger, WorkRow } from "../shared/ledgers/row.ts";
import type { WorkCore } from "./work-core.ts";

/** `filters`: the names of the ledger's own filters of `list`. */
export function workVerbs<Row extends WorkRow>(
  core: WorkCore<Row>,
  filters: readonly (keyof Row & string)[] = [],
): WorkLedger<Row> {
  return {
    get: async (id) => core.get(id),
    list: async (options?: ListOptions) => core.list(options, filters),
    renew: async (claim, options) => core.renew(claim, options),
    fail: async (claim, error, options) => core.fail(claim, error, options),
    cancel: async (id) => core.cancel(id),
    prune: async (options) => core.prune(options),
  };
}
