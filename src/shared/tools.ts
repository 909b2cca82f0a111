/** Tools as the AI SDK shapes them, and the bridge by which a script calls them. Types only. */

/** What a tool's `execute` is told besides its input. */
export interface ToolCallOptions {
  /** Unique per call. */
  readonly toolCallId: string;
  /** Aborts when the command that made the call ends, however it ends. */
  readonly abortSignal: AbortSignal;
  /** The `toolContext` of the sandbox. */
  readonly experimental_context: unknown;
  readonly messages: readonly never[];
  /**
   * Names the call for whoever the tool works with: the same whenever the run is gone on with, another for every other
   * call. 64 characters, hexadecimal. Absent when the run has no session log.
   */
  readonly idempotencyKey?: string;
}

/** What becomes of a call whose tool had begun when its process ended, so that nobody knows what it did. */
export type UnknownOutcome = "tell" | "repeat" | "fail";

/** A tool of the host. It runs in the parent, with the parent's credentials. */
export interface HarnessTool {
  readonly description?: string;
  /** Standard Schema (zod, valibot, …), the AI SDK's `jsonSchema()`, or a plain JSON Schema; absent: any input. */
  readonly inputSchema?: unknown;
  // biome-ignore lint/suspicious/noExplicitAny: the input's type is the schema's business, as in the AI SDK
  execute?(input: any, options: any): unknown;
  /**
   * Whether it may change files below the mounts by itself. If so, the tracked mounts are walked after a command
   * that called it, and what it changed is told as its doing; say `false` to save that walk.
   * @default true
   */
  readonly writesFiles?: boolean;
  /**
   * For a call of a run with a session log that had begun when its process ended: `"tell"` answers it with an error
   * that says so, `"repeat"` runs the tool again, `"fail"` ends the run with `TOOL_OUTCOME_UNKNOWN`.
   * @default "tell"
   */
  readonly onUnknownOutcome?: UnknownOutcome;
}

/** Tools by name; dots nest: `{"orders.find": …}` is `tools.orders.find(…)` in `js-exec`. */
export type HarnessTools = Readonly<Record<string, HarnessTool>>;

/** How one command calls tools. */
export interface ToolCall {
  readonly path: string;
  /** JSON text of the input, or `""` for none. */
  readonly argsJson: string;
  readonly toolCallId: string;
  readonly signal: AbortSignal;
  /** Which command of the sandbox, and which call of that command; both start at 1. Recordings know calls by them. */
  readonly commandNumber?: number;
  readonly callNumber?: number;
  /** Handed to the tool; see `ToolCallOptions`. */
  readonly idempotencyKey?: string;
}

/** What a bridge makes of a call: JSON for the guest, and the plain values for the trace. */
export interface ToolOutcome {
  /** JSON text of the result, or `""` for `undefined`. */
  readonly json: string;
  readonly input: unknown;
}

/** Known tools, input validated, results normalised to JSON once. Emits nothing: the shell runtime does. */
export interface ToolBridge {
  readonly names: readonly string[];
  /** Names of the tools that change no file below the mounts. @default none */
  readonly quietNames?: readonly string[];
  /** Rejects with an error whose message may be shown to the guest: no path and no stack of the host. */
  call(call: ToolCall): Promise<ToolOutcome>;
}
