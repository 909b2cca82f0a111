/**
 * `remoteSessionLog()`: a log behind `lh.remote-session.v1`. It chooses nothing: the key of an append is the caller's,
 * and every attempt sends the same bytes.
 */
import { isRecord } from "../shared/check-options.ts";
import { SandboxError } from "../shared/errors.ts";
import type {
  HarnessSessionLog,
  SessionLogAppend,
  SessionLogEvent,
  SessionLogReadOptions,
} from "../shared/session-log.ts";
import { appendText, checkAppend, checkReadOptions, checkRunId } from "./check-append.ts";
import { failed } from "./client-answer.ts";
import { Attempts } from "./client-attempts.ts";
import { checkClientOptions, type RemoteSessionLogOptions } from "./client-options.ts";
import { KnownHeads } from "./known-heads.ts";
import { eventsPath, PROTOCOL } from "./wire.ts";

export type { RemoteSessionLogOptions } from "./client-options.ts";

/**
 * The log of a `startSessionLogServer()`, or of whatever speaks `docs/remote-session.md`, over the global `fetch`. An
 * append or a read is sent again, with a growing pause, when the network fails, when it takes too long, and for the
 * statuses 408, 429 and 5xx. What comes back is checked as a file would be: digests, hashes, gaps.
 *
 * `close()` ends what is under way with `SESSION_LOG_CLOSED`; whether such an append is kept is not known.
 *
 * @throws SandboxError `OPTION_INVALID`, also for a token over `http:` to another machine.
 */
export function remoteSessionLog(options: RemoteSessionLogOptions): HarnessSessionLog {
  return new RemoteLog(new Attempts(checkClientOptions(options)));
}

class RemoteLog implements HarnessSessionLog {
  readonly #attempts: Attempts;
  readonly #heads = new KnownHeads();

  constructor(attempts: Attempts) {
    this.#attempts = attempts;
  }

  async append(event: SessionLogAppend): Promise<SessionLogEvent> {
    const append = checkAppend(event);
    const { runId } = append;
    const known = this.#heads.get(runId);
    const answer = await this.#attempts.send({ runId, path: eventsPath(runId), body: appendText(append) });
    const kept = onlyField(answer, "event");
    if (!isRecord(kept) || !Number.isSafeInteger(kept.sequence)) throw notSpoken("event", runId);
    const [sealed] = this.#heads.check(runId, [kept], Number(kept.sequence) - 1, known);
    if (sealed?.digest === append.digest) return sealed;
    const message = `The session log service: run ${runId}: it answered an append with the event of another.`;
    throw new SandboxError("SESSION_LOG_CORRUPT", message, { runId, sequence: kept.sequence });
  }

  async read(runId: string, options?: SessionLogReadOptions): Promise<readonly SessionLogEvent[]> {
    checkRunId(runId);
    const { after, limit } = checkReadOptions(options);
    const known = this.#heads.get(runId);
    const path = `${eventsPath(runId)}?after=${after}&limit=${limit}`;
    const events = onlyField(await this.#attempts.send({ runId, path }), "events");
    if (!Array.isArray(events) || events.length > limit) throw notSpoken("events", runId);
    return this.#heads.check(runId, events, after, known);
  }

  async close(): Promise<void> {
    this.#attempts.close();
  }
}

/** The value of the one field that an answer has. */
function onlyField(answer: unknown, name: string): unknown {
  return isRecord(answer) && Object.keys(answer).length === 1 ? answer[name] : undefined;
}

function notSpoken(field: string, runId: string): SandboxError {
  return failed(`its answer has no "${field}" as ${PROTOCOL} has it`, { runId });
}
