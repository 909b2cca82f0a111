/**
 * What others change while one tier hands over to the next lies between what the one knew last and what the other knows
 * first: both find it. It is told once.
 */
import type { FileEvent } from "../shared/events.ts";

/** One per tiered sandbox. */
export class ToldOnce {
  /** Path → what was told of it, as long as nothing else was. */
  readonly #told = new Map<string, string>();
  isHandingOver = false;

  /** Whether the event is news. */
  isNews(event: Omit<FileEvent, "id" | "seq" | "at">): boolean {
    const { path, type, kind, size, sha256, unreported } = event;
    const change = JSON.stringify([type, kind, size, sha256]);
    const isKnown = unreported === true && this.#told.get(path) === change;
    this.#told.delete(path);
    if (unreported === true && !isKnown && this.isHandingOver) this.#told.set(path, change);
    return !isKnown;
  }
}
