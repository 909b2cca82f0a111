/**
 * The port below the ledgers: five methods over JSON values with paths for names. A file system, a database or an
 * object store that has them carries every ledger. Types only; `docs/orchestration.md` is the contract, and one suite
 * checks it of any store.
 */
import type { JsonValue } from "./json.ts";

/** Proof that a lock is held, for writes. Plain data but for the signal. */
export interface StoreLock {
  readonly name: string;
  /** Greater than that of every owner of this lock before. */
  readonly token: number;
  /** Aborted, with `LOCK_LOST` as its reason, when the store learns that the lock is lost. */
  readonly lost: AbortSignal;
}

/** What a write is done under. */
export interface StoreWriteOptions {
  /** The write is refused with `LOCK_LOST` when this lock is no longer held. Absent: written in any case. */
  readonly lock?: StoreLock | undefined;
}

/** How a lock is asked for and kept. */
export interface WithLockOptions {
  /** For how long the lock stays with an owner that is not heard of. @default 10000 */
  readonly leaseMs?: number | undefined;
  /** For how long to wait while another has it. @default 30000 */
  readonly waitMs?: number | undefined;
  /** Renew the lease while `run` runs. `false`: after `leaseMs` another may take the lock. @default true */
  readonly renew?: boolean | undefined;
  /** Ends the wait for the lock. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * JSON values by path. A path is one or more segments, joined by `/`; a segment is 1 to 120 of
 * `A-Z a-z 0-9 _ - . : @ = + ~`, with no `.` as its first or last character. A path may name a value and begin others.
 */
export interface DurableJsonStore {
  /** The value; `undefined` when there is none. Whole: as some write left it. */
  readJson(path: string): Promise<JsonValue | undefined>;
  /**
   * Writes a value, durably when the promise resolves. Readers see the old one or the new one.
   *
   * @throws SandboxError `LOCK_LOST`: nothing was written.
   */
  writeJson(path: string, value: JsonValue, options?: StoreWriteOptions): Promise<void>;
  /**
   * Removes a value; no error when there is none. What lies below its path stays.
   *
   * @throws SandboxError `LOCK_LOST`: nothing was removed.
   */
  remove(path: string, options?: StoreWriteOptions): Promise<void>;
  /** The next segments of all paths that begin with this one: each once, sorted by UTF-16 code units; `""` is the root. */
  listDir(path: string): Promise<readonly string[]>;
  /**
   * Runs `run` while nobody else, in this process or another, holds the lock of this name (shaped like a path). The
   * lock is given back when `run` has settled. An owner that dies loses it after its lease, and what it still tries
   * to write under the lock is refused.
   *
   * @throws SandboxError `STORE_CONFLICT` when another kept the lock for longer than `waitMs`.
   */
  withLock<T>(name: string, options: WithLockOptions, run: (lock: StoreLock) => Promise<T>): Promise<T>;
}
