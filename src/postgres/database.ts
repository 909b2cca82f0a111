/**
 * A database that is used: connections on demand, tables made at the first use, one way for errors. Connections may
 * be lost at any time, and the server may go and come back: what was under way fails, the next call connects anew,
 * and no error of a connection reaches the process.
 */
import { isSandboxError, SandboxError } from "../shared/errors.ts";
import { type FailureCode, toFailure } from "./failure.ts";
import { loadPool, type PgClient, type PgPool } from "./load-pg.ts";
import { type Migration, migrate } from "./migrate.ts";
import type { ResolvedPostgresOptions } from "./postgres-options.ts";

/** A row as it is read: each column was made a text by the statement. */
export type TextRow = Readonly<Record<string, string | null>>;

/** A transaction that is open. */
export interface Transaction {
  query(sql: string, values?: readonly unknown[]): Promise<readonly TextRow[]>;
}

/** To connect, and to wait for one of the pool's connections. */
const CONNECT_TIMEOUT_MS = 15_000;
/** A statement that has not answered by then: its connection is given up, as of a server that is gone without a word. */
const ANSWER_TIMEOUT_MS = 40_000;
/** Below the one above, so that the server says what it was. */
const STATEMENT_TIMEOUT_MS = 30_000;
const LOCK_TIMEOUT_MS = 20_000;

/**
 * Sets, for a transaction, that its commit is answered when it is on the server's disk, whatever the server's default
 * is; one that also waits for replicas to apply it stays so.
 */
export const SYNCHRONOUS = `set_config('synchronous_commit',
  CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, true)`;

/** One round trip. `SET LOCAL`: another may use the server's session afterwards, through a pooler. */
const BEGIN = `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
  SET LOCAL statement_timeout = ${STATEMENT_TIMEOUT_MS};
  SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS};
  SET LOCAL idle_in_transaction_session_timeout = ${STATEMENT_TIMEOUT_MS};
  SELECT ${SYNCHRONOUS}`;

export class Database {
  /** Quoted, for statements. */
  readonly schema: string;
  /** The same for all that use the same tables in this process. Holds the connection string: never shown. */
  readonly place: string;
  readonly #options: ResolvedPostgresOptions;
  readonly #migrations: readonly Migration[];
  readonly #failureCode: FailureCode;
  #pool: Promise<PgPool> | undefined;
  #ready: Promise<void> | undefined;
  #closed: Promise<void> | undefined;
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(options: ResolvedPostgresOptions, migrations: readonly Migration[], failureCode: FailureCode) {
    this.#options = options;
    this.#migrations = migrations;
    this.#failureCode = failureCode;
    this.schema = `"${options.schema}"`;
    this.place = `${options.connectionString} ${options.schema}`;
  }

  /** One statement that is a transaction of its own. */
  async query(sql: string, values: readonly unknown[] = []): Promise<readonly TextRow[]> {
    return this.#use(() => this.#with(async (client) => (await client.query(sql, values)).rows));
  }

  /** As `query`, for what may be said twice: once more when the first connection was a dead one. */
  async queryAgain(sql: string, values: readonly unknown[] = []): Promise<readonly TextRow[]> {
    try {
      return await this.query(sql, values);
    } catch (error) {
      if (!isLostConnection(error)) throw error;
      return this.query(sql, values);
    }
  }

  /**
   * Commits when `work` resolves. Rejects with `work`'s own error when that is a `SandboxError`; then nothing was
   * written. Any other rejection leaves open whether it was.
   */
  async transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#use(() => this.#transaction(work));
  }

  /** Waits for what is under way and closes all connections. Again: the same. */
  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  async #end(): Promise<void> {
    await Promise.allSettled(this.#underWay);
    const pool = await this.#pool?.catch(() => undefined); // What could not be loaded needs no end.
    await pool?.end().catch(() => undefined); // Its connections are gone in any case.
  }

  /** Everything that is asked passes here. */
  async #use<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closed !== undefined) throw new SandboxError(this.#failureCode, "The database was closed.");
    const done = this.#migrated().then(work);
    this.#underWay.add(done);
    try {
      return await done;
    } finally {
      this.#underWay.delete(done);
    }
  }

  async #migrated(): Promise<void> {
    this.#ready ??= migrate(this.#options.schema, this.#migrations, (work) => this.#transaction(work));
    const ready = this.#ready;
    try {
      await ready;
    } catch (error) {
      // The next call tries again.
      if (this.#ready === ready) this.#ready = undefined;
      throw error;
    }
  }

  #transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#with(async (client) => {
      await client.query(BEGIN);
      let result: T;
      try {
        result = await work({ query: async (sql, values = []) => (await client.query(sql, values)).rows });
      } catch (error) {
        if (!isSandboxError(error)) throw error;
        await client.query("ROLLBACK");
        throw error;
      }
      const { command } = await client.query("COMMIT");
      if (command !== "COMMIT") throw new Error(`The server answered COMMIT with ${command}.`);
      return result;
    });
  }

  async #with<T>(work: (client: PgClient) => Promise<T>): Promise<T> {
    let client: PgClient;
    try {
      client = await (await this.#connections()).connect();
    } catch (cause) {
      throw this.#failed(cause);
    }
    let isSound = false;
    try {
      const result = await work(client);
      isSound = true;
      return result;
    } catch (cause) {
      // Ours are thrown when nothing is open any more.
      isSound = isSandboxError(cause);
      throw this.#failed(cause);
    } finally {
      client.release(!isSound);
    }
  }

  async #connections(): Promise<PgPool> {
    this.#pool ??= this.#open();
    const pool = this.#pool;
    try {
      return await pool;
    } catch (error) {
      // A package that is missing may be there by the next call.
      if (this.#pool === pool) this.#pool = undefined;
      throw error;
    }
  }

  async #open(): Promise<PgPool> {
    const Pool = await loadPool();
    const pool = new Pool({
      connectionString: this.#options.connectionString,
      max: this.#options.maxConnections,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: ANSWER_TIMEOUT_MS,
      keepAlive: true,
      // Idle connections are no reason for a process to stay.
      allowExitOnIdle: true,
      application_name: "little-harness",
    });
    // Without a listener an error ends the process. The pool drops such a connection; what used it has failed.
    pool.on("error", () => undefined);
    pool.on("connect", (client) => void client.on("error", () => undefined));
    return pool;
  }

  #failed(cause: unknown): SandboxError {
    return isSandboxError(cause)
      ? cause
      : toFailure(this.#failureCode, cause, this.#options.connectionString);
  }
}

/** What the server says is not lost on the way. Its own end is: it ends all sessions, with 57P01 to 57P03. */
function isLostConnection(error: unknown): boolean {
  if (!isSandboxError(error)) return false;
  const { sqlState } = error.data;
  const isFailure = error.code === "STORE_FAILED" || error.code === "SESSION_LOG_FAILED";
  return isFailure && (sqlState === undefined || String(sqlState).startsWith("57P"));
}
