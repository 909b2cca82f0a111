/**
 * A lock between processes, made of files alone: one owner at a time, taken over when the owner's process is gone or
 * its lease has run out, and fenced: a late owner's writes through its staging directory are refused by the kernel.
 * What it needs of the file system is an atomic rename of directories. `lock-directory.ts` has the files.
 *
 * For the short writes of ledgers, where an owner that hangs, or sits on another machine, must not be waited for.
 * Where a live owner keeps its lock however long it is busy, as with a turn, `file-lock.ts` is the one.
 */
import { randomUUID } from "node:crypto";
import { SandboxError } from "../shared/errors.ts";
import { keepLease } from "./keep-lease.ts";
import {
  type Claims,
  closeClaim,
  isOpen,
  readClaims,
  readOwner,
  renewClaim,
  stagingOf,
  takeClaim,
} from "./lock-directory.ts";
import type { LockOwner } from "./lock-owner.ts";
import { isAlive, ownIdentity } from "./process-identity.ts";
import { lineFor, nudgeLine, type WaitLimit } from "./waiting-line.ts";

/** How a lock is asked for and kept. */
export interface LeaseLockOptions {
  /** For how long the lock stays with an owner that is not heard of. @default 10000 */
  readonly leaseMs?: number;
  /** For how long to wait while another has it; 0: try once. @default 0 */
  readonly waitMs?: number;
  /** Renew the lease while this process lives, three times per lease. @default true */
  readonly renew?: boolean;
  /** Who asks; told to those who find the lock taken. @default "process <pid>" */
  readonly label?: string;
  /** Ends the wait; the promise rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: () => number;
}

/** A lock that is held. */
export interface LeaseLock {
  /** Greater than that of every owner before. */
  readonly token: number;
  /** For `writeStaged`: a write through it fails with ENOENT once the lock is lost. */
  readonly stagingDirectory: string;
  /** Aborted, with `LOCK_LOST` as the reason, when this process learns that it has the lock no more. */
  readonly lost: AbortSignal;
  /** Asks the disk whether the lock is still held. */
  isHeld(): Promise<boolean>;
  /** Gives the lock back. Safe to call twice and after a loss. */
  release(): Promise<void>;
}

const DEFAULT_LEASE_MS = 10_000;

/** Asks of those who wait, growing. 25 ms keep a process with ten waits below 1 % of a core. */
const FIRST_POLL_MS = 2;
const LAST_POLL_MS = 25;

/**
 * Takes the lock whose files lie in `directory`, which is made for it and nothing else.
 *
 * @throws SandboxError `STORE_CONFLICT` when another has it, with `owner` in the data; `STORE_FAILED` when the files
 * cannot be read or written. Rejects with the signal's reason after an abort.
 */
export async function acquireLeaseLock(
  directory: string,
  options: LeaseLockOptions = {},
): Promise<LeaseLock> {
  const { waitMs = 0, signal } = options;
  signal?.throwIfAborted();
  const asker = new Asker(directory, options);
  try {
    const lock = waitMs > 0 ? await askInTurn(directory, asker, waitMs, signal) : await asker.ask();
    if (lock !== undefined) return lock;
  } catch (error) {
    signal?.throwIfAborted();
    throw new SandboxError(
      "STORE_FAILED",
      `The lock ${directory} cannot be taken: ${error instanceof Error ? error.message : error}`,
      { directory },
      { cause: error },
    );
  }
  signal?.throwIfAborted();
  const owner = asker.heldBy;
  throw new SandboxError("STORE_CONFLICT", `The lock ${directory} is held by ${owner ?? "another"}.`, {
    directory,
    owner,
  });
}

async function askInTurn(
  directory: string,
  asker: Asker,
  waitMs: number,
  signal: AbortSignal | undefined,
): Promise<LeaseLock | undefined> {
  const limit: WaitLimit = { untilMs: performance.now() + waitMs, signal };
  const line = lineFor(directory);
  const got = await line.inTurn(limit, async () => {
    for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(pollMs * 1.5, LAST_POLL_MS)) {
      const lock = await asker.ask();
      if (lock !== undefined) return lock;
      // Some chance in it, or two processes that wait would look in step.
      if ((await line.pause(pollMs * (0.5 + Math.random()), limit)) !== undefined) return undefined;
    }
  });
  return typeof got === "string" ? undefined : got;
}

/** One who asks, again and again: it remembers since when the owner has not been heard of. */
class Asker {
  readonly #directory: string;
  readonly #options: LeaseLockOptions;
  #silent: { claim: string; renewedAtMs: number; sinceMs: number } | undefined;
  heldBy: string | undefined;

  constructor(directory: string, options: LeaseLockOptions) {
    this.#directory = directory;
    this.#options = options;
  }

  async ask(): Promise<LeaseLock | undefined> {
    const claims = await readClaims(this.#directory);
    if (await this.#isHeld(claims)) return undefined;
    const { leaseMs = DEFAULT_LEASE_MS, label = `process ${process.pid}`, now = Date.now } = this.#options;
    const owner: LockOwner = {
      claim: randomUUID(),
      label,
      ...ownIdentity(),
      leaseMs,
      renewedAtMs: now(),
    };
    const token = claims.highest + 1;
    if (!(await takeClaim(this.#directory, token, owner))) return undefined;
    return hold(this.#directory, token, owner, this.#options);
  }

  async #isHeld({ highest, open }: Claims): Promise<boolean> {
    if (open.at(-1) !== highest) return false;
    const owner = await readOwner(this.#directory, highest);
    if (owner === "closed" || owner === "unreadable") return false;
    this.heldBy = owner.label;
    return isAlive(owner) !== "no" && !this.#isLate(owner);
  }

  /**
   * By the clock, and by our own watch: a clock that was put back, or another machine's that is ahead, would keep a
   * dead owner's lock for as long as it is wrong.
   */
  #isLate({ claim, renewedAtMs, leaseMs }: LockOwner): boolean {
    if ((this.#options.now ?? Date.now)() >= renewedAtMs + leaseMs) return true;
    const before = this.#silent;
    if (before?.claim === claim && before.renewedAtMs === renewedAtMs)
      return performance.now() - before.sinceMs >= leaseMs;
    this.#silent = { claim, renewedAtMs, sinceMs: performance.now() };
    return false;
  }
}

function hold(directory: string, token: number, owner: LockOwner, options: LeaseLockOptions): LeaseLock {
  const { renew = true, now = Date.now } = options;
  const lost = new AbortController();
  const stop = keepLease({
    leaseMs: owner.leaseMs,
    isRenewed: renew,
    renew: () => renewClaim(directory, token, { ...owner, renewedAtMs: now() }),
    lose: () =>
      lost.abort(
        new SandboxError("LOCK_LOST", `The lock ${directory} was lost by ${owner.label}.`, { token }),
      ),
  });
  let released: Promise<void> | undefined;
  const release = async () => {
    await stop();
    await closeClaim(directory, token, owner);
    nudgeLine(directory);
  };
  return {
    token,
    stagingDirectory: stagingOf(directory, token, owner),
    lost: lost.signal,
    isHeld: () => isOpen(directory, token, owner),
    release: () => {
      released ??= release();
      return released;
    },
  };
}
