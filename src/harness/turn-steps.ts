/** The steps of a turn: told as they begin and end, and kept for the result. */
import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { PreparedTurn } from "../host/host.ts";
import type { TokenUsage } from "../shared/turn-events.ts";
import { TracedFields } from "../shell/trace-text.ts";
import type { SdkStep } from "./ai-sdk.ts";

export class TurnSteps {
  readonly #turn: Pick<PreparedTurn, "emit" | "traceOptions">;
  readonly #completed: SdkStep[] = [];
  readonly #messages: object[] = [];
  #open: { readonly occurrenceId: string; readonly startedMs: number } | undefined;

  constructor(turn: Pick<PreparedTurn, "emit" | "traceOptions">) {
    this.#turn = turn;
  }

  get completed(): readonly SdkStep[] {
    return this.#completed;
  }

  /** What the completed steps add to the conversation. */
  get messages(): readonly object[] {
    return this.#messages;
  }

  /** Number of the step under way, or of the next one. */
  get current(): number {
    return this.#completed.length + 1;
  }

  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  begin(): undefined {
    this.#open = { occurrenceId: randomUUID(), startedMs: performance.now() };
    const { occurrenceId } = this.#open;
    this.#turn.emit({ type: "harness.model.step.started", occurrenceId, step: this.current });
  }

  /** Gives the messages that the step adds. */
  complete(step: SdkStep): readonly object[] {
    const { finishReason, toolCalls, response } = step;
    const usage = toTokenUsage(step.usage);
    this.#turn.emit({
      type: "harness.model.step.completed",
      ...this.#end(),
      finishReason,
      toolCalls: toolCalls.length,
      ...(Object.keys(usage).length === 0 ? {} : { usage }),
      ...(response.modelId === undefined ? {} : { modelId: response.modelId }),
    });
    const added = addedMessages(this.#messages, response.messages ?? []);
    this.#completed.push(step);
    this.#messages.push(...added);
    return added;
  }

  /** The step under way, if there is one, will not be completed. */
  fail(message: string): void {
    if (this.#open === undefined) return;
    const traced = new TracedFields(this.#turn.traceOptions);
    const { error = "" } = traced.text("error", "error", message);
    this.#turn.emit({ type: "harness.model.step.failed", ...this.#end(), error });
  }

  #end(): { occurrenceId: string; step: number; durationMs: number } {
    const { occurrenceId, startedMs } = this.#open ?? {
      occurrenceId: randomUUID(),
      startedMs: performance.now(),
    };
    this.#open = undefined;
    return { occurrenceId, step: this.current, durationMs: performance.now() - startedMs };
  }
}

/** Versions 5 and 6 of the AI SDK repeat the messages of the steps before, 7 does not. */
function addedMessages(before: readonly object[], given: readonly object[]): readonly object[] {
  const repeats = given.length > before.length && isDeepStrictEqual(given.slice(0, before.length), before);
  return repeats ? given.slice(before.length) : given;
}

/** The sum over steps; a field that no step has is absent. */
export function sumUsage(steps: readonly SdkStep[]): TokenUsage {
  const sum: Record<string, number> = {};
  for (const { usage } of steps) {
    for (const [name, tokens] of Object.entries(toTokenUsage(usage))) sum[name] = (sum[name] ?? 0) + tokens;
  }
  return sum;
}

interface SdkUsage {
  readonly inputTokens?: unknown;
  readonly outputTokens?: unknown;
  readonly totalTokens?: unknown;
  readonly reasoningTokens?: unknown;
  readonly cachedInputTokens?: unknown;
  readonly inputTokenDetails?: { readonly cacheReadTokens?: unknown };
  readonly outputTokenDetails?: { readonly reasoningTokens?: unknown };
}

function toTokenUsage(usage: SdkUsage): TokenUsage {
  const given = {
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
    totalTokens: usage.totalTokens,
    reasoningTokens: usage.outputTokenDetails?.reasoningTokens ?? usage.reasoningTokens,
    cachedInputTokens: usage.inputTokenDetails?.cacheReadTokens ?? usage.cachedInputTokens,
  };
  return Object.fromEntries(Object.entries(given).filter(([, tokens]) => typeof tokens === "number"));
}
