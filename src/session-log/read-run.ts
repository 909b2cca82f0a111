/** A run from its beginning to its end, page by page. */
import { isRecord } from "../shared/check-options.ts";
import { SandboxError } from "../shared/errors.ts";
import type { HarnessSessionLog, SessionLogEvent } from "../shared/session-log.ts";
import type { ChainStart } from "./check-chain.ts";
import { RUN_START } from "./seal-event.ts";

/**
 * Every event of a run after `after`, in order. Ends when a page is empty; what is appended meanwhile comes too. Each
 * event must follow the one before it, by its sequence and its `previousHash`; that it is what its hash says is the
 * log's to see.
 *
 * @throws SandboxError `SESSION_LOG_CORRUPT` for an event that does not follow; what the log throws.
 */
export function readRun(
  log: Pick<HarnessSessionLog, "read">,
  runId: string,
  after = 0,
): AsyncGenerator<SessionLogEvent, void, undefined> {
  return readOn(log, runId, after === 0 ? RUN_START : { sequence: after });
}

/** The same after an event whose hash is known. */
export async function* readOn(
  log: Pick<HarnessSessionLog, "read">,
  runId: string,
  start: ChainStart,
): AsyncGenerator<SessionLogEvent, void, undefined> {
  for (let last = start; ; ) {
    const page: unknown = await log.read(runId, { after: last.sequence });
    if (!Array.isArray(page))
      throw new SandboxError("SESSION_LOG_FAILED", `The session log gave no events for the run ${runId}.`, {
        runId,
      });
    if (page.length === 0) return;
    for (const value of page) {
      const event = follow(runId, value, last);
      yield event;
      last = event;
    }
  }
}

/** The same event, when it is the one after `last`: a log that gives another would be read without end. */
function follow(runId: string, value: unknown, last: ChainStart): SessionLogEvent {
  const { sequence, previousHash } = isRecord(value) ? value : {};
  const next = last.sequence + 1;
  if (sequence === next && (last.hash === undefined || previousHash === last.hash))
    return value as SessionLogEvent;
  const message = `The session log: run ${runId}, event ${next}: what it gave does not follow the event before.`;
  throw new SandboxError("SESSION_LOG_CORRUPT", message, { runId, sequence: next });
}
