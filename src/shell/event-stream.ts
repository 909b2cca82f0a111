/** Numbers events and hands them to the host's `emit`, whose failures end here. */
import { randomUUID } from "node:crypto";
import type { EmitEvent, FileEvent, HarnessEvent } from "../shared/events.ts";
import { Listener } from "./listener.ts";

type WithoutStamp<Event> = Event extends HarnessEvent ? Omit<Event, "id" | "seq" | "at"> : never;

/** An event before it has its id, number and time. */
export type UnstampedEvent = WithoutStamp<HarnessEvent>;

/** A file event before it is told; it keeps its id when it has to be told again. */
export type StampedFileEvent = Omit<FileEvent, "seq" | "at">;

/** The events of one sandbox. `emit` is called at once and in order; promises that it returns are not waited for. */
export class EventStream {
  readonly #listener: Listener<HarnessEvent>;
  #seq = 0;

  constructor(emit: EmitEvent) {
    this.#listener = new Listener(emit);
  }

  /** An event that has an id keeps it. */
  emit(event: UnstampedEvent | StampedFileEvent): void {
    const stamp = { seq: ++this.#seq, at: new Date().toISOString() };
    this.#listener.tell({ id: randomUUID(), ...event, ...stamp } as HarnessEvent);
  }

  /** Resolves when every promise that `emit` returned so far has settled. */
  async settled(): Promise<void> {
    await this.#listener.settled();
  }
}
