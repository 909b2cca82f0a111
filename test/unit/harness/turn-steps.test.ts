import { expect, test } from "vitest";
import type { SdkStep } from "../../../src/harness/ai-sdk.ts";
import { sumUsage, TurnSteps } from "../../../src/harness/turn-steps.ts";
import { resolveTraceOptions } from "../../../src/shell/trace-options.ts";

const call = (id: string) => ({ role: "assistant", content: [{ type: "tool-call", toolCallId: id }] });
const answer = (id: string) => ({ role: "tool", content: [{ type: "tool-result", toolCallId: id }] });
const text = { role: "assistant", content: [{ type: "text", text: "done" }] };

function step(messages: object[], usage: object = {}): SdkStep {
  return { text: "", finishReason: "stop", usage, content: [], toolCalls: [], response: { messages } };
}

/** Each step gives what it adds; together that is what the turn has. */
function messagesOf(steps: readonly SdkStep[]): readonly object[] {
  const turn = new TurnSteps({ emit: () => undefined, traceOptions: resolveTraceOptions("none", "none") });
  const added = steps.flatMap((one) => turn.complete(one));
  expect(turn.messages).toEqual(added);
  return added;
}

const all = [call("1"), answer("1"), call("2"), answer("2"), text];

test("the messages of a turn are each there once, whether or not steps repeat those before", () => {
  expect(messagesOf([step(all.slice(0, 2)), step(all.slice(0, 4)), step(all)])).toEqual(all);
  expect(messagesOf([step(all.slice(0, 2)), step(all.slice(2, 4)), step(all.slice(4))])).toEqual(all);
});

test("steps that say the same twice are two steps", () => {
  const same = [call("1"), answer("1")];
  expect(messagesOf([step(same), step(same)])).toEqual([...same, ...same]);
});

test("usage is summed over steps, and what no provider said is absent", () => {
  const usage = sumUsage([
    step([], { inputTokens: 10, outputTokens: undefined, totalTokens: 10, cachedInputTokens: 3 }),
    step([], {
      inputTokens: 5,
      totalTokens: 5,
      inputTokenDetails: { cacheReadTokens: 4 },
      cachedInputTokens: 9,
    }),
  ]);
  expect(usage).toEqual({ inputTokens: 15, totalTokens: 15, cachedInputTokens: 7 });
});
