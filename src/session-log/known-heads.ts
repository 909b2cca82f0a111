/**
 * What a client has seen of runs: the last event of each, so that a service that loses or rewrites what it once gave is
 * noticed. A memory with a bound, not a proof: what it forgot is checked against nothing.
 */
import { SandboxError } from "../shared/errors.ts";
import type { SessionLogEvent } from "../shared/session-log.ts";
import { assertChain } from "./check-chain.ts";
import type { RunHead } from "./seal-event.ts";

const MAX_RUNS = 1_000;

/** What was seen of a run. */
export interface KnownRun {
  /** The last event of all. */
  readonly head: RunHead;
  /** The last one of the answer before: the next page is bound to it, also where that lies before the head. */
  readonly end: RunHead;
}

/** The last events that were seen, by run. */
export class KnownHeads {
  /** In the order of their last use. */
  readonly #runs = new Map<string, KnownRun>();

  /** Asked before a request is sent: what is seen while it is on its way, its answer need not have. */
  get(runId: string): KnownRun | undefined {
    return this.#runs.get(runId);
  }

  /**
   * Checks that events are the part of a run behind `after`, and that they agree with what was known when they were
   * asked for; then they are seen.
   *
   * @throws SandboxError `SESSION_LOG_CORRUPT`.
   */
  check(
    runId: string,
    events: readonly unknown[],
    after: number,
    known: KnownRun | undefined,
  ): readonly SessionLogEvent[] {
    const before = [known?.head, known?.end].find((seen) => seen?.sequence === after);
    assertChain(runId, events, { sequence: after, hash: before?.hash }, "The session log service");
    for (const seen of known === undefined ? [] : [known.head, known.end]) {
      const same = events[seen.sequence - after - 1];
      if (same !== undefined && same.hash !== seen.hash)
        throw changed(runId, seen.sequence, "is another than before");
    }
    const last = events.at(-1);
    if (last === undefined) {
      if (known !== undefined && known.head.sequence > after)
        throw changed(runId, known.head.sequence, "is gone");
      return events;
    }
    this.#see(runId, last);
    return events;
  }

  #see(runId: string, { sequence, hash }: RunHead): void {
    const end = { sequence, hash };
    const head = this.#runs.get(runId)?.head;
    this.#runs.delete(runId);
    this.#runs.set(runId, { head: head !== undefined && head.sequence > sequence ? head : end, end });
    const [oldest] = this.#runs.keys();
    if (this.#runs.size > MAX_RUNS && oldest !== undefined) this.#runs.delete(oldest);
  }
}

function changed(runId: string, sequence: number, what: string): SandboxError {
  const message = `The session log service: run ${runId}, event ${sequence}: it ${what}.`;
  return new SandboxError("SESSION_LOG_CORRUPT", message, { runId, sequence });
}
