/** What one case of a session log is played on. */
import type { HarnessSessionLog, SessionLogAppend } from "../shared/session-log.ts";
import type { Check } from "./check.ts";

/** A session log under test. */
export interface SessionLogUnderTest {
  readonly log: HarnessSessionLog;
  /** A second one over the same events, as another process would have. @default the same one */
  readonly other?: HarnessSessionLog | undefined;
  /** Closes `log` and opens what it kept again; left out by a log that keeps nothing. */
  readonly reopen?: (() => Promise<HarnessSessionLog>) | undefined;
}

/** Gives an empty log at each call. */
export type OpenSessionLog = () => Promise<SessionLogUnderTest> | SessionLogUnderTest;

/** What a case has at hand. */
export interface SessionLogStage {
  readonly log: HarnessSessionLog;
  readonly other: HarnessSessionLog;
  /** What it was is closed. For a log that keeps nothing: the same one. */
  readonly reopen: () => Promise<HarnessSessionLog>;
  readonly check: Check;
}

/** A case before it is bound to a log. */
export interface SessionLogCase {
  readonly name: string;
  run(stage: SessionLogStage): Promise<void>;
}

/** An append for cases that do not care what it says. */
export function appendOf(runId: string, key: string, rest: Partial<SessionLogAppend> = {}): SessionLogAppend {
  return { runId, appendIdempotencyKey: key, type: "case.happened", data: { key }, ...rest };
}
