/**
 * `pg` (an optional peer), loaded when a database is first used, and what is used of it. The shapes are our own, so
 * that our declarations need no `pg`.
 */
import { SandboxError } from "../shared/errors.ts";
import { peerMissing } from "../shared/peer-missing.ts";

/** What a statement gave. Every column that we ask for is a text or null. */
export interface PgResult {
  readonly command: string;
  readonly rowCount: number | null;
  readonly rows: readonly Readonly<Record<string, string | null>>[];
}

/** A connection of a pool, until it is released. */
export interface PgClient {
  query(sql: string, values?: readonly unknown[]): Promise<PgResult>;
  /** `true`: the connection is closed. */
  release(destroy?: boolean): void;
  on(event: "error", listener: () => void): unknown;
}

export interface PgPool {
  connect(): Promise<PgClient>;
  end(): Promise<void>;
  on(event: "error", listener: () => void): unknown;
  on(event: "connect", listener: (client: PgClient) => void): unknown;
}

/** The options of a pool that are set. */
export interface PgPoolOptions {
  readonly connectionString: string;
  readonly max: number;
  readonly connectionTimeoutMillis: number;
  readonly query_timeout: number;
  readonly keepAlive: boolean;
  readonly allowExitOnIdle: boolean;
  readonly application_name: string;
}

export type PgPoolClass = new (options: PgPoolOptions) => PgPool;

/** @throws SandboxError `PEER_MISSING` when `pg` is not installed, cannot be loaded or is older than 8. */
export async function loadPool(): Promise<PgPoolClass> {
  let loaded: { readonly Pool?: unknown; readonly default?: { readonly Pool?: unknown } };
  try {
    // Inside `try`, so that bundlers take a missing optional peer for a warning and not for an error.
    loaded = await import("pg");
  } catch (cause) {
    throw peerMissing("pg", "A database needs the package pg", cause);
  }
  // CommonJS up to 8.14, of which only the default export can be relied on.
  const Pool = loaded.Pool ?? loaded.default?.Pool;
  if (typeof Pool === "function") return Pool as PgPoolClass;
  const message = 'A database needs pg 8 or newer; the "pg" that is installed has no Pool: npm install pg';
  throw new SandboxError("PEER_MISSING", message, { peer: "pg" });
}
