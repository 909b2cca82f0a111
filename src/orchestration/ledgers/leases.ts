/** Leases: exclusive rights by name. A lease never ends; it is had or free. */
import { SandboxError } from "../../shared/errors.ts";
import type { Lease, LeaseLedger } from "../../shared/ledgers/leases.ts";
import { checkId, checkOptions } from "../check.ts";
import { checkClaim, checkClaimOptions } from "../check-claim.ts";
import { type LedgerContext, newRow, WorkCore } from "../work-core.ts";

export function createLeaseLedger(context: LedgerContext): LeaseLedger {
  const core = new WorkCore<Lease>(context, { ledger: "leases", orderOf: () => null });
  const free = (row: Lease): Lease => ({
    ...row,
    status: "ready",
    updatedAtMs: core.now(),
    dueAtMs: 0,
    attempts: 0,
    claim: null,
  });
  return {
    async claim(options) {
      checkOptions("claim", options, ["owner", "leaseMs", "id"]);
      const id = checkId("id", options.id);
      const { owner, leaseMs } = checkClaimOptions(options);
      return core.table.change(async (table) => {
        const row = await table.create(id, null, (lastToken) => ({
          ...newRow(id, core.now(), Number.MAX_SAFE_INTEGER, lastToken),
          dueAtMs: 0,
        }));
        // Attempts mean nothing here: an owner that died is no reason to give up on the thing.
        return core.tryClaim(table, { ...row, attempts: 0 }, owner, leaseMs);
      });
    },
    renew: async (claim, options) => core.renew(claim, options),
    async check(claim) {
      checkClaim(claim);
      const row = await core.get(claim.id);
      if (row?.claim?.token === claim.token && row.claim.expiresAtMs > core.now()) return;
      const why = row?.claim?.token === claim.token ? "its time is over" : "it is not this owner's";
      const message = `The claim ${claim.token} on ${JSON.stringify(claim.id)} in leases does not hold: ${why}.`;
      throw new SandboxError("LOCK_LOST", message, { id: claim.id, token: claim.token });
    },
    async release(claim) {
      checkClaim(claim);
      await core.table.change(async (table) => {
        const row = await table.get(claim.id);
        if (row?.claim?.token === claim.token) await table.put(free(row));
      });
    },
    async cancel(id) {
      checkId("id", id);
      return core.table.change(async (table) => {
        const row = await table.need(id);
        return row.claim === null ? row : table.put(free(row));
      });
    },
    get: async (id) => core.get(id),
    list: async (options) => core.list(options),
  };
}
