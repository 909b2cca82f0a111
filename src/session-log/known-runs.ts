/** The runs of a log that are in use: what each has is known without a look at the file. The others are forgotten. */
import type { SessionLogEvent } from "../shared/session-log.ts";
import type { RunIndex } from "./file-log-run.ts";
import type { RunHead } from "./seal-event.ts";

/** Events that are known at most, unless one run alone has more: about 100 bytes each. */
const MAX_KNOWN_EVENTS = 200_000;

export class KnownRun {
  readonly offsets: number[];
  readonly keys: Map<string, number>;
  /** Of the last event, on its way as it may be. */
  head: RunHead;
  /** Events that are kept; the others are on their way. */
  committed: number;
  /** By their keys. */
  readonly pending = new Map<string, Promise<SessionLogEvent>>();

  constructor({ offsets, keys, head }: RunIndex) {
    this.offsets = offsets;
    this.keys = keys;
    this.head = head;
    this.committed = offsets.length;
  }
}

export class KnownRuns {
  /** Those that were used last are the last. */
  readonly #runs = new Map<string, KnownRun>();
  readonly #looks = new Map<string, Promise<KnownRun>>();
  readonly #maxEvents: number;
  #events = 0;

  constructor(maxEvents = MAX_KNOWN_EVENTS) {
    this.#maxEvents = maxEvents;
  }

  /** What is known of a run, after one look for all who ask at once. */
  async get(runId: string, look: () => Promise<KnownRun>): Promise<KnownRun> {
    const known = this.#runs.get(runId);
    if (known !== undefined) {
      this.#runs.delete(runId);
      this.#runs.set(runId, known);
      return known;
    }
    let looking = this.#looks.get(runId);
    if (looking === undefined) {
      looking = this.#look(runId, look);
      this.#looks.set(runId, looking);
    }
    return await looking;
  }

  has(runId: string, run: KnownRun): boolean {
    return this.#runs.get(runId) === run;
  }

  /** An event was added to one of them. */
  grow(): void {
    this.#events += 1;
    this.#forget();
  }

  clear(): void {
    this.#runs.clear();
    this.#events = 0;
  }

  async #look(runId: string, look: () => Promise<KnownRun>): Promise<KnownRun> {
    try {
      const run = await look();
      this.#runs.set(runId, run);
      this.#events += 1 + run.offsets.length;
      this.#forget();
      return run;
    } finally {
      this.#looks.delete(runId);
    }
  }

  /** One that has events on their way is in use: only here it is known that they are. */
  #forget(): void {
    if (this.#events <= this.#maxEvents) return;
    // The one that was used last stays, whatever it has. Counted down to, as this runs with every append.
    let others = this.#runs.size - 1;
    for (const [runId, run] of this.#runs) {
      if (this.#events <= this.#maxEvents || others === 0) return;
      others -= 1;
      if (run.pending.size > 0) continue;
      this.#runs.delete(runId);
      this.#events -= 1 + run.offsets.length;
    }
  }
}
