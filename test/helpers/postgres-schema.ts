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
  const store = postgresJsonStore({ maxConnections: 2, ...place });
  onTestFinished(() => store.close());
  return store;
}

/** A log over it until the test has ended. */
export function logOver(place: PostgresOptions): HarnessSessionLog {
  const log = postgresSessionLog({ maxConnections: 2, ...place });
  onTestFinished(() => log.close());
  return log;
}

type Rows = readonly Readonly<Record<string, unknown>>[];

interface Session {
  /** Runs statements, in which `{}` stands for the schema; gives the rows of the last. */
  run(...statements: readonly string[]): Promise<Rows>;
  end(): Promise<void>;
}

/** A session beside what is tested. */
export async function sessionOver({ connectionString, schema = "" }: PostgresOptions): Promise<Session> {
  const client = new pg.Client({ connectionString });
  // Some tests end all sessions.
  client.on("error", () => undefined);
  await client.connect();
  return {
    async run(...statements) {
      let rows: Rows = [];
      for (const statement of statements)
        rows = (await client.query(statement.replaceAll("{}", schema))).rows;
      return rows;
    },
    end: () => client.end(),
  };
}

/** The same for once. */
export async function sqlOver(place: PostgresOptions, ...statements: readonly string[]): Promise<Rows> {
  const session = await sessionOver(place);
  try {
    return await session.run(...statements);
  } finally {
    await session.end();
  }
}
