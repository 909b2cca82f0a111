/**
 * What a client has seen of runs: the last event of each, so that a service that loses or rewrites what it once gave is
 * noticed. A memory with a bound, not a proof: what it forgot is checked against nothing.
 */
import { SandboxError } from "../shared/errors.ts";
import type { SessionLogEvent } from "../shared/session-log.ts";
import { assertChain } from "./check-chain.ts";
import type { RunHead } from "./seal-event.ts";

const MAX_RUNS = 1_000;

/** The last events that were seen, by run. */
export class KnownHeads {
  /** In the order of their last use. */
  readonly #heads = new Map<string, RunHead>();

  /** Asked before a request is sent: what is seen while it is on its way, its answer need not have. */
  get(runId: string): RunHead | undefined {
    return this.#heads.get(runId);
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
    known: RunHead | undefined,
  ): readonly SessionLogEvent[] {
    const start = { sequence: after, hash: known?.sequence === after ? known.hash : undefined };
    assertChain(runId, events, start, "The session log service");
    const same = known === undefined ? undefined : events[known.sequence - after - 1];
    if (known !== undefined && same !== undefined && same.hash !== known.hash)
      throw changed(runId, known.sequence, "is another than before");
    const last = events.at(-1);
    if (last === undefined) {
      if (known !== undefined && known.sequence > after) throw changed(runId, known.sequence, "is gone");
      return events;
    }
    this.#see(runId, last);
    return events;
  }

  #see(runId: string, { sequence, hash }: RunHead): void {
    const before = this.#heads.get(runId);
    this.#heads.delete(runId);
    this.#heads.set(runId, before !== undefined && before.sequence > sequence ? before : { sequence, hash });
    const [oldest] = this.#heads.keys();
    if (this.#heads.size > MAX_RUNS && oldest !== undefined) this.#heads.delete(oldest);
  }
}

function changed(runId: string, sequence: number, what: string): SandboxError {
  const message = `The session log service: run ${runId}, event ${sequence}: it ${what}.`;
  return new SandboxError("SESSION_LOG_CORRUPT", message, { runId, sequence });
}
