/**
 * The events of one turn, whoever makes them, in one order: numbered, told to the caller, written down. The caller's
 * failures end here.
 */
import { randomUUID } from "node:crypto";
import type { HarnessEvent } from "../shared/events.ts";
import type {
  HarnessTurnEvent,
  TurnCompletedEvent,
  TurnFailedEvent,
  TurnLogFailedEvent,
  TurnStartedEvent,
  UnstampedTurnEvent,
} from "../shared/turn-events.ts";
import { Listener } from "../shell/listener.ts";
import { EventLog } from "./event-log.ts";

type Unstamped<Event> = Event extends unknown ? Omit<Event, "id" | "seq" | "at" | "occurrenceId"> : never;

/** What the host itself tells of a turn. */
export type UnstampedHostEvent = Unstamped<
  | TurnStartedEvent
  | TurnCompletedEvent
  | TurnFailedEvent
  | TurnLogFailedEvent
  | Extract<HarnessEvent, { type: `harness.file.${string}` } | { type: "harness.runtime.dispose.failed" }>
>;

/** Where the events of a turn go. */
export interface TurnStreamOptions {
  readonly turnId: string;
  /** `events.ndjson`. */
  readonly file: string;
  readonly onEvent: ((event: HarnessTurnEvent) => unknown) | undefined;
}

export class TurnStream {
  readonly #turnId: string;
  readonly #listener: Listener<HarnessTurnEvent>;
  readonly #log: EventLog;
  #seq = 0;
  #hasEnded = false;
  #hasToldLogFailed = false;

  constructor({ turnId, file, onEvent }: TurnStreamOptions) {
    this.#turnId = turnId;
    this.#listener = new Listener(onEvent);
    this.#log = new EventLog(file, (why) => this.tellLogFailed(why));
  }

  /** An event of the sandbox: keeps its id and time, gets its number in the turn. */
  take(event: HarnessEvent): void {
    this.#send({ ...event });
  }

  /** An event of the loop. */
  emit(event: UnstampedTurnEvent): void {
    this.#send({ ...event, id: randomUUID(), at: new Date().toISOString() });
  }

  /** An event of the host. */
  tell(event: UnstampedHostEvent): void {
    const id = randomUUID();
    this.#send({ ...event, id, at: new Date().toISOString(), occurrenceId: id });
  }

  /** That the record of the turn cannot be kept; once, as one thing that fails takes others with it. */
  tellLogFailed(error: string): void {
    if (this.#hasToldLogFailed) return;
    this.#hasToldLogFailed = true;
    this.tell({ type: "harness.turn.log.failed", error });
  }

  /** The last one; what comes later is dropped. */
  end(event: UnstampedHostEvent): void {
    this.tell(event);
    this.#hasEnded = true;
  }

  /** Resolves when all events so far are in the file, or it is known that they cannot be. Never rejects. */
  async flush(): Promise<void> {
    await this.#log.flush();
  }

  /** Resolves when the file is closed and every promise that the caller returned has settled. Never rejects. */
  async close(): Promise<void> {
    await this.#log.close();
    await this.#listener.settled();
  }

  #send(event: object): void {
    if (this.#hasEnded) return;
    const numbered = { ...event, seq: ++this.#seq, turnId: this.#turnId } as HarnessTurnEvent;
    // Written before it is told: what a caller saw is never newer than what is about to be on disk.
    this.#log.append(numbered);
    this.#listener.tell(numbered);
  }
}
