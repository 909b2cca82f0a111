/** Steps of a run on record, when another attempt comes to them. */
import { expect, test } from "vitest";
import type { SdkStep } from "../../../src/harness/ai-sdk.ts";
import { Payloads } from "../../../src/harness/record/payloads.ts";
import { RecordedCalls } from "../../../src/harness/record/recorded-call.ts";
import { RunLog } from "../../../src/harness/record/run-log.ts";
import { RunSteps } from "../../../src/harness/record/run-steps.ts";
import { memorySessionLog } from "../../../src/remote-session.ts";

const LARGE = 800 * 1024;

function step(letter: string): SdkStep {
  const text = letter.repeat(LARGE);
  return { text, finishReason: "stop", usage: {}, content: [], toolCalls: [], response: {} };
}

test("a large answer that is on record is kept once, and another one in its place beside it", async () => {
  const log = memorySessionLog();
  const written: string[] = [];
  const attempt = async (said: SdkStep): Promise<void> => {
    const run = await RunLog.read(log, "run", () => undefined);
    await run.claim("test.begun", {});
    const payloads = new Payloads();
    payloads.attach({
      artifact: async (name: string, content: string | Uint8Array) => {
        written.push(name);
        return { path: `/artifacts/${written.length}`, sizeBytes: content.length };
      },
      sandbox: () => Promise.reject(new Error("must not be asked")),
    });
    await new RunSteps(run, payloads, new RecordedCalls(run, payloads)).complete(1, said, [], 0);
  };
  await attempt(step("a"));
  await attempt(step("a"));
  expect(written).toEqual(["step-1.json"]);
  await attempt(step("b"));
  expect(written).toEqual(["step-1.json", "step-1.json"]);
  const records = (await log.read("run")).filter(({ type }) => type !== "test.begun");
  expect(records.map(({ appendIdempotencyKey }) => appendIdempotencyKey)).toEqual([
    "step/1/completed",
    "attempt/3/step/1",
  ]);
});
