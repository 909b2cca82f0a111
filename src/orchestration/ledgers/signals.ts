/** Signals: a mailbox per target, emptied in the order of sending. */
import type { Signal, SignalLedger } from "../../shared/ledgers/signals.ts";
import { checkId, checkOptions } from "../check.ts";
import { toJsonValue } from "../json-text.ts";
import { byPosition, claimInLine, nextPosition } from "../order.ts";
import { CREATE_OPTIONS, type LedgerContext, WorkCore } from "../work-core.ts";
import { workVerbs } from "../work-verbs.ts";

export function createSignalLedger(context: LedgerContext): SignalLedger {
  const core = new WorkCore<Signal>(context, {
    ledger: "signals",
    orderOf: (row) => byPosition(row, row.target),
  });
  return {
    ...workVerbs(core, ["target"]),
    async create(options) {
      checkOptions("create", options, [...CREATE_OPTIONS, "target", "name", "payload"]);
      const target = checkId("target", options.target);
      const name = checkId("name", options.name);
      const payload = toJsonValue("payload", options.payload);
      return core.create(options, [target, name, payload], async (base, change) => {
        const position = await nextPosition(change, target);
        return { ...base, target, name, position, payload };
      });
    },
    async claim(options) {
      checkOptions("claim", options, ["owner", "leaseMs", "target"]);
      return claimInLine(core, checkId("target", options.target), options, async () => 1);
    },
    complete: async (claim) => core.complete(claim, (row) => row),
  };
}
