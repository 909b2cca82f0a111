/**
 * `postgresJsonStore()`: values and locks in two tables, for any number of processes on any number of machines. Each
 * write is one statement that is a transaction: the lock it is done under is looked at, and held still, by the same
 * statement.
 */
import { lockLost } from "../orchestration/lock-lost.ts";
import { toLockOptions } from "../orchestration/lock-options.ts";
import { toSegments } from "../orchestration/store-path.ts";
import type {
  DurableJsonStore,
  StoreLock,
  StoreWriteOptions,
  WithLockOptions,
} from "../shared/durable-store.ts";
import { SandboxError } from "../shared/errors.ts";
import type { JsonValue } from "../shared/json.ts";
import { Database, SYNCHRONOUS, type TextRow } from "./database.ts";
import { MIGRATIONS } from "./migrations.ts";
import { type PostgresOptions, toPostgresOptions } from "./postgres-options.ts";
import { acquireRowLock, type RowLock } from "./row-lock.ts";

/** A store in a database. */
export interface PostgresJsonStore extends DurableJsonStore {
  /** Waits for what is under way and closes the connections. Idle connections alone keep no process running. */
  close(): Promise<void>;
}

/**
 * A store in a Postgres database; docs/postgres.md says what it needs. Connects, and makes its tables, at the first
 * use. Its methods reject with `STORE_FAILED` when the database cannot be reached or does not say whether it did what
 * it was told, `PEER_MISSING` without the package `pg`, and `OPTION_INVALID` for a `schema` that a newer version of
 * this package has made.
 *
 * @throws SandboxError `OPTION_INVALID` that names the option.
 */
export function postgresJsonStore(options: PostgresOptions): PostgresJsonStore {
  return new PostgresStore(new Database(toPostgresOptions(options), MIGRATIONS, "STORE_FAILED"));
}

/** Entries of an index have 2,700 bytes at most. */
const MAX_PATH_LENGTH = 2_000;

class PostgresStore implements PostgresJsonStore {
  readonly #database: Database;
  readonly #values: string;
  readonly #locks: string;
  /** By lock, so that a lock of another store, or a made-up one, is none here. */
  readonly #held = new WeakMap<StoreLock, RowLock>();

  constructor(database: Database) {
    this.#database = database;
    this.#values = `${database.schema}.store_values`;
    this.#locks = `${database.schema}.store_locks`;
  }

  async readJson(path: string): Promise<JsonValue | undefined> {
    checkPath(path);
    const [row] = await this.#database.queryAgain(`SELECT value FROM ${this.#values} WHERE path = $1`, [
      path,
    ]);
    if (row === undefined) return undefined;
    try {
      return JSON.parse(row.value ?? "") as JsonValue;
    } catch {
      throw new SandboxError("STORE_FAILED", `What the database has at ${path} is no JSON.`, { path });
    }
  }

  async writeJson(path: string, value: JsonValue, { lock }: StoreWriteOptions = {}): Promise<void> {
    checkPath(path);
    const write = `INSERT INTO ${this.#values} (path, value) SELECT $1, $2 FROM held
      ON CONFLICT (path) DO UPDATE SET value = excluded.value`;
    await this.#write(write, [path, JSON.stringify(value)], lock);
  }

  async remove(path: string, { lock }: StoreWriteOptions = {}): Promise<void> {
    checkPath(path);
    await this.#write(`DELETE FROM ${this.#values} USING held WHERE path = $1`, [path], lock);
  }

  async listDir(path: string): Promise<readonly string[]> {
    if (path !== "") checkPath(path);
    // All that begins with "path/": "0" is what comes after "/".
    const within = path === "" ? "" : "WHERE path >= $2 || '/' AND path < $2 || '0'";
    const start = path === "" ? 1 : path.length + 2;
    const rows = await this.#database.queryAgain(
      `SELECT DISTINCT split_part(substr(path, $1::integer), '/', 1) AS name FROM ${this.#values} ${within}`,
      path === "" ? [start] : [start, path],
    );
    return rows.map(({ name }) => name ?? "").sort();
  }

  async withLock<T>(
    name: string,
    options: WithLockOptions,
    run: (lock: StoreLock) => Promise<T>,
  ): Promise<T> {
    checkPath(name);
    const held = await acquireRowLock(this.#database, this.#locks, name, toLockOptions(options));
    const lock: StoreLock = { name, token: held.token, lost: held.lost };
    this.#held.set(lock, held);
    try {
      return await run(lock);
    } finally {
      this.#held.delete(lock);
      await held.release();
    }
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  /**
   * Runs a change that reads from `held`, which has one row. Under a lock that is the lock's own row while it has
   * this token, and nobody can take it over until the change is committed.
   */
  async #write(change: string, values: readonly unknown[], lock: StoreLock | undefined): Promise<void> {
    const held = lock === undefined ? undefined : this.#held.get(lock);
    if (lock !== undefined && held === undefined) throw lockLost(lock);
    const at = values.length;
    const from =
      held === undefined
        ? ""
        : `FROM ${this.#locks} WHERE name = $${at + 1} AND token = $${at + 2}::bigint AND owner = $${at + 3} FOR SHARE`;
    const rows: readonly TextRow[] = await this.#database.query(
      `WITH held AS MATERIALIZED (SELECT ${SYNCHRONOUS} ${from}), changed AS (${change}) SELECT 1::text FROM held`,
      held === undefined ? values : [...values, held.name, held.token, held.owner],
    );
    if (rows.length > 0 || lock === undefined) return;
    held?.lose();
    throw lockLost(lock);
  }
}

function checkPath(path: string): void {
  toSegments(path);
  if (path.length <= MAX_PATH_LENGTH) return;
  const message = `A path in a database has ${MAX_PATH_LENGTH} characters at most; this one has ${path.length}.`;
  throw new SandboxError("LEDGER_INVALID", message, { path: path.slice(0, 200) });
}
