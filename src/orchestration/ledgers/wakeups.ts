/** Wakeups: each due time is completed once. What was completed is no longer in any order, whatever the clock says. */
import type { Wakeup, WakeupLedger } from "../../shared/ledgers/wakeups.ts";
import { checkId, checkOptions, checkTime } from "../check.ts";
import { toJsonValue } from "../json-text.ts";
import { ALL, byTime } from "../order.ts";
import { CREATE_OPTIONS, conflict, type LedgerContext, WorkCore } from "../work-core.ts";
import { workVerbs } from "../work-verbs.ts";

export function createWakeupLedger(context: LedgerContext): WakeupLedger {
  const core = new WorkCore<Wakeup>(context, { ledger: "wakeups", orderOf: (row) => byTime(row, ALL) });
  return {
    ...workVerbs(core),
    async create(options) {
      checkOptions("create", options, [...CREATE_OPTIONS, "wakeAtMs", "payload"]);
      const wakeAtMs = checkTime("wakeAtMs", options.wakeAtMs);
      const payload = toJsonValue("payload", options.payload);
      return core.create(options, [wakeAtMs, payload], (base) => ({
        ...base,
        dueAtMs: wakeAtMs,
        wakeAtMs,
        payload,
      }));
    },
    async move(id, wakeAtMs) {
      checkId("id", id);
      checkTime("wakeAtMs", wakeAtMs);
      return core.table.change(async (table) => {
        const row = await table.need(id);
        if (row.status !== "ready" || row.attempts > 0) throw conflict("wakeups", row, "moved");
        return table.put({ ...row, updatedAtMs: core.now(), dueAtMs: wakeAtMs, wakeAtMs });
      });
    },
    async claim(options) {
      return core.claim(checkOptions("claim", options, ["owner", "leaseMs"]), [ALL]);
    },
    complete: async (claim) => core.complete(claim, (row) => row),
  };
}
