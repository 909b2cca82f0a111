import type { JsonValue } from "../json.ts";
import type { LedgerRow, PruneOptions } from "./row.ts";

/** What some work came to. */
export interface Result extends LedgerRow {
  readonly value: JsonValue;
  readonly runId: string | null;
}

/** What a result is made of. */
export interface CreateResultOptions {
  /** Names the work: who asks again for the same work looks here first. */
  readonly id: string;
  readonly value: unknown;
  readonly runId?: string | undefined;
}

/** Values that are written once. */
export interface ResultLedger {
  /** The first value stays: the same again gives the row, another one `STORE_CONFLICT`. */
  create(options: CreateResultOptions): Promise<Result>;
  get(id: string): Promise<Result | undefined>;
  list(options?: {
    readonly runId?: string | undefined;
    readonly after?: string | undefined;
    readonly limit?: number | undefined;
  }): Promise<readonly Result[]>;
  /** No error when there is none. */
  remove(id: string): Promise<void>;
  prune(options: PruneOptions): Promise<number>;
}
