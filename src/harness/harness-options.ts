/** What a harness and a call of it take. Types only; shapes of the AI SDK are our own, so that no `ai` is needed. */
import type { HarnessHost, PersistentDirectory } from "../host/host.ts";
import type { LocalHarnessSession } from "../host/session.ts";
import type { HarnessRuntimeOptions } from "../shared/sandbox.ts";
import type { HarnessSessionLog } from "../shared/session-log.ts";
import type { HarnessTools, UnknownOutcome } from "../shared/tools.ts";
import type { HarnessTraceLevel } from "../shared/trace-options.ts";
import type { HarnessTurnEvent } from "../shared/turn-events.ts";

/** A model of the AI SDK: what a provider's function gives, or the id of one for the AI SDK's own registry. */
export type HarnessModel =
  | string
  | {
      readonly specificationVersion: string;
      readonly provider: string;
      readonly modelId: string;
      doGenerate(options: never): PromiseLike<unknown>;
      doStream(options: never): PromiseLike<unknown>;
    };

/** A message as the AI SDK's `ModelMessage`. */
export interface HarnessMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: unknown;
  readonly providerOptions?: unknown;
}

/** Settings of the calls of the model, handed to the AI SDK as they are; it says what each means. */
export interface HarnessModelSettings {
  readonly maxOutputTokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly topK?: number | undefined;
  readonly presencePenalty?: number | undefined;
  readonly frequencyPenalty?: number | undefined;
  readonly stopSequences?: string[] | undefined;
  readonly seed?: number | undefined;
  /** How often a failed call of the model is tried again, with growing pauses. @default 2, as in the AI SDK */
  readonly maxRetries?: number | undefined;
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  readonly providerOptions?: Readonly<Record<string, unknown>> | undefined;
  readonly toolChoice?:
    | "auto"
    | "none"
    | "required"
    | { readonly type: "tool"; readonly toolName: string }
    | undefined;
}

/** What a harness says once, and a call may say otherwise. */
export interface HarnessTurnSettings extends HarnessModelSettings {
  /** Languages of scripts; the call's go before the harness's, one by one. @default both on */
  readonly runtime?: HarnessRuntimeOptions | undefined;
  /**
   * Tools that both the model and, inside `js-exec`, its scripts may call. The call's replace the harness's.
   * @default none
   */
  readonly tools?: HarnessTools | undefined;
  /** Handed to every tool as `experimental_context`. @default null */
  readonly toolContext?: unknown;
  /** The system prompt. The loop adds nothing to it. @default none */
  readonly system?: string | undefined;
  /** Calls of the model at most. @default 20 */
  readonly maxSteps?: number | undefined;
  /** What events may hold: over the host's level the harness's, over that the call's. */
  readonly traceOptions?: HarnessTraceLevel | undefined;
  /** Whether `harness.tool_call.*` is emitted. @default true */
  readonly emitToolEvents?: boolean | undefined;
  /** Directories below `/persistent`: made where they are not there, read-only where they say so. @default [] */
  readonly persistentDirs?: readonly PersistentDirectory[] | undefined;
  /**
   * Where the run is recorded, so that another process can go on with it by its `runId`. Never closed by the loop.
   * @default none: the run ends with its process
   */
  readonly sessionLog?: HarnessSessionLog | undefined;
}

/** The `bash` tool of the model. */
export interface HarnessBashOptions {
  /** Milliseconds until a command is killed when the model does not say. @default the sandbox's, 120000 */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds that the model may ask for at most; more is cut to it. @default 600000, or `timeoutMs` if larger */
  readonly maxTimeoutMs?: number | undefined;
  /** Bytes kept of each of stdout and stderr, half from the head, half from the tail. @default 16777216 */
  readonly maxOutputBytes?: number | undefined;
  /**
   * For a command that had begun when the process of its run ended: `"repeat"` runs it again and tells the model so,
   * `"tell"` answers with an error that says so, `"fail"` ends the run with `TOOL_OUTCOME_UNKNOWN`.
   * @default "repeat"
   */
  readonly onUnknownOutcome?: UnknownOutcome | undefined;
}

/** Options of `createHarness`. */
export interface HarnessOptions extends HarnessTurnSettings {
  /** Where sessions, sandboxes and events are: `localHost()`, or a host of your own. */
  readonly host: HarnessHost;
  readonly model: HarnessModel;
  /** The `bash` tool of the model; `false`: none. @default on */
  readonly bash?: HarnessBashOptions | false | undefined;
  /**
   * UTF-8 bytes of one tool's output that the model gets; of more it gets head and tail, and the whole becomes a file
   * below `/artifacts`. @default 16384
   */
  readonly maxInlineBytes?: number | undefined;
}

/** A model with a host, ready for turns. Holds nothing open. */
export interface Harness {
  readonly options: Readonly<HarnessOptions>;
}

/** Options of `generateHarness` and `streamHarness`: one turn. Either `prompt` or `messages`. */
export interface HarnessTurnOptions extends HarnessTurnSettings {
  readonly harness: Harness;
  /** What the user says. */
  readonly prompt?: string | undefined;
  /** The conversation so far, `ModelMessage`s of the AI SDK. */
  readonly messages?: readonly HarnessMessage[] | undefined;
  /** The session or its id: its files, and its turns one at a time. @default a new one */
  readonly session?: string | LocalHarnessSession | undefined;
  /**
   * Name of the run that the turn is part of; stands on `harness.turn.started`. With a session log one run is one
   * turn, and a call with a `runId` that the log has goes on with it. @default with a session log one that is made
   */
  readonly runId?: string | undefined;
  /** Ends the turn: the call of the model, the running command and the tools. The result then says `"aborted"`. */
  readonly abortSignal?: AbortSignal | undefined;
  /** Every event of the turn, in order. What it throws or rejects with changes nothing. */
  readonly onEvent?: ((event: HarnessTurnEvent) => unknown) | undefined;
}
