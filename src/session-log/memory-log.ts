/** `memorySessionLog()`: events that live as long as this object. For one process, and for tests. */
import { SandboxError } from "../shared/errors.ts";
import type {
  HarnessSessionLog,
  SessionLogAppend,
  SessionLogEvent,
  SessionLogReadOptions,
} from "../shared/session-log.ts";
import { type CheckedAppend, checkAppend, checkReadOptions, checkRunId } from "./check-append.ts";
import { closedError, conflictError } from "./log-errors.ts";
import { RUN_START, type RunHead, sealEvent } from "./seal-event.ts";

/** Characters of JSON that one read gives at most, beyond the first event. */
const MAX_PAGE_CHARACTERS = 8 * 1024 * 1024;

/** A log in memory. Whoever reads an event has a copy. */
export function memorySessionLog(): HarnessSessionLog {
  return new MemoryLog();
}

interface Run {
  /** As JSON: a copy is a parse. */
  readonly texts: string[];
  readonly sequences: Map<string, { readonly sequence: number; readonly digest: string }>;
  head: RunHead;
}

class MemoryLog implements HarnessSessionLog {
  readonly #runs = new Map<string, Run>();
  #isClosed = false;

  async append(event: SessionLogAppend): Promise<SessionLogEvent> {
    const append = checkAppend(event);
    if (this.#isClosed) throw closedError();
    const run = this.#runs.get(append.runId) ?? newRun();
    const sequence = findSequence(run, append);
    if (sequence !== undefined) return fromText(run.texts[sequence - 1]);
    const sealed = sealEvent(append, run.head);
    run.texts.push(JSON.stringify(sealed));
    run.sequences.set(append.appendIdempotencyKey, { sequence: sealed.sequence, digest: sealed.digest });
    run.head = { sequence: sealed.sequence, hash: sealed.hash };
    this.#runs.set(append.runId, run);
    return sealed;
  }

  async read(runId: string, options?: SessionLogReadOptions): Promise<readonly SessionLogEvent[]> {
    checkRunId(runId);
    const { after, limit } = checkReadOptions(options);
    if (this.#isClosed) throw closedError();
    const events: SessionLogEvent[] = [];
    let characters = 0;
    for (const text of this.#runs.get(runId)?.texts.slice(after, after + limit) ?? []) {
      characters += text.length;
      if (events.length > 0 && characters > MAX_PAGE_CHARACTERS) break;
      events.push(fromText(text));
    }
    return events;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#runs.clear();
  }
}

function newRun(): Run {
  return { texts: [], sequences: new Map(), head: RUN_START };
}

/** Of the event that has the key; undefined when none has. */
function findSequence(run: Run, append: CheckedAppend): number | undefined {
  const found = run.sequences.get(append.appendIdempotencyKey);
  if (found !== undefined && found.digest !== append.digest) throw conflictError(append, found.sequence);
  return found?.sequence;
}

function fromText(text: string | undefined): SessionLogEvent {
  if (text === undefined) throw new SandboxError("SESSION_LOG_CORRUPT", "An event of the log is gone.");
  return JSON.parse(text) as SessionLogEvent;
}
