/** Continuations: they wait for an answer or their time, then for a process. */
import type { Continuation, ContinuationLedger } from "../../shared/ledgers/continuations.ts";
import { checkId, checkOptions, checkTime, optional } from "../check.ts";
import { digestOf, toJsonValue } from "../json-text.ts";
import { ALL, byTime } from "../order.ts";
import { CREATE_OPTIONS, conflict, type LedgerContext, WorkCore } from "../work-core.ts";
import { workVerbs } from "../work-verbs.ts";

export function createContinuationLedger(context: LedgerContext): ContinuationLedger {
  const core = new WorkCore<Continuation>(context, {
    ledger: "continuations",
    orderOf: (row) => byTime(row, ALL),
    // Claimed while it waits: only its time can have come.
    beforeClaim: (row) => (row.answer === null ? { ...row, answer: { is: "timeout" } } : row),
  });
  return {
    ...workVerbs(core, ["runId"]),
    async create(options = {}) {
      checkOptions("create", options, [...CREATE_OPTIONS, "runId", "state", "expiresAtMs"]);
      const runId = optional("runId", options.runId, checkId) ?? null;
      const state = toJsonValue("state", options.state);
      const expiresAtMs = optional("expiresAtMs", options.expiresAtMs, checkTime) ?? null;
      return core.create(options, [runId, state, expiresAtMs], (base) => ({
        ...base,
        status: "waiting",
        dueAtMs: expiresAtMs,
        runId,
        state,
        expiresAtMs,
        answer: null,
      }));
    },
    async resolve(id, value) {
      const answer = { is: "value" as const, value: toJsonValue("value", value) };
      checkId("id", id);
      return core.table.change(async (table) => {
        const row = await table.need(id);
        if (row.answer !== null && digestOf(row.answer) === digestOf(answer)) return row;
        if (row.status !== "waiting") throw conflict("continuations", row, "resolved");
        const nowMs = core.now();
        return table.put({ ...row, status: "ready", updatedAtMs: nowMs, dueAtMs: nowMs, answer });
      });
    },
    async claim(options) {
      return core.claim(checkOptions("claim", options, ["owner", "leaseMs"]), [ALL]);
    },
    complete: async (claim) => core.complete(claim, (row) => row),
  };
}
