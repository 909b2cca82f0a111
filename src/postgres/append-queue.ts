/**
 * Appends of this process, by run: one transaction of a run at a time, which takes all that came while the one before
 * it was under way. So a busy run has one connection and not all of them, and many appends share a commit.
 */
import type { CheckedAppend } from "../session-log/check-append.ts";
import type { SessionLogEvent } from "../shared/session-log.ts";

/** What became of one append of several. */
export type AppendOutcome = { readonly event: SessionLogEvent } | { readonly error: Error };

/** Appends to one run, in their order; an outcome for each. Rejects when it is not known what became of them. */
export type WriteAppends = (
  runId: string,
  appends: readonly CheckedAppend[],
) => Promise<readonly AppendOutcome[]>;

interface Waiting {
  readonly append: CheckedAppend;
  readonly resolve: (event: SessionLogEvent) => void;
  readonly reject: (error: unknown) => void;
}

const MAX_EVENTS_AT_ONCE = 200;
/** Characters of JSON; the first event may have more. */
const MAX_CHARACTERS_AT_ONCE = 4 * 1024 * 1024;

export class AppendQueue {
  readonly #write: WriteAppends;
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #running = new Set<Promise<void>>();

  constructor(write: WriteAppends) {
    this.#write = write;
  }

  append(append: CheckedAppend): Promise<SessionLogEvent> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(append.runId);
      const one = { append, resolve, reject };
      if (waiting !== undefined) {
        waiting.push(one);
        return;
      }
      const line = [one];
      this.#waiting.set(append.runId, line);
      const running = this.#workOff(append.runId, line).finally(() => this.#running.delete(running));
      this.#running.add(running);
    });
  }

  /** Resolves when nothing is waiting or under way. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async #workOff(runId: string, line: Waiting[]): Promise<void> {
    while (line.length > 0) {
      const batch = takeBatch(line);
      try {
        const outcomes = await this.#write(
          runId,
          batch.map(({ append }) => append),
        );
        for (const [index, { resolve, reject }] of batch.entries()) {
          const outcome = outcomes[index];
          if (outcome !== undefined && "event" in outcome) resolve(outcome.event);
          else reject(outcome?.error);
        }
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#waiting.delete(runId);
  }
}

function takeBatch(line: Waiting[]): Waiting[] {
  let characters = 0;
  const end = line.findIndex(({ append }, index) => {
    characters += append.dataText.length;
    return index > 0 && (index === MAX_EVENTS_AT_ONCE || characters > MAX_CHARACTERS_AT_ONCE);
  });
  return line.splice(0, end === -1 ? line.length : end);
}
