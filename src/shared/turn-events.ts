/**
 * The events of a turn. Types only; each event is plain JSON data. One turn has one stream: what its sandbox tells,
 * what the loop tells of its steps, and how the turn began and ended, numbered 1, 2, 3 … in that order. The first is
 * `harness.turn.started`, the last `harness.turn.completed` or `harness.turn.failed`.
 */
import type {
  HarnessEvent,
  HarnessEventBase,
  ToolCallCompletedEvent,
  ToolCallFailedEvent,
  ToolCallStartedEvent,
} from "./events.ts";

/** Tokens, as the provider of the model counts them; a field is absent when it does not say. */
export interface TokenUsage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly totalTokens?: number;
  readonly reasoningTokens?: number;
  readonly cachedInputTokens?: number;
}

/** A turn has its session for itself. Always the first event. */
export interface TurnStartedEvent extends HarnessEventBase {
  readonly type: "harness.turn.started";
  readonly sessionId: string;
  readonly runId?: string;
  /** Which sandbox the turn gets if it uses one; `"custom"`: the one of a factory. */
  readonly sandboxMode: "subprocess" | "just-bash" | "custom";
  readonly runtime: { readonly python: boolean; readonly javascript: boolean };
}

/** What both ends of a turn tell. Always the last event, after everything that was held is released. */
export interface TurnEndFields extends HarnessEventBase {
  /** Milliseconds since `harness.turn.started`. */
  readonly durationMs: number;
  /** Calls of the model, if the loop counted them. */
  readonly steps?: number;
  readonly usage?: TokenUsage;
}

/** The turn came to its end. */
export interface TurnCompletedEvent extends TurnEndFields {
  readonly type: "harness.turn.completed";
  /** Why the last step of the model ended, as the AI SDK names it. */
  readonly finishReason?: string;
}

/** The turn failed, or was ended before it could complete. */
export interface TurnFailedEvent extends TurnEndFields {
  readonly type: "harness.turn.failed";
  /** `"aborted"`: the caller or a deadline ended it, or it was disposed of without an outcome. */
  readonly status: "failed" | "aborted";
  readonly error?: string;
}

/** The events of the turn could not be written to its file, which ends with the event before this one. */
export interface TurnLogFailedEvent extends HarnessEventBase {
  readonly type: "harness.turn.log.failed";
  readonly error: string;
}

/** The model is about to be called. */
export interface StepStartedEvent extends HarnessEventBase {
  readonly type: "harness.model.step.started";
  /** 1, 2, 3 … within the turn. */
  readonly step: number;
}

/** The model has answered, and its tool calls, which were told before, have ended. */
export interface StepCompletedEvent extends HarnessEventBase {
  readonly type: "harness.model.step.completed";
  readonly step: number;
  readonly durationMs: number;
  /** As the AI SDK names it. */
  readonly finishReason: string;
  /** Tool calls that the answer holds. */
  readonly toolCalls: number;
  readonly usage?: TokenUsage;
  /** Model that answered, as the provider names it. */
  readonly modelId?: string;
}

/** The model gave no answer, or the turn ended before its tool calls did. */
export interface StepFailedEvent extends HarnessEventBase {
  readonly type: "harness.model.step.failed";
  readonly step: number;
  readonly durationMs: number;
  readonly error: string;
}

/** A tool call of the model itself: as those of scripts, with the step that asked for it in place of the command. */
type OfModel<Event> = Omit<Event, "commandId"> & { readonly commandId?: never; readonly step: number };

/** `harness.tool_call.*` of a call that the model made. */
export type ModelToolCallEvent =
  | OfModel<ToolCallStartedEvent>
  | OfModel<ToolCallCompletedEvent>
  | OfModel<ToolCallFailedEvent>;

/** What the loop over a model tells. */
export type LoopEvent = StepStartedEvent | StepCompletedEvent | StepFailedEvent | ModelToolCallEvent;

/** Every event of a turn. */
export type HarnessTurnEvent = (
  | HarnessEvent
  | LoopEvent
  | TurnStartedEvent
  | TurnCompletedEvent
  | TurnFailedEvent
  | TurnLogFailedEvent
) & {
  readonly turnId: string;
};

type WithoutStamp<Event> = Event extends unknown ? Omit<Event, "id" | "seq" | "at"> : never;

/** An event of the loop before it has its id, number and time. How a turn began and ended is told by the host. */
export type UnstampedTurnEvent = WithoutStamp<LoopEvent>;
