/** Where the database is: options that everything over Postgres takes, checked. */
import { invalidOption, isRecord, refuseUnknownOptions } from "../shared/check-options.ts";

/** Where data is kept in a database, and over how many connections. */
export interface PostgresOptions {
  /** `postgresql://user:password@host:5432/database?sslmode=verify-full`, as `pg` takes it. Never part of an error. */
  readonly connectionString: string;
  /**
   * The schema of the tables, which are made at the first use: 1 to 63 of `a-z 0-9 _`, not beginning with a digit or
   * `pg_`. @default "little_harness"
   */
  readonly schema?: string | undefined;
  /** Connections at a time, 1 to 1000. They are opened on demand and closed when idle for 10 s. @default 10 */
  readonly maxConnections?: number | undefined;
}

export type ResolvedPostgresOptions = {
  readonly [Name in keyof PostgresOptions]-?: NonNullable<PostgresOptions[Name]>;
};

const KNOWN = ["connectionString", "schema", "maxConnections"];
const SCHEMA = /^(?!pg_)[a-z_][a-z0-9_]{0,62}$/;

/** @throws SandboxError `OPTION_INVALID` that names the option. */
export function toPostgresOptions(options: PostgresOptions): ResolvedPostgresOptions {
  if (!isRecord(options)) throw invalidOption("options", "an object");
  refuseUnknownOptions(options, KNOWN);
  const { connectionString, schema = "little_harness", maxConnections = 10 } = options;
  if (typeof connectionString !== "string" || connectionString === "")
    throw invalidOption("connectionString", "a text such as postgresql://host/database");
  if (typeof schema !== "string" || !SCHEMA.test(schema))
    throw invalidOption("schema", "1 to 63 of a-z 0-9 _, not beginning with a digit or pg_");
  if (!Number.isSafeInteger(maxConnections) || maxConnections < 1 || maxConnections > 1_000)
    throw invalidOption("maxConnections", "a whole number from 1 to 1000");
  return { connectionString, schema, maxConnections };
}
