/** Results: the first value of an id stays. */
import type { Result, ResultLedger } from "../../shared/ledgers/results.ts";
import { checkId, checkOptions, optional } from "../check.ts";
import { toJsonValue } from "../json-text.ts";
import { PlainCore } from "../plain-core.ts";
import type { LedgerContext } from "../work-core.ts";

export function createResultLedger(context: LedgerContext): ResultLedger {
  const core = new PlainCore<Result>(context, "results");
  return {
    async create(options) {
      checkOptions("create", options, ["id", "value", "runId"]);
      const id = checkId("id", options.id);
      const value = toJsonValue("value", options.value);
      const runId = optional("runId", options.runId, checkId) ?? null;
      return core.create(id, [value, runId], (base) => ({ ...base, value, runId }));
    },
    get: async (id) => core.get(id),
    list: async (options) => core.list(options, ["runId"]),
    remove: async (id) => core.remove(id),
    prune: async (options) => core.prune(options),
  };
}
