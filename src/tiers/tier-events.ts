/** The events of one tier on their way into the one stream of a tiered sandbox. */
import { randomUUID } from "node:crypto";
import type { CommandEndFields, HarnessEvent } from "../shared/events.ts";
import type { EventStream } from "../shell/event-stream.ts";
import { currentToolScope } from "../shell/tool-scope.ts";
import type { ToldOnce } from "./told-once.ts";
import { fieldsWithLine, isTripped } from "./trip-line.ts";

/** What the tiers of one sandbox share. */
export interface SharedEvents {
  readonly stream: EventStream;
  readonly toldOnce: ToldOnce;
  /** What the result of a script that reached a trip wire says besides, or nothing. */
  readonly lineAtTrip: string;
}

/** One per tier. Commands get the tier's number; those that nobody asked for are not told. */
export class TierEvents {
  readonly #level: 0 | 1;
  readonly #stream: EventStream;
  readonly #toldOnce: ToldOnce;
  readonly #lineAtTrip: string;
  /** Commands under way. */
  readonly #open = new Set<string>();
  readonly #hidden = new Set<string>();
  #hidesNext = false;

  constructor(level: 0 | 1, { stream, toldOnce, lineAtTrip }: SharedEvents) {
    this.#level = level;
    this.#stream = stream;
    this.#toldOnce = toldOnce;
    this.#lineAtTrip = lineAtTrip;
  }

  /** The next command that starts, but for those of tools, is one of ours. */
  hideNext(): void {
    this.#hidesNext = true;
  }

  tellDisposeFailed(error: string): void {
    this.#stream.emit({ type: "harness.runtime.dispose.failed", occurrenceId: randomUUID(), error });
  }

  /** Whether the code that is running belongs to a tool that a command of this tier waits for. */
  get isWaited(): boolean {
    for (let scope = currentToolScope(); scope !== undefined; scope = scope.outer) {
      if (scope.command.isOpen && this.#open.has(scope.command.id)) return true;
    }
    return false;
  }

  #lineOf(event: CommandEndFields): Partial<CommandEndFields> {
    const isTold = this.#lineAtTrip !== "" && this.#level === 0 && isTripped(event.ending);
    return isTold ? fieldsWithLine(event, this.#lineAtTrip) : {};
  }

  readonly emit = (event: HarnessEvent): void => {
    switch (event.type) {
      case "harness.runtime.command.started":
        if (this.#hidesNext && !event.nested) {
          this.#hidesNext = false;
          this.#hidden.add(event.occurrenceId);
          return;
        }
        this.#open.add(event.occurrenceId);
        this.#stream.emit({ ...event, tier: this.#level });
        return;
      case "harness.runtime.command.completed":
      case "harness.runtime.command.failed":
        if (this.#hidden.has(event.occurrenceId)) return;
        this.#open.delete(event.occurrenceId);
        this.#stream.emit({ ...event, ...this.#lineOf(event), tier: this.#level });
        return;
      case "harness.file.created":
      case "harness.file.modified":
      case "harness.file.deleted": {
        const { commandId, toolCallId: _, ...rest } = event;
        const isHidden = commandId !== undefined && this.#hidden.has(commandId);
        // Ours change nothing: somebody else did, while the mounts were walked for them.
        const told = isHidden
          ? ({ ...rest, occurrenceId: randomUUID(), source: "unknown", unreported: true } as const)
          : event;
        if (this.#toldOnce.isNews(told)) this.#stream.emit(told);
        return;
      }
      default:
        this.#stream.emit(event);
    }
  };
}
