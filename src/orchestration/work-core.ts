/**
 * What every ledger does whose rows are claimed: one owner at a time by lease, attempts that are counted, an end that
 * stays. The ledgers add what their rows are made of and in which order they come.
 *
 * A claimed row stands in the order at the end of its lease, so one look finds both what is due and what was left by
 * an owner that died.
 */
import type { DurableJsonStore } from "../shared/durable-store.ts";
import { isSandboxError, SandboxError } from "../shared/errors.ts";
import type { JsonValue } from "../shared/json.ts";
import type {
  Claim,
  Claimed,
  ClaimOptions,
  CreateWorkOptions,
  FailOptions,
  ListOptions,
  PruneOptions,
  WorkRow,
  WorkStatus,
} from "../shared/ledgers/row.ts";
import { checkBoolean, checkId, checkInteger, checkOptions, checkText, fromTimeKey, newId } from "./check.ts";
import { checkClaim, checkClaimOptions, DEFAULT_LEASE_MS, MAX_LEASE_MS } from "./check-claim.ts";
import { digestOf } from "./json-text.ts";
import { listRows } from "./list-rows.ts";
import { prune } from "./prune.ts";
import { type OrderEntry, type OrderKey, Table, type TableChange } from "./table.ts";

/** What a ledger needs of the services. */
export interface LedgerContext {
  readonly store: DurableJsonStore;
  /** Path of all ledgers in the store, `""` or ending in `/`. */
  readonly prefix: string;
  /** Whole milliseconds since the epoch, checked. */
  readonly now: () => number;
  /** Keeps a row that has failed for good; called before the row says so. Repeated for the same row and token. */
  readonly bury: (ledger: string, row: WorkRow, reason: string) => Promise<void>;
}

/** How one ledger's rows are kept. */
export interface WorkOptions<Row extends WorkRow> {
  /** In the services, and in the store. */
  readonly ledger: string;
  readonly orderOf: (row: Row) => OrderKey | null;
  /** Changes a row that is about to be claimed. */
  readonly beforeClaim?: (row: Row) => Row;
  /** Instead of `failed`: what a row becomes that has no attempt left. */
  readonly afterLastAttempt?: (row: Row, nowMs: number) => Row;
}

const DEFAULT_MAX_ATTEMPTS = 5;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 300_000;
const ENDED: readonly WorkStatus[] = ["completed", "failed", "cancelled"];

export const CREATE_OPTIONS = ["id", "maxAttempts"] as const;

export class WorkCore<Row extends WorkRow> {
  readonly table: Table<Row>;
  readonly #context: LedgerContext;
  readonly #options: WorkOptions<Row>;

  constructor(context: LedgerContext, options: WorkOptions<Row>) {
    this.#context = context;
    this.#options = options;
    this.table = new Table({
      store: context.store,
      path: `${context.prefix}${toPathName(options.ledger)}`,
      orderOf: options.orderOf,
      tokenOf: (row) => row.lastToken,
    });
  }

  now(): number {
    return this.#context.now();
  }

  /** A new row, or the same one again. `given` is what the row is made of, without what the clock adds. */
  create(
    { id, maxAttempts = DEFAULT_MAX_ATTEMPTS }: CreateWorkOptions,
    given: JsonValue,
    make: (base: WorkRow, change: TableChange<Row>) => Promise<Row> | Row,
  ): Promise<Row> {
    const rowId = id === undefined ? newId(this.now()) : checkId("id", id);
    checkInteger("maxAttempts", maxAttempts, 1, 1_000_000);
    return this.table.change((change) =>
      change.create(rowId, [given, maxAttempts], (lastToken) =>
        make(newRow(rowId, this.now(), maxAttempts, lastToken), change),
      ),
    );
  }

  get(id: string): Promise<Row | undefined> {
    return this.table.get(checkId("id", id));
  }

  /** `also`: the names of the ledger's own filters, whose values rows must have. */
  list(options: ListOptions = {}, also: readonly (keyof Row & string)[] = []): Promise<readonly Row[]> {
    return listRows(this.table, options, ["status", "after", "limit", ...also]);
  }

  /** Claims the first row by time of these groups, all if undefined, that can be claimed. */
  async claim(options: ClaimOptions, groups?: readonly string[]): Promise<Claimed<Row> | undefined> {
    const { owner, leaseMs } = checkClaimOptions(options);
    const isWanted = (group: string) => groups === undefined || groups.includes(group);
    // Nothing due, as is most often so: no lock. What another writes meanwhile is found by the next call.
    if (!(await this.#isAnyDue((await this.table.groups()).filter(isWanted)))) return undefined;
    return this.table.change(async (change) => {
      const entries: OrderEntry[] = [];
      for (const group of (await change.groups()).filter(isWanted))
        entries.push(...(await change.entries(group)));
      entries.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.id < b.id ? -1 : 1));
      let unreadable: unknown;
      for (const entry of entries) {
        if (fromTimeKey(entry.key) > this.now()) break;
        try {
          const row = await change.rowOf(entry);
          const claimed = row === undefined ? undefined : await this.tryClaim(change, row, owner, leaseMs);
          if (claimed !== undefined) return claimed;
        } catch (error) {
          // One row that is damaged must not hold up the others; with none left to give, it is what to tell.
          if (!isSandboxError(error) || error.code !== "STORE_FAILED") throw error;
          unreadable ??= error;
        }
      }
      if (unreadable !== undefined) throw unreadable;
      return undefined;
    });
  }

  async #isAnyDue(groups: readonly string[]): Promise<boolean> {
    for (const group of groups) {
      const [first] = await this.table.entries(group);
      if (first !== undefined && fromTimeKey(first.key) <= this.now()) return true;
    }
    return false;
  }

  /** Claims a row that is due; undefined when it is not, or when its attempts are used up, which is then its end. */
  async tryClaim(
    change: TableChange<Row>,
    row: Row,
    owner: string,
    leaseMs: number,
  ): Promise<Claimed<Row> | undefined> {
    const nowMs = this.now();
    if (row.dueAtMs === null || row.dueAtMs > nowMs) return undefined;
    if (row.attempts >= row.maxAttempts) {
      await this.#endAttempts(
        change,
        row,
        row.error ?? `${row.claim?.owner ?? "its owner"} was not heard of again`,
      );
      return undefined;
    }
    const token = row.lastToken + 1;
    const claim: Claim = { id: row.id, owner, token, expiresAtMs: nowMs + leaseMs };
    const claimed = {
      ...(this.#options.beforeClaim?.(row) ?? row),
      status: "claimed" as const,
      updatedAtMs: nowMs,
      dueAtMs: claim.expiresAtMs,
      attempts: row.attempts + 1,
      lastToken: token,
      claim,
    };
    await change.put(claimed);
    return claimed;
  }

  renew(
    claim: Claim,
    { leaseMs = DEFAULT_LEASE_MS }: { readonly leaseMs?: number | undefined } = {},
  ): Promise<Claimed<Row>> {
    checkInteger("leaseMs", leaseMs, 1, MAX_LEASE_MS);
    return this.whileHeld(claim, (row, nowMs) => this.keep(row, nowMs, leaseMs));
  }

  /** The row with its claim prolonged. */
  keep(row: Claimed<Row>, nowMs: number, leaseMs: number): Claimed<Row> {
    const claim = { ...row.claim, expiresAtMs: nowMs + leaseMs };
    return { ...row, updatedAtMs: nowMs, dueAtMs: claim.expiresAtMs, claim };
  }

  /** Changes a claimed row for the one who has the claim. @throws SandboxError `LOCK_LOST` for anybody else. */
  whileHeld<After extends Row>(
    claim: Claim,
    change: (row: Claimed<Row>, nowMs: number) => After,
  ): Promise<After> {
    checkClaim(claim);
    return this.table.change(async (table) => {
      const row = await table.need(claim.id);
      const after = change(this.#held(row, claim), this.now());
      await table.put(after);
      return after;
    });
  }

  /** Ends a row well. The same end by the same claim is as once. */
  complete(claim: Claim, end: (row: Claimed<Row>, nowMs: number) => Row): Promise<Row> {
    checkClaim(claim);
    return this.table.change(async (table) => {
      const row = await table.need(claim.id);
      const nowMs = this.now();
      if (row.status === "completed" && row.lastToken === claim.token) {
        const again = ended({ ...end({ ...row, claim }, nowMs), updatedAtMs: row.updatedAtMs }, "completed");
        if (digestOf(again as unknown as JsonValue) === digestOf(row as unknown as JsonValue)) return row;
      }
      return table.put(ended({ ...end(this.#held(row, claim), nowMs), updatedAtMs: nowMs }, "completed"));
    });
  }

  fail(claim: Claim, error: string, options: FailOptions = {}): Promise<Row> {
    checkClaim(claim);
    const reason = checkText("error", error);
    const { retryAfterMs, retry = true } = checkOptions("fail", options, ["retryAfterMs", "retry"]);
    checkBoolean("retry", retry);
    if (retryAfterMs !== undefined) checkInteger("retryAfterMs", retryAfterMs, 0, MAX_LEASE_MS);
    return this.table.change(async (table) => {
      const row = this.#held(await table.need(claim.id), claim);
      if (!retry || row.attempts >= row.maxAttempts) return this.#endAttempts(table, row, reason);
      const nowMs = this.now();
      const backOffMs = Math.min(FIRST_RETRY_MS * 2 ** (row.attempts - 1), LAST_RETRY_MS);
      const dueAtMs = nowMs + (retryAfterMs ?? backOffMs);
      return table.put({ ...row, status: "ready", updatedAtMs: nowMs, dueAtMs, claim: null, error: reason });
    });
  }

  cancel(id: string): Promise<Row> {
    checkId("id", id);
    return this.table.change(async (table) => {
      const row = await table.need(id);
      if (row.status === "cancelled") return row;
      if (ENDED.includes(row.status)) throw conflict(this.#options.ledger, row, "cancelled");
      return table.put(ended({ ...row, updatedAtMs: this.now() }, "cancelled"));
    });
  }

  prune(options: PruneOptions): Promise<number> {
    return prune(this.table, options, (row) => ENDED.includes(row.status));
  }

  async #endAttempts(table: TableChange<Row>, row: Row, reason: string): Promise<Row> {
    const nowMs = this.now();
    await this.#context.bury(this.#options.ledger, row, reason);
    const failed = { ...row, updatedAtMs: nowMs, error: reason };
    return table.put(this.#options.afterLastAttempt?.(failed, nowMs) ?? ended(failed, "failed"));
  }

  #held(row: Row, claim: Claim): Claimed<Row> {
    if (row.status === "claimed" && row.claim !== null && row.claim.token === claim.token)
      return { ...row, claim: row.claim };
    const now = row.claim === null ? `it is ${row.status}` : `${row.claim.owner} has it`;
    const message = `The claim ${claim.token} on ${JSON.stringify(row.id)} in ${this.#options.ledger} is over: ${now}.`;
    throw new SandboxError("LOCK_LOST", message, { id: row.id, token: claim.token, status: row.status });
  }
}

/** A row at its beginning: due at once. Its tokens go on after `lastToken`. */
export function newRow(
  id: string,
  nowMs: number,
  maxAttempts: number,
  lastToken: number,
): WorkRow & { readonly status: "ready" } {
  return {
    id,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    status: "ready",
    dueAtMs: nowMs,
    attempts: 0,
    maxAttempts,
    lastToken,
    claim: null,
    error: null,
  };
}

/** A row at its end. */
function ended<Row extends WorkRow>(row: Row, status: "completed" | "failed" | "cancelled"): Row {
  return { ...row, status, dueAtMs: null, claim: null };
}

export function conflict(ledger: string, row: { id: string; status: string }, wish: string): SandboxError {
  const message = `${JSON.stringify(row.id)} in ${ledger} is ${row.status} and cannot become ${wish}.`;
  return new SandboxError("STORE_CONFLICT", message, { id: row.id, status: row.status });
}

/** `workflowQueues` → `workflow-queues`. */
function toPathName(ledger: string): string {
  return ledger.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
