/** What rows of all ledgers have in common, and the words for it. Types only. */

/** One entry of a ledger. Rows are JSON; who holds one holds a copy. Times are milliseconds since the epoch. */
export interface LedgerRow {
  /** 1 to 100 of `A-Z a-z 0-9 _ - . : @ = +`, with no `.` at its ends. Made by `create` where none is given. */
  readonly id: string;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** The right to work on a row, with one owner at a time. */
export interface Claim {
  /** The row. */
  readonly id: string;
  /** Who claimed it, for people. Two claims by one owner are two claims. */
  readonly owner: string;
  /**
   * Greater than that of every claim on a row of this id before: give it to what you write to, to fence off a late
   * owner.
   */
  readonly token: number;
  /** From then on another may claim the row, and this claim is refused with `LOCK_LOST` once one has. */
  readonly expiresAtMs: number;
}

/**
 * `waiting`: for something else than time · `ready`: may be claimed from `dueAtMs` on · `claimed` · and the ends
 * `completed`, `failed` (no attempt is left) and `cancelled`.
 */
export type WorkStatus = "waiting" | "ready" | "claimed" | "completed" | "failed" | "cancelled";

/** A row that processes claim. */
export interface WorkRow extends LedgerRow {
  readonly status: WorkStatus;
  /** From when on it may be claimed: for a claimed row the end of the lease. `null`: not by time. */
  readonly dueAtMs: number | null;
  /** How often it was claimed. */
  readonly attempts: number;
  /** With as many attempts without success the row is `failed`. */
  readonly maxAttempts: number;
  /** Of the latest claim. Before the first 0, or what rows had that were pruned: no token comes again under an id. */
  readonly lastToken: number;
  readonly claim: Claim | null;
  /** What the last attempt said that failed. */
  readonly error: string | null;
}

/** A row together with the claim that its caller has on it. */
export type Claimed<Row extends WorkRow> = Row & { readonly claim: Claim };

/** Who claims, and for how long. */
export interface ClaimOptions {
  /** Who, for people: a process, a host. */
  readonly owner: string;
  /** For how long the row is left to an owner that is not heard of. @default 30000 */
  readonly leaseMs?: number | undefined;
}

/** How a row's id and attempts are chosen. */
export interface CreateWorkOptions {
  /** With an id `create` can be repeated: the same once more gives the row, another content `STORE_CONFLICT`. @default a new one, in the order of time */
  readonly id?: string | undefined;
  /** @default 5 */
  readonly maxAttempts?: number | undefined;
}

/** Which rows, in the order of their ids. */
export interface ListOptions<Status extends string = WorkStatus> {
  readonly status?: Status | undefined;
  /** Rows after this id. @default from the first */
  readonly after?: string | undefined;
  /** 1 to 1000. @default 100 */
  readonly limit?: number | undefined;
}

/** How an attempt that failed goes on. */
export interface FailOptions {
  /** When the next attempt may begin. @default 1000, doubled with each attempt, at most 300000 */
  readonly retryAfterMs?: number | undefined;
  /** `false`: no other attempt. @default true */
  readonly retry?: boolean | undefined;
}

/** Which ended rows to forget. */
export interface PruneOptions {
  /** Those whose last change is before this time. */
  readonly endedBeforeMs: number;
}

/**
 * The verbs of every ledger whose rows are claimed. Each rejects with `LEDGER_INVALID` for a bad argument and a row
 * that is not there, `STORE_CONFLICT` for a row in another state and a ledger that stays busy, `STORE_FAILED`.
 */
export interface WorkLedger<Row extends WorkRow> {
  get(id: string): Promise<Row | undefined>;
  list(options?: ListOptions): Promise<readonly Row[]>;
  /** Keeps the claim for `leaseMs` from now. @throws SandboxError `LOCK_LOST` when another has it, or the row ended. */
  renew(claim: Claim, options?: { readonly leaseMs?: number | undefined }): Promise<Claimed<Row>>;
  /** Ends an attempt without success: `ready` for another, or `failed`. @throws SandboxError `LOCK_LOST` as `renew`. */
  fail(claim: Claim, error: string, options?: FailOptions): Promise<Row>;
  /** Ends a row that has not ended; a claim on it is lost. Cancelling twice is as once. */
  cancel(id: string): Promise<Row>;
  /** Removes ended rows and says how many. Their ids may be used again from then on. */
  prune(options: PruneOptions): Promise<number>;
}
