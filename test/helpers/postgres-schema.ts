/** The server of all tests, and names of schemas in it that nobody else has. */
import { randomBytes } from "node:crypto";
import pg from "pg";
import { inject, onTestFinished } from "vitest";
import { type PostgresJsonStore, postgresJsonStore } from "../../src/postgres/json-store.ts";
import type { PostgresOptions } from "../../src/postgres/postgres-options.ts";
import { postgresSessionLog } from "../../src/postgres/session-log.ts";
import type { HarnessSessionLog } from "../../src/shared/session-log.ts";

/** A place that is empty. */
export function newPlace(): { readonly connectionString: string; readonly schema: string } {
  return { connectionString: inject("postgres"), schema: `t_${randomBytes(6).toString("hex")}` };
}

/** A store over it until the test has ended. */
export function storeOver(place: PostgresOptions): PostgresJsonStore {
  const store = postgresJsonStore({ maxConnections: 4, ...place });
  onTestFinished(() => store.close());
  return store;
}

/** A log over it until the test has ended. */
export function logOver(place: PostgresOptions): HarnessSessionLog {
  const log = postgresSessionLog({ maxConnections: 4, ...place });
  onTestFinished(() => log.close());
  return log;
}

/** Statements beside what is tested; `{}` stands for the schema. */
export async function sqlOver(
  { connectionString, schema = "" }: PostgresOptions,
  ...statements: readonly string[]
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    let rows: readonly Record<string, unknown>[] = [];
    for (const statement of statements) rows = (await client.query(statement.replaceAll("{}", schema))).rows;
    return rows;
  } finally {
    await client.end();
  }
}
