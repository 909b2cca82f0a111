/** Numbers events and hands them to the host's `emit`, whose failures end here. */
import { randomUUID } from "node:crypto";
import type { EmitEvent, FileEvent, HarnessEvent } from "../shared/events.ts";

type WithoutStamp<Event> = Event extends HarnessEvent ? Omit<Event, "id" | "seq" | "at"> : never;

/** An event before it has its id, number and time. */
export type UnstampedEvent = WithoutStamp<HarnessEvent>;

/** A file event before it is told; it keeps its id when it has to be told again. */
export type StampedFileEvent = Omit<FileEvent, "seq" | "at">;

/** The events of one sandbox. `emit` is called at once and in order; promises that it returns are not waited for. */
export class EventStream {
  readonly #emit: EmitEvent;
  readonly #open = new Set<Promise<unknown>>();
  #seq = 0;

  constructor(emit: EmitEvent) {
    this.#emit = emit;
  }

  /** An event that has an id keeps it. */
  emit(event: UnstampedEvent | StampedFileEvent): void {
    const stamp = { seq: ++this.#seq, at: new Date().toISOString() };
    try {
      const given = this.#emit({ id: randomUUID(), ...event, ...stamp } as HarnessEvent);
      if (isThenable(given)) this.#watch(given);
    } catch {
      // A host that cannot take events still gets its results.
    }
  }

  /** Resolves when every promise that `emit` returned so far has settled. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#open);
  }

  #watch(given: PromiseLike<unknown>): void {
    const settled: Promise<void> = Promise.resolve(given).then(
      () => undefined,
      () => undefined, // a host that cannot take events still gets its results
    );
    this.#open.add(settled);
    void settled.then(() => this.#open.delete(settled));
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function"
  );
}
