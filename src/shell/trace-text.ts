/** What of a text goes into an event: nothing, all, or its head, after redaction. */
import type { HarnessTraceOptions, TraceField } from "../shared/trace-options.ts";

/** A redactor that failed must not let through what it was asked to hide. */
const NOT_TRACED = "[not traced]";

const SWITCH_OF: Readonly<Record<Exclude<TraceField, "error">, keyof HarnessTraceOptions>> = {
  command: "command",
  stdout: "output",
  stderr: "output",
  toolInput: "toolInput",
  toolResult: "toolResult",
};

/** Collects the traced fields of one event, and which of them were cut. */
export class TracedFields {
  readonly #options: HarnessTraceOptions;
  readonly #cut: string[] = [];

  constructor(options: HarnessTraceOptions) {
    this.#options = options;
  }

  /** `{cut}` if a field was cut, else nothing; to be spread into the event last. */
  get cut(): { cut?: readonly string[] } {
    return this.#cut.length === 0 ? {} : { cut: this.#cut };
  }

  /** The text under the event's field name, or nothing. Errors are always told. */
  text<Name extends string>(name: Name, field: TraceField, text: string): { [key in Name]?: string } {
    if (field !== "error" && this.#options[SWITCH_OF[field]] !== true) return {};
    return { [name]: this.#bounded(name, this.#redacted(text, field)) } as { [key in Name]?: string };
  }

  /** JSON text as the value it stands for; as a string if it was cut or redaction left no JSON. `""`: nothing. */
  json<Name extends string>(name: Name, field: TraceField, json: string): { [key in Name]?: unknown } {
    if (json === "") return {};
    const told: { [key in Name]?: string } = this.text(name, field, json);
    const text = told[name];
    if (text === undefined) return {};
    return { [name]: this.#cut.includes(name) ? text : parsed(text) } as { [key in Name]?: unknown };
  }

  #redacted(text: string, field: TraceField): string {
    const { redact } = this.#options;
    if (redact === undefined) return text;
    try {
      return String(redact(text, field));
    } catch {
      // The event still goes out, without the text that could not be checked.
      return NOT_TRACED;
    }
  }

  // Redaction comes before the cut: half a secret at the border would not be recognised.
  #bounded(name: string, text: string): string {
    const { maxFieldBytes } = this.#options;
    if (text.length * 3 <= maxFieldBytes || Buffer.byteLength(text) <= maxFieldBytes) return text;
    this.#cut.push(name);
    const bytes = Buffer.from(text.slice(0, maxFieldBytes));
    let end = Math.min(maxFieldBytes, bytes.length);
    while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
    return bytes.toString("utf8", 0, end);
  }
}

/** A host writes its events with recursive code; input nested by the ten thousand must not break it. */
const MAX_DEPTH = 100;

function parsed(text: string): unknown {
  if (depthOf(text) > MAX_DEPTH) return text;
  try {
    return JSON.parse(text);
  } catch {
    // Redaction may leave anything; the text itself is then the most that can be told.
    return text;
  }
}

function depthOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  let isInString = false;
  for (let index = 0; index < json.length; index++) {
    const character = json[index];
    if (isInString) {
      if (character === "\\") index++;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (character === "[" || character === "{") deepest = Math.max(deepest, ++depth);
    else if (character === "]" || character === "}") depth--;
  }
  return deepest;
}
