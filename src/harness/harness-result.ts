/** What a turn gives. Types only. */
import type { HarnessTurnEvent, TokenUsage } from "../shared/turn-events.ts";
import type { HarnessMessage } from "./harness-options.ts";

/**
 * Why a turn ended: as the AI SDK says of its last step; `"step-limit"` when the model would have gone on, but
 * `maxSteps` were done; `"aborted"` when the signal ended it, or the reader of its stream left.
 */
export type HarnessFinishReason =
  | "stop"
  | "length"
  | "content-filter"
  | "tool-calls"
  | "error"
  | "other"
  | "unknown"
  | "step-limit"
  | "aborted";

/**
 * One call of the model and what came of its tool calls: the AI SDK's `StepResult`, unchanged; of a run that is
 * answered from its session log, the same as JSON data.
 */
export interface HarnessStep {
  readonly text: string;
  readonly finishReason: string;
  readonly content: readonly { readonly type: string }[];
  readonly toolCalls: readonly {
    readonly toolCallId: string;
    readonly toolName: string;
    readonly input?: unknown;
  }[];
  readonly toolResults: readonly {
    readonly toolCallId: string;
    readonly toolName: string;
    readonly output?: unknown;
  }[];
}

/** What a turn came to. */
export interface HarnessResult {
  /** The text of the last step that was completed; `""` if there was none. */
  readonly text: string;
  readonly finishReason: HarnessFinishReason;
  /** Only completed ones: what was under way when the turn was aborted is not among them. */
  readonly steps: readonly HarnessStep[];
  /** What `steps` add to the conversation: append them to your messages for the next turn. */
  readonly messages: readonly HarnessMessage[];
  /** Sum over the steps. */
  readonly usage: TokenUsage;
  readonly sessionId: string;
  readonly turnId: string;
  readonly runId?: string;
}

/** A part of the stream: a `TextStreamPart` of the AI SDK, unchanged. */
export interface HarnessStreamPart {
  readonly type: string;
  readonly [field: string]: unknown;
}

/**
 * A turn under way. It runs whether or not anybody reads. Each of the three streams can be read once, and ends with
 * the error that `result` rejects with, if there is one. Who leaves `fullStream` or `textStream` early, while nobody
 * reads the other, ends the turn.
 */
export interface HarnessStream<Part = HarnessStreamPart> {
  readonly fullStream: AsyncIterable<Part>;
  /** The text as it comes, of all steps. */
  readonly textStream: AsyncIterable<string>;
  readonly events: AsyncIterable<HarnessTurnEvent>;
  /** Settles once the turn has released everything it held. */
  readonly result: Promise<HarnessResult>;
}
