/** Approvals: a question, and one decision or none in time. */
import type { Approval, ApprovalLedger, ApprovalStatus } from "../../shared/ledgers/approvals.ts";
import {
  checkBoolean,
  checkId,
  checkInteger,
  checkOptions,
  checkText,
  checkTime,
  optional,
} from "../check.ts";
import { digestOf, toJsonValue } from "../json-text.ts";
import { PlainCore } from "../plain-core.ts";
import { prune } from "../prune.ts";
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
  const settle = (row: Approval): Promise<Approval> | Approval =>
    !isOver(row)
      ? row
      : table.change(async (change) => {
          const fresh = await change.need(row.id);
          return isOver(fresh) ? change.put(end(fresh, "expired")) : fresh;
        });
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
      checkOptions("list", options, ["status", "after", "limit", "runId"]);
      const { status, after, limit = 100, runId } = options;
      checkInteger("limit", limit, 1, 1_000);
      const seen = (row: Approval) => (isOver(row) ? "expired" : row.status);
      const accepts = (row: Approval) =>
        (status === undefined || seen(row) === status) && (runId === undefined || row.runId === runId);
      const rows = await table.list(accepts, optional("after", after, checkId), limit);
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
        const before = await change.need(id);
        if (isOver(before)) return change.put(end(before, "expired"));
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
        const before = await change.need(id);
        if (isOver(before)) return change.put(end(before, "expired"));
        return before.status === "waiting" ? change.put(end(before, "cancelled")) : before;
      });
      if (row.status === "cancelled") return row;
      throw conflict("approvals", row, "cancelled");
    },
    prune: async (options) => prune(table, options, (row) => row.status !== "waiting"),
  };
}
