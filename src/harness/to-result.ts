/** What a turn came to, from its steps: run now, or read from a record. */
import type { SdkStep } from "./ai-sdk.ts";
import type { HarnessResult } from "./harness-result.ts";
import { sumUsage } from "./turn-steps.ts";

/** The steps that were completed, and what they add to the conversation. */
export interface CompletedSteps {
  readonly completed: readonly SdkStep[];
  readonly messages: readonly object[];
}

/** @param rest what the steps do not say */
export function toResult(
  { completed, messages }: CompletedSteps,
  rest: Omit<HarnessResult, "text" | "steps" | "messages" | "usage">,
): HarnessResult {
  return {
    text: completed.at(-1)?.text ?? "",
    steps: completed as unknown as HarnessResult["steps"],
    messages: messages as unknown as HarnessResult["messages"],
    usage: sumUsage(completed),
    ...rest,
  };
}
