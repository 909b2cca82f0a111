/** The steps of a run on record: what the model said in each, as JSON, and the result of a run of one step. */
import { toJsonText } from "../../tools/normalise.ts";
import type { SdkStep } from "../ai-sdk.ts";
import { sha256Of } from "../keep-artifact.ts";
import { diverged } from "./divergence.ts";
import { MAX_ANSWER_BYTES, type Payloads, toPayload } from "./payloads.ts";
import { RECORD, stepKey, toolKey } from "./positions.ts";
import { fieldsOf, type RecordedCalls } from "./recorded-call.ts";
import type { RunLog } from "./run-log.ts";

/** A step as its record has it. */
export interface RecordedStep {
  readonly step: SdkStep;
  /** What it adds to the conversation. */
  readonly messages: readonly object[];
}

/** Of a step of the AI SDK, as far as it is data of the model. */
const FIELDS = [
  "text",
  "reasoningText",
  "content",
  "finishReason",
  "usage",
  "warnings",
  "toolCalls",
  "toolResults",
  "providerMetadata",
] as const;

export class RunSteps {
  readonly #log: RunLog;
  readonly #payloads: Payloads;
  readonly #calls: RecordedCalls;

  constructor(log: RunLog, payloads: Payloads, calls: RecordedCalls) {
    this.#log = log;
    this.#payloads = payloads;
    this.#calls = calls;
  }

  /**
   * @param messages what the step adds to the conversation
   * @param asked how many calls of tools it made
   */
  async complete(number: number, step: SdkStep, messages: readonly object[], asked: number): Promise<void> {
    const unasked = this.#calls.recorded(toolKey(number, asked + 1));
    if (unasked !== undefined) {
      const where = `step ${number}, call ${asked + 1}`;
      throw this.#log.breakBy(diverged(this.#log.runId, where, unasked, undefined));
    }
    const { finishReason, response } = step;
    const said = sha256Of(toJsonText("model", [step.text, finishReason, step.toolCalls.map(withoutId)]));
    const recorded = this.#log.find(`${stepKey(number)}/completed`);
    if (recorded !== undefined && fieldsOf(recorded).said === said) return;
    const told = Object.fromEntries(
      FIELDS.map((field) => [field, (step as unknown as Record<string, unknown>)[field]]),
    );
    const { id, timestamp, modelId } = response as { id?: unknown; timestamp?: unknown; modelId?: unknown };
    const answer = toJsonText("model", { step: { ...told, response: { id, timestamp, modelId } }, messages });
    const data = {
      step: number,
      finishReason,
      toolCalls: step.toolCalls.length,
      said,
      answer: await this.#payloads.keep(`step-${number}.json`, answer, MAX_ANSWER_BYTES),
    };
    if (recorded === undefined)
      await this.#log.append(`${stepKey(number)}/completed`, RECORD.stepCompleted, data);
    else await this.#log.append(`attempt/${this.#log.attempt}/${stepKey(number)}`, RECORD.stepRepeated, data);
  }

  /** The only step of a run that is over with it; `undefined` when there were more, or its record is elsewhere. */
  only(isCompleted: boolean): RecordedStep | undefined {
    const event = this.#log.find(`${stepKey(1)}/completed`);
    if (event === undefined || this.#log.find(`${stepKey(2)}/completed`) !== undefined) return undefined;
    const { finishReason, toolCalls, answer } = fieldsOf(event);
    const isLast = finishReason !== "tool-calls" && toolCalls === 0;
    if (!isLast && !isCompleted) return undefined;
    const payload = toPayload(answer);
    if (payload === undefined || !("text" in payload)) return undefined;
    return JSON.parse(payload.text) as RecordedStep;
  }
}

// Providers give other ids each time.
function withoutId({ toolName, ...rest }: SdkStep["toolCalls"][number]): object {
  return { toolName, input: (rest as { input?: unknown }).input };
}
