/** Approvals: a question, and one decision or none in time. */
import type { Approval, ApprovalLedger, ApprovalStatus } from "../../shared/ledgers/approvals.ts";
import { checkBoolean, checkId, checkOptions, checkText, checkTime, optional } from "../check.ts";
import { digestOf, toJsonValue } from "../json-text.ts";
import { listRows } from "../list-rows.ts";
import { PlainCore } from "../plain-core.ts";
import { prune } from "../prune.ts";
import type { TableChange } from "../table.ts";
import { conflict, type LedgerContext } from "../work-core.ts";

export function createApprovalLedger(context: LedgerContext): ApprovalLedger {
  const core = new PlainCore<Approval>(context, "approvals");
  const { table } = core;
  const isOver = (row: Approval) =>
    row.status === "waiting" && row.expiresAtMs !== null && row.expiresAtMs <= core.now();
  const end = (row: Approval, status: ApprovalStatus): Approval => ({
    ...row,
    status,
    updatedAtMs: core.now(),
  });
  /** Whoever first sees that the time is over writes it down: a clock that goes back does not undo it. */
  const needSettled = async (change: TableChange<Approval>, id: string): Promise<Approval> => {
    const row = await change.need(id);
    return isOver(row) ? change.put(end(row, "expired")) : row;
  };
  const settle = (row: Approval): Promise<Approval> | Approval =>
    isOver(row) ? table.change((change) => needSettled(change, row.id)) : row;
  return {
    async create(options = {}) {
      checkOptions("create", options, ["id", "runId", "question", "expiresAtMs"]);
      const runId = optional("runId", options.runId, checkId) ?? null;
      const question = toJsonValue("question", options.question);
      const expiresAtMs = optional("expiresAtMs", options.expiresAtMs, checkTime) ?? null;
      return core.create(options.id, [runId, question, expiresAtMs], (base) => ({
        ...base,
        status: "waiting",
        runId,
        question,
        expiresAtMs,
        decision: null,
      }));
    },
    async get(id) {
      const row = await core.get(id);
      return row === undefined ? undefined : settle(row);
    },
    async list(options = {}) {
      const seen = (row: Approval): Approval => (isOver(row) ? end(row, "expired") : row);
      const rows = await listRows(table, options, ["status", "after", "limit", "runId"], seen);
      return Promise.all(rows.map(settle));
    },
    async complete(id, decision) {
      checkId("id", id);
      checkOptions("complete", decision, ["isApproved", "by", "note"]);
      const decided = {
        isApproved: checkBoolean("isApproved", decision.isApproved),
        by: checkText("by", decision.by),
        note: optional("note", decision.note, checkText) ?? null,
      };
      const row = await table.change(async (change) => {
        const before = await needSettled(change, id);
        if (before.status !== "waiting") return before;
        return change.put({
          ...end(before, decided.isApproved ? "approved" : "rejected"),
          decision: decided,
        });
      });
      if (row.decision !== null && digestOf(row.decision) === digestOf(decided)) return row;
      throw conflict("approvals", row, decided.isApproved ? "approved" : "rejected");
    },
    async cancel(id) {
      checkId("id", id);
      const row = await table.change(async (change) => {
        const before = await needSettled(change, id);
        return before.status === "waiting" ? change.put(end(before, "cancelled")) : before;
      });
      if (row.status === "cancelled") return row;
      throw conflict("approvals", row, "cancelled");
    },
    prune: async (options) => prune(table, options, (row) => row.status !== "waiting"),
  };
}
