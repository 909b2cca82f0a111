/**
 * Appends to one run, in one transaction. The row of the run's head is locked first, so that every writer of every
 * process sees all that was appended before; nothing else is locked, so there is nothing to wait for in a circle.
 */
import type { CheckedAppend } from "../session-log/check-append.ts";
import { assertChain } from "../session-log/check-chain.ts";
import { conflictError } from "../session-log/log-errors.ts";
import { RUN_START, type RunHead, sealEvent } from "../session-log/seal-event.ts";
import { isRecord } from "../shared/check-options.ts";
import { isSandboxError, SandboxError } from "../shared/errors.ts";
import type { SessionLogEvent } from "../shared/session-log.ts";
import type { AppendOutcome } from "./append-queue.ts";
import type { Database, TextRow, Transaction } from "./database.ts";

/** Who gave an event that is damaged. */
export const SOURCE = "The database";

/** The code of Postgres for a row whose key is taken. */
const UNIQUE_VIOLATION = "23505";

/** @throws SandboxError `SESSION_LOG_FAILED` when it is not known whether they are kept; `SESSION_LOG_CORRUPT`. */
export async function writeEvents(
  database: Database,
  runId: string,
  appends: readonly CheckedAppend[],
): Promise<readonly AppendOutcome[]> {
  try {
    return await database.transaction((transaction) =>
      new RunWriter(transaction, database.schema, runId).write(appends),
    );
  } catch (error) {
    if (!isSandboxError(error) || error.data.sqlState !== UNIQUE_VIOLATION) throw error;
    throw corrupt(runId, "it has events after its head");
  }
}

/** The event of a row, if it has one: with the key and the hash that stand beside it. */
export function parseEvent(runId: string, row: TextRow): SessionLogEvent | undefined {
  if (row.event === null || row.event === undefined) return undefined;
  const sequence = Number(row.sequence);
  let event: unknown;
  try {
    event = JSON.parse(row.event);
  } catch {
    throw corrupt(runId, "it is no JSON", sequence);
  }
  const { appendIdempotencyKey, hash } = isRecord(event) ? event : {};
  if (appendIdempotencyKey !== row.idempotency_key || hash !== row.hash)
    throw corrupt(runId, "the key or the hash beside it is not its own", sequence);
  return event as SessionLogEvent;
}

class RunWriter {
  readonly #transaction: Transaction;
  readonly #schema: string;
  readonly #runId: string;

  constructor(transaction: Transaction, schema: string, runId: string) {
    this.#transaction = transaction;
    this.#schema = schema;
    this.#runId = runId;
  }

  async write(appends: readonly CheckedAppend[]): Promise<AppendOutcome[]> {
    const head = await this.#lockHead();
    const { at, known } = await this.#readKnown(head, appends);
    const added: SessionLogEvent[] = [];
    let last = head;
    const outcomes = appends.map((append): AppendOutcome => {
      const there = known.get(append.appendIdempotencyKey);
      if (there !== undefined)
        return there.digest === append.digest
          ? { event: there }
          : { error: conflictError(append, there.sequence) };
      const event = sealEvent(append, last, at);
      last = event;
      added.push(event);
      known.set(event.appendIdempotencyKey, event);
      return { event };
    });
    if (added.length > 0) await this.#insert(added, last);
    return outcomes;
  }

  async #lockHead(): Promise<RunHead> {
    const lock = `SELECT sequence::text, hash FROM ${this.#schema}.log_runs WHERE run_id = $1 FOR UPDATE`;
    let [row] = await this.#transaction.query(lock, [this.#runId]);
    if (row === undefined) {
      await this.#transaction.query(
        `INSERT INTO ${this.#schema}.log_runs (run_id, sequence, hash) VALUES ($1, 0, $2) ON CONFLICT DO NOTHING`,
        [this.#runId, RUN_START.hash],
      );
      [row] = await this.#transaction.query(lock, [this.#runId]);
    }
    return { sequence: Number(row?.sequence), hash: row?.hash ?? "" };
  }

  /**
   * The events that have these keys, and the time. A statement of its own: one that waited for a lock sees what was
   * there before it waited.
   */
  async #readKnown(
    head: RunHead,
    appends: readonly CheckedAppend[],
  ): Promise<{ at: string; known: Map<string, SessionLogEvent> }> {
    // The clock of the database is one for all processes.
    const rows = await this.#transaction.query(
      `SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at,
        found.sequence::text, found.hash, found.idempotency_key,
        CASE WHEN found.idempotency_key = ANY ($2::text[]) THEN found.event END AS event
      FROM (SELECT 1) AS always
      LEFT JOIN ${this.#schema}.log_events AS found ON found.run_id = $1
        AND (found.idempotency_key = ANY ($2::text[]) OR found.sequence = $3::bigint)`,
      [this.#runId, appends.map((append) => append.appendIdempotencyKey), head.sequence],
    );
    const last = rows.find((row) => Number(row.sequence) === head.sequence);
    if (head.sequence > 0 && last?.hash !== head.hash)
      throw corrupt(this.#runId, "its head is not its last event");
    const known = new Map<string, SessionLogEvent>();
    for (const row of rows) {
      const event = parseEvent(this.#runId, row);
      if (event === undefined) continue;
      assertChain(this.#runId, [event], { sequence: Number(row.sequence) - 1 }, SOURCE);
      known.set(event.appendIdempotencyKey, event);
    }
    return { at: rows[0]?.at ?? "", known };
  }

  async #insert(events: readonly SessionLogEvent[], head: RunHead): Promise<void> {
    await this.#transaction.query(
      `WITH added AS (
        INSERT INTO ${this.#schema}.log_events (run_id, sequence, idempotency_key, hash, event)
        SELECT $1, given.* FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[]) AS given)
      UPDATE ${this.#schema}.log_runs SET sequence = $6::bigint, hash = $7 WHERE run_id = $1`,
      [
        this.#runId,
        events.map(({ sequence }) => sequence),
        events.map(({ appendIdempotencyKey }) => appendIdempotencyKey),
        events.map(({ hash }) => hash),
        events.map((event) => JSON.stringify(event)),
        head.sequence,
        head.hash,
      ],
    );
  }
}

/** @param where The event, where it is one. */
export function corrupt(runId: string, what: string, sequence?: number): SandboxError {
  const where = sequence === undefined ? "" : `, event ${sequence}`;
  return new SandboxError("SESSION_LOG_CORRUPT", `${SOURCE}: run ${runId}${where}: ${what}.`, {
    runId,
    ...(sequence === undefined ? {} : { sequence }),
  });
}
