/**
 * The tables. All texts compare by bytes (`COLLATE "C"`), whatever the database's language is. JSON is kept as text:
 * `jsonb` gives keys in another order, and has no U+0000.
 */
import type { Migration } from "./migrate.ts";

export const MIGRATIONS: readonly Migration[] = [
  (schema) => [
    `CREATE TABLE ${schema}.store_values (
      path text COLLATE "C" PRIMARY KEY,
      value text NOT NULL)`,
    // The row of a lock stays when nobody has it: its token must not come again.
    `CREATE TABLE ${schema}.store_locks (
      name text COLLATE "C" PRIMARY KEY,
      token bigint NOT NULL,
      owner text COLLATE "C",
      lease_until timestamptz,
      CHECK ((owner IS NULL) = (lease_until IS NULL)))`,
    // A run's head: where its next event goes. Who appends to the run locks this row.
    `CREATE TABLE ${schema}.log_runs (
      run_id text COLLATE "C" PRIMARY KEY,
      sequence bigint NOT NULL,
      hash text COLLATE "C" NOT NULL)`,
    // Keys have no character that JSON escapes, and events begin with these fields, in this order.
    `CREATE TABLE ${schema}.log_events (
      run_id text COLLATE "C" NOT NULL,
      sequence bigint NOT NULL CHECK (sequence > 0),
      idempotency_key text COLLATE "C" NOT NULL,
      hash text COLLATE "C" NOT NULL,
      event text NOT NULL,
      PRIMARY KEY (run_id, sequence),
      UNIQUE (run_id, idempotency_key),
      CONSTRAINT log_events_say_the_same CHECK (starts_with(event,
        '{"runId":"' || run_id || '","sequence":' || sequence || ',"appendIdempotencyKey":"' || idempotency_key || '",')))`,
  ],
];
