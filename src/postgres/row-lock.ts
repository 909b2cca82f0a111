/**
 * A lock that is a row: who has it, with which token, until when by the database's clock. The token of a name only
 * grows, as the row stays. Taking it is one statement; so is each write under it, so that no write of an owner comes
 * after that of the next one.
 */
import { randomUUID } from "node:crypto";
import { lockLost } from "../orchestration/lock-lost.ts";
import type { ResolvedLockOptions } from "../orchestration/lock-options.ts";
import { SandboxError } from "../shared/errors.ts";
import { keepLease } from "../storage/keep-lease.ts";
import { lineFor, nudgeLine, type WaitLimit } from "../storage/waiting-line.ts";
import { type Database, SYNCHRONOUS } from "./database.ts";

/** A lock that is held. */
export interface RowLock {
  readonly name: string;
  /** Greater than that of every owner before. */
  readonly token: number;
  /** Of this holding alone, and random: a token that came from a copy of the database fits nothing. */
  readonly owner: string;
  /** Aborted, with `LOCK_LOST` as the reason, when this process learns that it has the lock no more. */
  readonly lost: AbortSignal;
  /** Says that a write was refused. */
  lose(): void;
  /** Gives the lock back. Where that cannot be said, it runs out. */
  release(): Promise<void>;
}

/** Looks of those who wait, growing: one per process and name, each one row by its key. */
const FIRST_POLL_MS = 3;
const LAST_POLL_MS = 50;

const UNTIL = "clock_timestamp() + $3::float8 * interval '1 millisecond'";

/**
 * @param table Of the locks, quoted.
 * @throws SandboxError `STORE_CONFLICT` when another has it for longer than `waitMs`; `STORE_FAILED`. Rejects with
 * the signal's reason after an abort.
 */
export async function acquireRowLock(
  database: Database,
  table: string,
  name: string,
  options: ResolvedLockOptions,
): Promise<RowLock> {
  const { waitMs, signal } = options;
  signal?.throwIfAborted();
  const owner = randomUUID();
  const take = () => takeRow(database, table, name, owner, options.leaseMs);
  const limit: WaitLimit = { untilMs: performance.now() + waitMs, signal };
  const line = lineFor(lineOf(database, name));
  const token = await line.inTurn(limit, async () => {
    for (let pollMs = FIRST_POLL_MS, isFree = true; ; pollMs = Math.min(pollMs * 1.5, LAST_POLL_MS)) {
      const taken = isFree ? await take() : undefined;
      if (taken !== undefined) return taken;
      // Some chance in it, or two processes that wait would look in step.
      const end = await line.pause(pollMs * (0.5 + Math.random()), limit);
      if (end !== undefined) return end;
      isFree = await isRowFree(database, table, name);
    }
  });
  if (typeof token === "number") return hold(database, table, name, token, owner, options);
  signal?.throwIfAborted();
  throw new SandboxError("STORE_CONFLICT", `The lock ${name} was held for more than ${waitMs} ms.`, { name });
}

/** Durable, or a token could come again after the server has lost it. `undefined`: another has it. */
async function takeRow(
  database: Database,
  table: string,
  name: string,
  owner: string,
  leaseMs: number,
): Promise<number | undefined> {
  // May be said again: what was had by an answer that was lost is had anew.
  const [row] = await database.queryAgain(
    `WITH durable AS MATERIALIZED (SELECT ${SYNCHRONOUS})
    INSERT INTO ${table} AS there (name, token, owner, lease_until) SELECT $1, 1, $2, ${UNTIL} FROM durable
    ON CONFLICT (name) DO UPDATE
      SET token = there.token + 1, owner = excluded.owner, lease_until = ${UNTIL}
      WHERE there.owner IS NULL OR there.lease_until <= clock_timestamp() OR there.owner = excluded.owner
    RETURNING token::text`,
    [name, owner, leaseMs],
  );
  return row === undefined ? undefined : Number(row.token);
}

async function isRowFree(database: Database, table: string, name: string): Promise<boolean> {
  const [row] = await database.queryAgain(
    `SELECT (owner IS NULL OR lease_until <= clock_timestamp())::text AS free FROM ${table} WHERE name = $1`,
    [name],
  );
  return row === undefined || row.free === "true";
}

function hold(
  database: Database,
  table: string,
  name: string,
  token: number,
  owner: string,
  { leaseMs, renew }: ResolvedLockOptions,
): RowLock {
  const lost = new AbortController();
  const lose = () => lost.abort(lockLost({ name, token }));
  const mine = "name = $1 AND token = $2::bigint";
  const stop = keepLease({
    leaseMs,
    isRenewed: renew,
    // Need not outlive the server: one that comes back without it ends the lease early, which the token is for.
    renew: async () => {
      const rows = await database.query(
        `UPDATE ${table} SET lease_until = ${UNTIL} WHERE ${mine} AND owner = $4 RETURNING 1::text`,
        [name, token, leaseMs, owner],
      );
      return rows.length > 0;
    },
    lose,
  });
  const release = async () => {
    await stop();
    try {
      await database.queryAgain(
        `UPDATE ${table} SET owner = NULL, lease_until = NULL WHERE ${mine} AND owner = $3`,
        [name, token, owner],
      );
    } catch {
      // What was done under the lock is done; the lease runs out.
    }
    nudgeLine(lineOf(database, name));
  };
  return { name, token, owner, lost: lost.signal, lose, release };
}

/** Who waits in this process for the same row, through whichever store object. */
function lineOf(database: Database, name: string): string {
  return `postgres ${database.place} ${name}`;
}
