/** Tasks: by kind, the longest due first. */
import type { Task, TaskLedger } from "../../shared/ledgers/tasks.ts";
import { checkId, checkOptions, checkTime, optional } from "../check.ts";
import { toJsonValue } from "../json-text.ts";
import { byTime } from "../order.ts";
import { CREATE_OPTIONS, type LedgerContext, WorkCore } from "../work-core.ts";
import { workVerbs } from "../work-verbs.ts";

export function createTaskLedger(context: LedgerContext): TaskLedger {
  const core = new WorkCore<Task>(context, {
    ledger: "tasks",
    orderOf: (row) => byTime(row, row.kind),
  });
  return {
    ...workVerbs(core, ["kind"]),
    async create(options) {
      checkOptions("create", options, [...CREATE_OPTIONS, "kind", "input", "dueAtMs"]);
      const kind = checkId("kind", options.kind);
      const input = toJsonValue("input", options.input);
      const dueAtMs = optional("dueAtMs", options.dueAtMs, checkTime);
      return core.create(options, [kind, input, dueAtMs ?? null], (base) => ({
        ...base,
        dueAtMs: dueAtMs ?? base.dueAtMs,
        kind,
        input,
        output: null,
      }));
    },
    async claim(options) {
      checkOptions("claim", options, ["owner", "leaseMs", "kinds"]);
      return core.claim(
        options,
        options.kinds?.map((kind) => checkId("kinds", kind)),
      );
    },
    async complete(claim, output) {
      const value = toJsonValue("output", output);
      return core.complete(claim, (row) => ({ ...row, output: value }));
    },
  };
}
