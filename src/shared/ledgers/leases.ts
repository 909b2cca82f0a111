import type { Claim, Claimed, ClaimOptions, ListOptions, WorkRow } from "./row.ts";

/** Something that one owner has at a time: a session, a sandbox of a provider, a role. */
export interface Lease extends WorkRow {
  readonly status: "ready" | "claimed";
}

/** Temporary, exclusive rights by name. */
export interface LeaseLedger {
  /** The lease, or `undefined` while another has it. `id` names what is leased and is there as soon as it is named. */
  claim(options: ClaimOptions & { readonly id: string }): Promise<Claimed<Lease> | undefined>;
  /** @throws SandboxError `LOCK_LOST` when another has it or had it since. */
  renew(claim: Claim, options?: { readonly leaseMs?: number | undefined }): Promise<Claimed<Lease>>;
  /** Resolves while the lease is this owner's and not past its time. @throws SandboxError `LOCK_LOST`. */
  check(claim: Claim): Promise<void>;
  /** Gives it back. No error when it was lost. */
  release(claim: Claim): Promise<void>;
  /** Takes it away from whoever has it. */
  cancel(id: string): Promise<Lease>;
  get(id: string): Promise<Lease | undefined>;
  list(options?: ListOptions<Lease["status"]>): Promise<readonly Lease[]>;
}
