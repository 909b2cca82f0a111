/** Tells file changes, so that each is told once even if the host dies while it does. */
import { randomUUID } from "node:crypto";
import type { FileEvent } from "../shared/events.ts";
import type { FileChange } from "../shared/file-change.ts";
import type { ChangeJournal } from "./change-journal.ts";
import type { EventStream, StampedFileEvent } from "./event-stream.ts";

/** Who made changes. */
export type ChangeSource = Pick<FileEvent, "occurrenceId" | "source" | "commandId" | "toolCallId">;

/** One per sandbox. */
export class FileEvents {
  readonly #events: EventStream;
  readonly #journal: ChangeJournal | undefined;

  constructor(events: EventStream, journal: ChangeJournal | undefined) {
    this.#events = events;
    this.#journal = journal;
  }

  /** @param id of the command or file call as the journal knows it; absent when nothing was written of it */
  tell(changes: readonly FileChange[], by: ChangeSource, id?: string): void {
    this.tellAgain(
      changes.map((change) => toEvent(change, by)),
      id,
    );
  }

  /** Events as an earlier host was about to tell them. */
  tellAgain(events: readonly StampedFileEvent[], id?: string): void {
    this.#note((journal, known) => journal.end(known, events), id);
    for (const event of events) this.#events.emit(event);
    this.#note((journal, known) => journal.told(known), id);
  }

  #note(write: (journal: ChangeJournal, id: string) => void, id: string | undefined): void {
    if (this.#journal === undefined || id === undefined) return;
    try {
      write(this.#journal, id);
    } catch {
      // A full disk, say: the events are told all the same, and after a crash perhaps once more.
    }
  }
}

function toEvent({ change, ...fields }: FileChange, by: ChangeSource): StampedFileEvent {
  const source = fields.toolCallId === undefined ? by.source : "tool";
  return { type: `harness.file.${change}`, id: randomUUID(), ...by, ...fields, source };
}
