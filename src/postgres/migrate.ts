/**
 * The tables of a schema, made and brought up to date at the first use, by whoever comes first: under a lock of the
 * database, in one transaction, so that any number of processes may start at once and one that dies leaves nothing
 * half done.
 */
import { createHash } from "node:crypto";
import { SandboxError } from "../shared/errors.ts";
import type { Transaction } from "./database.ts";

/** Statements that lead from the version before to the next one. `schema` is quoted. Never changed once released. */
export type Migration = (schema: string) => readonly string[];

type InTransaction = <T>(work: (transaction: Transaction) => Promise<T>) => Promise<T>;

/**
 * Brings the tables to the newest version, which is the number of migrations.
 *
 * @throws SandboxError `OPTION_INVALID` for a schema that a newer version of this package has made.
 */
export async function migrate(
  schema: string,
  migrations: readonly Migration[],
  inTransaction: InTransaction,
): Promise<void> {
  const quoted = `"${schema}"`;
  const newest = migrations.length;
  await inTransaction(async ({ query }) => {
    if ((await readVersion(query, schema, newest)) === newest) return;
    await query("SELECT pg_advisory_xact_lock($1::bigint)::text", [lockKeyOf(schema)]);
    const version = await readVersion(query, schema, newest);
    if (version === newest) return;
    // Asked for first: the right to make schemas is not needed where an administrator has made this one.
    const there = await query("SELECT 1::text FROM pg_catalog.pg_namespace WHERE nspname = $1", [schema]);
    if (there.length === 0) await query(`CREATE SCHEMA ${quoted}`);
    await query(`CREATE TABLE IF NOT EXISTS ${quoted}.migrations (
      version integer PRIMARY KEY, made_at timestamptz NOT NULL DEFAULT clock_timestamp())`);
    for (const [index, statementsOf] of migrations.entries()) {
      if (index < version) continue;
      for (const statement of statementsOf(quoted)) await query(statement);
      await query(`INSERT INTO ${quoted}.migrations (version) VALUES ($1::integer)`, [index + 1]);
    }
  });
}

async function readVersion(query: Transaction["query"], schema: string, newest: number): Promise<number> {
  // By a statement that reads the catalogue: `to_regclass()` may answer with what was so before a lock was waited for.
  const tables = await query(
    `SELECT 1::text FROM pg_catalog.pg_class AS class
    JOIN pg_catalog.pg_namespace AS namespace ON namespace.oid = class.relnamespace
    WHERE namespace.nspname = $1 AND class.relname = 'migrations'`,
    [schema],
  );
  if (tables.length === 0) return 0;
  const [row] = await query(`SELECT coalesce(max(version), 0)::text AS version FROM "${schema}".migrations`);
  const version = Number(row?.version);
  if (version <= newest) return version;
  const message = `Option "schema" must name a schema that this version of the package knows; "${schema}" has version ${version}, and the newest that is known is ${newest}.`;
  throw new SandboxError("OPTION_INVALID", message, { option: "schema", version, newest });
}

/** Locks of a database have numbers for names: one that no other application hits by chance. */
function lockKeyOf(schema: string): string {
  const digest = createHash("sha256").update(`@little-stack/harness migrations of ${schema}`).digest();
  return digest.readBigInt64BE(0).toString();
}
