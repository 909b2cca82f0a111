/**
 * The tool calls of a model: each told in the turn's stream as one of a script is, the host's tools answered by the
 * same bridge as in `js-exec`. Every call goes through `call`, also one of `bash`: whoever records or replays a turn
 * has this one place.
 */
import { randomUUID } from "node:crypto";
import type { PreparedTurn } from "../host/host.ts";
import { isSandboxError, type SandboxError } from "../shared/errors.ts";
import { tellThrown } from "../shared/redact.ts";
import type { HarnessTraceOptions } from "../shared/trace-options.ts";
import { TracedFields } from "../shell/trace-text.ts";
import { toolFailed, toolRefused } from "../tools/tool-error.ts";
import type { Answered, RunContext, RunRecord } from "./record/run-record.ts";
import { BASH } from "./tool-names.ts";

/** What calls need to know of their turn. */
export interface ModelToolCallsOptions {
  readonly turn: Pick<PreparedTurn, "emit" | "traceOptions">;
  readonly signal: AbortSignal;
  readonly emitToolEvents: boolean;
  /** The step under way: 1, 2, 3 … */
  readonly currentStep: () => number;
  /** Absent when the run has no session log. */
  readonly record: RunRecord | undefined;
}

/** Answers one call. */
export type AnswerCall = (
  call: RunContext & {
    readonly argsJson: string;
    /** 1, 2, 3 … within the turn, in the order in which the calls came. */
    readonly callNumber: number;
  },
) => Promise<Answered>;

export class ModelToolCalls {
  readonly #options: ModelToolCallsOptions;
  readonly #told = new Set<string>();
  #count = 0;

  constructor(options: ModelToolCallsOptions) {
    this.#options = options;
  }

  /** What the model gets. Rejects with a `SandboxError` whose message may be shown to it. */
  async call(tool: string, input: unknown, toolCallId: string, answer: AnswerCall): Promise<unknown> {
    const argsJson = JSON.stringify(input) ?? "";
    const told = this.#begin(tool, toolCallId, argsJson);
    const callNumber = ++this.#count;
    const run = async (context: RunContext): Promise<Answered> => {
      try {
        return await answer({ ...context, argsJson, callNumber });
      } catch (thrown) {
        throw this.#toError(tool, thrown);
      }
    };
    const { record, signal, currentStep } = this.#options;
    try {
      const { json, output } =
        record === undefined
          ? await run({})
          : await record.answer({ step: currentStep(), tool, argsJson }, signal, run);
      told.completed(json);
      return output;
    } catch (thrown) {
      const error = this.#toError(tool, thrown);
      told.failed(error.message);
      throw error;
    }
  }

  /** A call that the AI SDK refused by itself (no such tool, input that is no JSON) is told all the same. */
  refusedBySdk(tool: string, input: unknown, toolCallId: string, thrown: unknown): void {
    if (this.#told.has(this.#keyOf(toolCallId))) return;
    const argsJson = JSON.stringify(input) ?? "";
    this.#begin(tool, toolCallId, argsJson).failed(tellThrown(thrown));
  }

  #begin(
    tool: string,
    toolCallId: string,
    argsJson: string,
  ): { completed(json: string): void; failed(error: string): void } {
    const { turn, emitToolEvents, currentStep } = this.#options;
    this.#told.add(this.#keyOf(toolCallId));
    if (!emitToolEvents) return { completed: () => undefined, failed: () => undefined };
    const startedMs = performance.now();
    const call = { occurrenceId: randomUUID(), tool, toolCallId, step: currentStep() };
    const traceOptions = traceOptionsFor(tool, turn.traceOptions);
    const traced = new TracedFields(traceOptions);
    const input = traced.json("input", "toolInput", argsJson);
    turn.emit({ type: "harness.tool_call.started", ...call, ...input, ...traced.cut });
    const durationMs = (): number => performance.now() - startedMs;
    return {
      completed: (json) => {
        const fields = new TracedFields(traceOptions);
        const result = fields.json("result", "toolResult", json);
        turn.emit({
          type: "harness.tool_call.completed",
          ...call,
          durationMs: durationMs(),
          ...result,
          ...fields.cut,
        });
      },
      failed: (message) => {
        const fields = new TracedFields(traceOptions);
        const { error = "" } = fields.text("error", "error", message);
        turn.emit({
          type: "harness.tool_call.failed",
          ...call,
          durationMs: durationMs(),
          error,
          ...fields.cut,
        });
      },
    };
  }

  // Providers number the calls of each answer anew.
  #keyOf(toolCallId: string): string {
    return `${this.#options.currentStep()} ${toolCallId}`;
  }

  // A bridge speaks of commands; the model's own call has none.
  #toError(tool: string, thrown: unknown): SandboxError {
    if (this.#options.signal.aborted) return toolRefused(tool, "the turn has ended");
    // Only these are made to be shown.
    if (isSandboxError(thrown) && (thrown.code === "TOOL_FAILED" || thrown.code === "TOOL_REFUSED")) {
      return thrown;
    }
    return toolFailed(tool, tellThrown(thrown));
  }
}

/** What hides the commands and the output of a sandbox hides them in the calls of `bash` too. */
function traceOptionsFor(tool: string, options: HarnessTraceOptions): HarnessTraceOptions {
  if (tool !== BASH) return options;
  const { command, output, toolInput, toolResult } = options;
  return { ...options, toolInput: toolInput && command, toolResult: toolResult && output };
}
