import type { JsonValue } from "../json.ts";
import type { LedgerRow, ListOptions, PruneOptions } from "./row.ts";

export type ApprovalStatus = "waiting" | "approved" | "rejected" | "expired" | "cancelled";

/** A question to a person. */
export interface Approval extends LedgerRow {
  readonly status: ApprovalStatus;
  readonly runId: string | null;
  readonly question: JsonValue;
  readonly expiresAtMs: number | null;
  readonly decision: {
    readonly isApproved: boolean;
    readonly by: string;
    readonly note: string | null;
  } | null;
}

/** What an approval is made of. */
export interface CreateApprovalOptions {
  /** @default a new one, in the order of time */
  readonly id?: string | undefined;
  readonly runId?: string | undefined;
  /** What is asked: for a tool call its name and input, say. @default null */
  readonly question?: unknown;
  /** From then on it is `expired`, for good. @default never */
  readonly expiresAtMs?: number | undefined;
}

/** Decisions that people make, each once. */
export interface ApprovalLedger {
  create(options?: CreateApprovalOptions): Promise<Approval>;
  get(id: string): Promise<Approval | undefined>;
  list(
    options?: ListOptions<ApprovalStatus> & { readonly runId?: string | undefined },
  ): Promise<readonly Approval[]>;
  /** Decides. The same again is as once; another decision, an expired or a cancelled approval: `STORE_CONFLICT`. */
  complete(
    id: string,
    decision: { readonly isApproved: boolean; readonly by: string; readonly note?: string | undefined },
  ): Promise<Approval>;
  cancel(id: string): Promise<Approval>;
  prune(options: PruneOptions): Promise<number>;
}
