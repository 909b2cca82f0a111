/**
 * The port of the session log: events by run, appended once each and read in order. A file, a database or a service
 * that has these three methods carries every run. Types only; `docs/remote-session.md` is the contract, and one suite
 * checks it of any log.
 */
import type { JsonValue } from "./json.ts";

/** What a caller appends. */
export interface SessionLogAppend {
  /** The run that the event belongs to: 1 to 200 of `A-Z a-z 0-9 _ - . : @ = + ~`, but not `.` or `..`. */
  readonly runId: string;
  /**
   * Names the logical event within its run: 1 to 200 characters as in `runId` and `/`. Chosen before the event is
   * sent, so that every attempt to send it has the same one.
   */
  readonly appendIdempotencyKey: string;
  /**
   * Groups events that belong together, such as those of one tool call: characters as in `appendIdempotencyKey`. Many
   * events may share it.
   */
  readonly occurrenceId?: string | undefined;
  /** What happened: 1 to 200 characters as in `runId`. */
  readonly type: string;
  /**
   * Plain data: what JSON cannot say is refused, not turned into something else, and a field that is undefined is as if
   * it were missing. At most 1 MiB of canonical JSON and 100 levels; what is larger is an artifact, and here is its
   * reference.
   */
  readonly data: JsonValue;
}

/** An event as the log keeps it: the same whenever it is read, from whatever store. */
export interface SessionLogEvent {
  readonly runId: string;
  /** 1, 2, 3 … within the run, without gaps. */
  readonly sequence: number;
  readonly appendIdempotencyKey: string;
  readonly occurrenceId?: string;
  readonly type: string;
  readonly data: JsonValue;
  /** When the log took it: ISO 8601, UTC, milliseconds. */
  readonly at: string;
  /** SHA-256, in hexadecimal, of what the caller appended, in canonical JSON. */
  readonly digest: string;
  /** `hash` of the event before it in the run; 64 zeros for the first. */
  readonly previousHash: string;
  /** SHA-256, in hexadecimal, over all other fields: who changes one changes the hash of every event after it. */
  readonly hash: string;
}

/** Which events of a run are read. */
export interface SessionLogReadOptions {
  /** Only events with a greater sequence. @default 0 */
  readonly after?: number | undefined;
  /** Events at most, 1 to 1000. A log may give fewer, but none only when there are none. @default 1000 */
  readonly limit?: number | undefined;
}

/** Where the events of runs are kept. */
export interface HarnessSessionLog {
  /**
   * Resolves when the event is kept, as durably as the log promises. An event whose key the run has already resolves
   * to the one that is there, if what was appended is the same.
   *
   * @throws SandboxError `SESSION_LOG_INVALID` for what cannot be appended; `SESSION_LOG_CONFLICT` for other content
   * under a key that the run has; `SESSION_LOG_CORRUPT` when the run cannot be continued; `SESSION_LOG_FAILED` when it
   * is not known whether the event is kept: the same append may be tried again; `SESSION_LOG_CLOSED`.
   */
  append(event: SessionLogAppend): Promise<SessionLogEvent>;
  /**
   * Events of a run in order; empty for a run that has none.
   *
   * @throws SandboxError `SESSION_LOG_INVALID` for a run or options that are none; `SESSION_LOG_CORRUPT` for a damaged
   * record or a gap in this run; `SESSION_LOG_FAILED`; `SESSION_LOG_CLOSED`.
   */
  read(runId: string, options?: SessionLogReadOptions): Promise<readonly SessionLogEvent[]>;
  /** Settles what is under way and releases what is held. Again: nothing. */
  close(): Promise<void>;
}
