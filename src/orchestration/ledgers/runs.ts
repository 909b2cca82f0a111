/** Runs: claimed by whoever is free, put down while they wait, taken up where the last owner saved. */
import type { Run, RunLedger } from "../../shared/ledgers/runs.ts";
import { checkId, checkOptions, optional } from "../check.ts";
import { checkClaimOptions, DEFAULT_LEASE_MS } from "../check-claim.ts";
import { toJsonValue } from "../json-text.ts";
import { ALL, byTime } from "../order.ts";
import { CREATE_OPTIONS, type LedgerContext, WorkCore } from "../work-core.ts";
import { workVerbs } from "../work-verbs.ts";

export function createRunLedger(context: LedgerContext): RunLedger {
  const core = new WorkCore<Run>(context, {
    ledger: "runs",
    orderOf: (row) => byTime(row, ALL),
    // Whoever claims sees what the run was woken for.
    beforeClaim: (row) => ({ ...row, isWoken: false }),
  });
  return {
    ...workVerbs(core, ["sessionId"]),
    async create(options = {}) {
      checkOptions("create", options, [...CREATE_OPTIONS, "sessionId", "input"]);
      const sessionId = optional("sessionId", options.sessionId, checkId) ?? null;
      const input = toJsonValue("input", options.input);
      return core.create(options, [sessionId, input], (base) => ({
        ...base,
        sessionId,
        input,
        state: null,
        isWoken: false,
        output: null,
      }));
    },
    async claim(options) {
      checkOptions("claim", options, ["owner", "leaseMs", "id"]);
      const id = optional("id", options.id, checkId);
      if (id === undefined) return core.claim(options, [ALL]);
      const { owner, leaseMs } = checkClaimOptions(options);
      return core.table.change(async (table) => core.tryClaim(table, await table.need(id), owner, leaseMs));
    },
    async save(claim, state) {
      const value = toJsonValue("state", state);
      return core.whileHeld(claim, (row, nowMs) => {
        const leaseMs = Math.max(row.claim.expiresAtMs - row.updatedAtMs, DEFAULT_LEASE_MS);
        return { ...core.keep(row, nowMs, leaseMs), attempts: 1, state: value };
      });
    },
    async wait(claim, state) {
      const value = state === undefined ? undefined : toJsonValue("state", state);
      return core.whileHeld<Run>(claim, (row, nowMs) => ({
        ...row,
        status: row.isWoken ? "ready" : "waiting",
        updatedAtMs: nowMs,
        dueAtMs: row.isWoken ? nowMs : null,
        isWoken: false,
        attempts: 0,
        claim: null,
        state: value ?? row.state,
      }));
    },
    async wake(id) {
      checkId("id", id);
      return core.table.change(async (table) => {
        const row = await table.need(id);
        // What comes before the run has put itself down must not be lost.
        if (row.status === "claimed") return table.put({ ...row, isWoken: true });
        if (row.status !== "waiting") return row;
        const nowMs = core.now();
        return table.put({ ...row, status: "ready", updatedAtMs: nowMs, dueAtMs: nowMs });
      });
    },
    async complete(claim, output) {
      const value = toJsonValue("output", output);
      return core.complete(claim, (row) => ({ ...row, output: value }));
    },
  };
}
