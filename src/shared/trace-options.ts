/** What a trace may hold. Types only; `resolveTraceOptions` in `shell` makes the whole from two levels. */

/** The field of an event that a text comes from. */
export type TraceField = "command" | "stdout" | "stderr" | "toolInput" | "toolResult" | "error";

/** Trace options with every field decided. */
export interface HarnessTraceOptions {
  /** Whether events hold the text of commands. @default true */
  readonly command: boolean;
  /** Whether events hold what commands wrote. @default false */
  readonly output: boolean;
  /** Whether events hold the input of tool calls. @default true */
  readonly toolInput: boolean;
  /** Whether events hold the result of tool calls. @default false */
  readonly toolResult: boolean;
  /** UTF-8 bytes per text in an event; longer ones are cut on a character border. @default 16384 */
  readonly maxFieldBytes: number;
  /** Rewrites a text before it is cut and put into an event. One that throws leaves `"[not traced]"`. */
  readonly redact?: (text: string, field: TraceField) => string;
}

/** One level of trace options: a preset or single fields. `"metadata"` is the default, `"none"` and `"full"` switch all four. */
export type HarnessTraceLevel = "none" | "metadata" | "full" | Partial<HarnessTraceOptions>;
