/** Dead letters: rows that failed for good, by the ledger that they come from. */
import type { DeadLetter, DeadLetterLedger } from "../../shared/ledgers/dead-letters.ts";
import { checkId, checkOptions, checkText } from "../check.ts";
import { MAX_VALUE_BYTES, toJsonValue } from "../json-text.ts";
import { byTime } from "../order.ts";
import { CREATE_OPTIONS, type LedgerContext, WorkCore } from "../work-core.ts";
import { workVerbs } from "../work-verbs.ts";

/** A row has two values of the largest size at most, and a little else. */
const MAX_ROW_BYTES = 3 * MAX_VALUE_BYTES;

/** `context.bury` is what a dead letter becomes that fails for good itself: nothing more. */
export function createDeadLetterLedger(context: LedgerContext): DeadLetterLedger {
  const core = new WorkCore<DeadLetter>(context, {
    ledger: "deadLetters",
    orderOf: (row) => byTime(row, row.ledger),
  });
  return {
    ...workVerbs(core, ["ledger"]),
    async create(options) {
      checkOptions("create", options, [...CREATE_OPTIONS, "ledger", "rowId", "reason", "row"]);
      const ledger = checkId("ledger", options.ledger);
      const rowId = checkId("rowId", options.rowId);
      const reason = checkText("reason", options.reason);
      const row = toJsonValue("row", options.row, MAX_ROW_BYTES);
      return core.create(options, [ledger, rowId, reason, row], (base) => ({
        ...base,
        ledger,
        rowId,
        reason,
        row,
      }));
    },
    async claim(options) {
      checkOptions("claim", options, ["owner", "leaseMs", "ledger"]);
      return core.claim(
        options,
        options.ledger === undefined ? undefined : [checkId("ledger", options.ledger)],
      );
    },
    complete: async (claim) => core.complete(claim, (row) => row),
  };
}
