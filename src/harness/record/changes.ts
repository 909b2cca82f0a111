/** What commands did, from the events of the turn: under which walls each ran, how it ended, which files it changed. */
import type { CommandCompletedEvent, CommandFailedEvent, FileEvent } from "../../shared/events.ts";
import type { JsonValue } from "../../shared/json.ts";
import type { HarnessTurnEvent } from "../../shared/turn-events.ts";
import { toJsonText } from "../../tools/normalise.ts";
import { RECORD } from "./positions.ts";
import type { RunLog } from "./run-log.ts";

/** Changes of files in one record. */
const MAX_CHANGES = 500;

/** And bytes of them, as JSON: a record stays well below the 1 MiB that a log takes. */
const MAX_CHANGES_BYTES = 512 * 1024;

type CommandEnd = CommandCompletedEvent | CommandFailedEvent;

interface EndedCommand {
  readonly event: CommandEnd;
  readonly files: FileEvent[];
}

export class Changes {
  readonly #log: RunLog;
  #commands: EndedCommand[] = [];
  #files: FileEvent[] = [];
  #count = 0;

  constructor(log: RunLog) {
    this.#log = log;
  }

  /** Keeps what is to be recorded; the other events are not looked at. */
  hear(event: HarnessTurnEvent): void {
    if (event.type === "harness.runtime.command.completed" || event.type === "harness.runtime.command.failed")
      this.#commands.push({ event, files: [] });
    else if (isFileEvent(event)) {
      const command = this.#commands.find(({ event: { occurrenceId } }) => occurrenceId === event.commandId);
      (command?.files ?? this.#files).push(event);
    }
  }

  /**
   * Resolves when everything that was heard so far is on record.
   * @param details of the call of the model that is about to be answered
   */
  async flush(details: Readonly<Record<string, JsonValue>>): Promise<void> {
    const commands = this.#commands;
    const files = this.#files;
    this.#commands = [];
    this.#files = [];
    for (const { event, files: own } of commands) {
      const { occurrenceId } = event;
      const [changes = [], ...more] = inParts(own);
      const data = { ...details, ...toCommandData(event), changes };
      await this.#append("command", RECORD.commandEnded, data, occurrenceId);
      await this.#appendFiles(more, details, occurrenceId);
    }
    await this.#appendFiles(inParts(files), details);
  }

  async #appendFiles(
    parts: readonly object[][],
    details: Readonly<Record<string, JsonValue>>,
    commandId?: string,
  ): Promise<void> {
    for (const changes of parts)
      await this.#append("files", RECORD.filesChanged, { ...details, changes }, commandId);
  }

  // Below the attempt: another one that comes to the same position records its own.
  async #append(what: string, type: string, data: object, occurrenceId?: string): Promise<void> {
    const key = `attempt/${this.#log.attempt}/${what}/${++this.#count}`;
    // Names that are no UTF-8 become some, and what is no number null.
    const plain = JSON.parse(toJsonText(what, data)) as Record<string, JsonValue>;
    await this.#log.append(key, type, plain, occurrenceId);
  }
}

function isFileEvent(event: HarnessTurnEvent): event is HarnessTurnEvent & FileEvent {
  return event.type.startsWith("harness.file.");
}

/** What each record says. */
function inParts(files: readonly FileEvent[]): object[][] {
  const parts: object[][] = [];
  let bytes = 0;
  for (const change of files.map(toChange)) {
    const size = Buffer.byteLength(JSON.stringify(change));
    const part = parts.at(-1);
    if (part === undefined || part.length === MAX_CHANGES || bytes + size > MAX_CHANGES_BYTES) {
      parts.push([change]);
      bytes = size;
    } else {
      part.push(change);
      bytes += size;
    }
  }
  return parts;
}

function toCommandData({
  occurrenceId,
  exitCode,
  ending,
  durationMs,
  isolation,
  ...rest
}: CommandEnd): object {
  const { changesUnknown, tier } = rest;
  return { commandId: occurrenceId, exitCode, ending, durationMs, tier, changesUnknown, isolation };
}

function toChange({ type, path, kind, size, sha256, source, ...rest }: FileEvent): object {
  const { commandId, toolCallId, unreported, recovered } = rest;
  const change = type.slice("harness.file.".length);
  return { change, path, kind, size, sha256, source, commandId, toolCallId, unreported, recovered };
}
