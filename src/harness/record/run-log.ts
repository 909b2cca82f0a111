/**
 * The session log of one run, for one attempt at it: what earlier attempts recorded, and what this one adds.
 *
 * The fence: a record stands under a key that its position in the run alone decides, and its data names the attempt. So
 * two processes that go on with one run meet at the next position; the log takes one of them, and the other's run
 * fails with `SESSION_LOG_CONFLICT` before it does anything there.
 */
import { randomUUID } from "node:crypto";
import { readOn } from "../../session-log/read-run.ts";
import { RUN_START, type RunHead } from "../../session-log/seal-event.ts";
import { isRecord } from "../../shared/check-options.ts";
import { isSandboxError, SandboxError } from "../../shared/errors.ts";
import type { JsonValue } from "../../shared/json.ts";
import { tellThrown } from "../../shared/redact.ts";
import type { HarnessSessionLog, SessionLogEvent } from "../../shared/session-log.ts";
import { waitAtMost } from "../../shell/bounded-wait.ts";

/** Fields of a record. */
export type RecordData = Readonly<Record<string, JsonValue>>;

const ATTEMPT = /^attempt\/([1-9][0-9]{0,8})$/;

export class RunLog {
  readonly runId: string;
  /** Random: no other attempt's records have it. */
  readonly attemptId = randomUUID();
  readonly #log: HarnessSessionLog;
  readonly #onBroken: (error: SandboxError) => void;
  readonly #records = new Map<string, SessionLogEvent>();
  readonly #pending = new Set<Promise<unknown>>();
  #lastRead: RunHead = RUN_START;
  #attempt = 0;
  #broken: SandboxError | undefined;

  private constructor(log: HarnessSessionLog, runId: string, onBroken: (error: SandboxError) => void) {
    this.#log = log;
    this.runId = runId;
    this.#onBroken = onBroken;
  }

  /**
   * Reads the run.
   * @param onBroken told the first error after which the run cannot go on
   * @throws SandboxError what the log throws, `SESSION_LOG_FAILED` when that is none of ours.
   */
  static async read(
    log: HarnessSessionLog,
    runId: string,
    onBroken: (error: SandboxError) => void,
  ): Promise<RunLog> {
    const run = new RunLog(log, runId, onBroken);
    await run.#readOn();
    return run;
  }

  /** Why the run cannot go on, if it cannot. */
  get broken(): SandboxError | undefined {
    return this.#broken;
  }

  /** Attempts before this one, until it is claimed; then its own number. */
  get attempt(): number {
    return this.#attempt;
  }

  /** A record of an attempt before this one. */
  find(key: string): SessionLogEvent | undefined {
    return this.#records.get(key);
  }

  /** Keys of records of attempts before this one that begin so. */
  keysUnder(prefix: string): string[] {
    return [...this.#records.keys()].filter((key) => key.startsWith(prefix));
  }

  /** Takes the next number for this attempt. What an attempt that still lives recorded meanwhile is read too. */
  async claim(type: string, data: RecordData): Promise<void> {
    const number = this.#attempt + 1;
    const { sequence } = await this.#append(`attempt/${number}`, type, { ...data, attempt: number });
    if (sequence !== this.#lastRead.sequence + 1) await this.#guarded(() => this.#readOn(sequence));
    this.#attempt = number;
  }

  /** Resolves when the record is kept. Once an append has failed, the run is broken and every later one rejects. */
  async append(key: string, type: string, data: RecordData, occurrenceId?: string): Promise<void> {
    await this.#append(key, type, data, occurrenceId);
  }

  /** The run cannot go on: tells it once, and gives the error to throw. */
  breakBy(error: SandboxError): SandboxError {
    if (this.#broken === undefined) {
      this.#broken = error;
      this.#onBroken(error);
    }
    return error;
  }

  /** Waits for the appends under way, at most so long; never rejects. */
  async settled(waitMs: number): Promise<void> {
    await waitAtMost(Promise.allSettled([...this.#pending]), waitMs);
  }

  async #append(
    key: string,
    type: string,
    data: RecordData,
    occurrenceId?: string,
  ): Promise<SessionLogEvent> {
    if (this.#broken !== undefined) throw this.#broken;
    const appending = this.#guarded(
      async () =>
        this.#assertKept(
          key,
          await this.#log.append({
            runId: this.runId,
            appendIdempotencyKey: key,
            ...(occurrenceId === undefined ? {} : { occurrenceId }),
            type,
            data: { ...data, attemptId: this.attemptId },
          }),
        ),
      key,
    );
    this.#pending.add(appending);
    try {
      return await appending;
    } finally {
      this.#pending.delete(appending);
    }
  }

  /** A log may be anybody's: an answer that is not the event acknowledges nothing. */
  #assertKept(key: string, answer: unknown): SessionLogEvent {
    const { runId, appendIdempotencyKey, sequence } = isRecord(answer) ? answer : {};
    if (runId === this.runId && appendIdempotencyKey === key && Number.isSafeInteger(sequence))
      return answer as SessionLogEvent;
    throw new Error(`it answered the append of ${key} with something else than its event`);
  }

  async #readOn(before = Number.POSITIVE_INFINITY): Promise<void> {
    try {
      for await (const event of readOn(this.#log, this.runId, this.#lastRead)) {
        if (event.sequence >= before) break;
        this.#records.set(event.appendIdempotencyKey, event);
        this.#lastRead = { sequence: event.sequence, hash: event.hash };
        this.#attempt = Math.max(this.#attempt, Number(ATTEMPT.exec(event.appendIdempotencyKey)?.[1] ?? 0));
      }
    } catch (thrown) {
      throw toLogError(thrown, `the run ${this.runId} could not be read`);
    }
  }

  async #guarded<T>(run: () => Promise<T>, key?: string): Promise<T> {
    try {
      return await run();
    } catch (thrown) {
      throw this.breakBy(this.#toError(thrown, key));
    }
  }

  #toError(thrown: unknown, key: string | undefined): SandboxError {
    if (isSandboxError(thrown) && thrown.code === "SESSION_LOG_CONFLICT") {
      const message = `Another process goes on with the run ${this.runId}: it has recorded ${key} first. This one has stopped there.`;
      return new SandboxError("SESSION_LOG_CONFLICT", message, { runId: this.runId, key }, { cause: thrown });
    }
    return toLogError(thrown, `the run ${this.runId} could not be recorded`);
  }
}

function toLogError(thrown: unknown, what: string): SandboxError {
  if (isSandboxError(thrown)) return thrown;
  return new SandboxError(
    "SESSION_LOG_FAILED",
    `The session log failed: ${what}: ${tellThrown(thrown)}`,
    {},
    { cause: thrown },
  );
}
