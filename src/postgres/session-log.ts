/**
 * `postgresSessionLog()`: events of runs in two tables, for any number of processes on any number of machines. What
 * is read is checked against the chain of hashes, and its end against the head that appends keep.
 */
import { checkAppend, checkReadOptions, checkRunId } from "../session-log/check-append.ts";
import { assertChain } from "../session-log/check-chain.ts";
import { closedError } from "../session-log/log-errors.ts";
import type {
  HarnessSessionLog,
  SessionLogAppend,
  SessionLogEvent,
  SessionLogReadOptions,
} from "../shared/session-log.ts";
import { AppendQueue } from "./append-queue.ts";
import { Database, type TextRow } from "./database.ts";
import { MIGRATIONS } from "./migrations.ts";
import { type PostgresOptions, toPostgresOptions } from "./postgres-options.ts";
import { corrupt, parseEvent, SOURCE, writeEvents } from "./write-events.ts";

/** Bytes of JSON that one read gives at most, beyond the first event. */
const MAX_PAGE_BYTES = 8 * 1024 * 1024;

/**
 * A log in a Postgres database; docs/postgres.md says what it needs. Connects, and makes its tables, at the first
 * use. `append` resolves when the event is committed and on the server's disk. Besides the codes of the port its
 * methods reject with `PEER_MISSING` without the package `pg`, and `OPTION_INVALID` for a `schema` that a newer
 * version of this package has made.
 *
 * @throws SandboxError `OPTION_INVALID` that names the option.
 */
export function postgresSessionLog(options: PostgresOptions): HarnessSessionLog {
  return new PostgresLog(new Database(toPostgresOptions(options), MIGRATIONS, "SESSION_LOG_FAILED"));
}

class PostgresLog implements HarnessSessionLog {
  readonly #database: Database;
  readonly #queue: AppendQueue;
  #isClosed = false;

  constructor(database: Database) {
    this.#database = database;
    this.#queue = new AppendQueue((runId, appends) => writeEvents(database, runId, appends));
  }

  async append(event: SessionLogAppend): Promise<SessionLogEvent> {
    const append = checkAppend(event);
    if (this.#isClosed) throw closedError();
    return this.#queue.append(append);
  }

  async read(runId: string, options?: SessionLogReadOptions): Promise<readonly SessionLogEvent[]> {
    checkRunId(runId);
    const { after, limit } = checkReadOptions(options);
    if (this.#isClosed) throw closedError();
    const { schema } = this.#database;
    // One statement, so that the head and the events are of one moment.
    const rows = await this.#database.queryAgain(
      `SELECT head.sequence::text AS head_sequence, head.hash AS head_hash,
        page.sequence::text, page.idempotency_key, page.hash, page.event,
        (SELECT hash FROM ${schema}.log_events WHERE run_id = $1 AND sequence = $2::bigint) AS hash_before
      FROM (SELECT 1) AS always
      LEFT JOIN (SELECT sequence, hash FROM ${schema}.log_runs WHERE run_id = $1) AS head ON true
      LEFT JOIN (
        SELECT wanted.*, sum(octet_length(event)) OVER (ORDER BY sequence) - octet_length(event) AS bytes_before
        FROM (
          SELECT sequence, idempotency_key, hash, event FROM ${schema}.log_events WHERE run_id = $1 AND sequence > $2::bigint
          ORDER BY sequence LIMIT $3::integer
        ) AS wanted
      ) AS page ON page.bytes_before < ${MAX_PAGE_BYTES}
      ORDER BY page.sequence`,
      [runId, after, limit],
    );
    const events = rows.flatMap((row) => parseEvent(runId, row) ?? []);
    const head = rows[0];
    if (events.length === 0 && Number(head?.head_sequence ?? 0) <= after) return [];
    const hash = head?.hash_before ?? undefined;
    if (after > 0 && hash === undefined) throw corrupt(runId, "it is missing", after);
    assertChain(runId, events, { sequence: after, hash }, SOURCE);
    const bytes = rows.reduce((sum, { event }) => sum + Buffer.byteLength(event ?? ""), 0);
    checkEnd(
      runId,
      events.at(-1) ?? { sequence: after, hash },
      head,
      events.length < limit && bytes < MAX_PAGE_BYTES,
    );
    return events;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#queue.idle();
    await this.#database.close();
  }
}

/**
 * Events that were taken away at the end leave a chain that is whole; the head says that there were more.
 *
 * @param isAll Whether nothing but the run's end can have ended the page.
 */
function checkEnd(
  runId: string,
  last: { readonly sequence: number; readonly hash: string | undefined },
  head: TextRow | undefined,
  isAll: boolean,
): void {
  const end = Number(head?.head_sequence ?? 0);
  if (last.sequence < end && isAll) throw corrupt(runId, "it is missing", last.sequence + 1);
  if (last.sequence > end || (last.sequence === end && last.hash !== head?.head_hash))
    throw corrupt(runId, "it is not the one that the run's head says", last.sequence);
}
