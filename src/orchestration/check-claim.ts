/** Who claims, for how long, and the claim that is given back: checked. */
import type { Claim, ClaimOptions } from "../shared/ledgers/row.ts";
import { checkId, checkInteger, checkText, invalid } from "./check.ts";

export const DEFAULT_LEASE_MS = 30_000;
/** A week: longer than any process should be waited for. */
export const MAX_LEASE_MS = 7 * 24 * 3_600_000;

/** @throws SandboxError `LEDGER_INVALID`. */
export function checkClaimOptions(options: ClaimOptions): { owner: string; leaseMs: number } {
  if (typeof options !== "object" || options === null)
    throw invalid("options", "an object with an owner", options);
  const { owner, leaseMs = DEFAULT_LEASE_MS } = options;
  if (typeof owner !== "string" || owner === "") throw invalid("owner", "a text that is not empty", owner);
  return { owner: checkText("owner", owner), leaseMs: checkInteger("leaseMs", leaseMs, 1, MAX_LEASE_MS) };
}

export function checkClaim(claim: Claim): void {
  if (typeof claim !== "object" || claim === null) throw invalid("claim", "the claim of a row", claim);
  checkId("claim.id", claim.id);
  checkInteger("claim.token", claim.token, 1, Number.MAX_SAFE_INTEGER);
}
