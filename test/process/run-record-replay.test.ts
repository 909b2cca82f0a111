/** Runs that another process goes on with: what it takes from the record, and what it does again. */
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { streamHarness } from "../../src/index.ts";
import { memorySessionLog } from "../../src/remote-session.ts";
import { findBreak } from "../../src/session-log/check-chain.ts";
import type { HarnessSessionLog } from "../../src/shared/session-log.ts";
import { countedRun } from "../helpers/counted-run.ts";
import { gate } from "../helpers/gate.ts";
import { errorsOf, harnessForTest, outputsOf, runForTest } from "../helpers/harness.ts";
import { hostForTest } from "../helpers/hosts.ts";
import { dataOf, failingLog, keysOf, runForReplay, sandboxWithTools } from "../helpers/runs.ts";
import { type Answer, bash } from "../helpers/scripted-model.ts";

const SAYS: readonly Answer[] = [{ text: "hello" }];

test("a completed run of one step is answered from its record: no call of the model, no turn, the same result", async () => {
  const run = runForReplay(SAYS);
  const first = await run.go();
  const before = await run.events();
  const events: unknown[] = [];
  const second = await run.go({ onEvent: (event) => events.push(event) });
  expect([first.modelCalls, second.modelCalls]).toEqual([1, 0]);
  const { steps, ...rest } = second.result;
  // As JSON, which has no fields that are undefined.
  expect(rest).toEqual(JSON.parse(JSON.stringify({ ...first.result, steps: undefined })));
  expect(steps).toMatchObject([{ text: "hello", finishReason: "stop" }]);
  expect(events).toEqual([]);
  expect(await run.events()).toEqual(before);
});

test("a stream of such a run has its text, and its end", async () => {
  const run = runForReplay(SAYS);
  await run.go();
  const { harness, model } = harnessForTest(SAYS, { host: run.host });
  const stream = streamHarness({ harness, prompt: "go", runId: "run-1", sessionLog: run.log });
  const parts = [];
  for await (const part of stream.fullStream) parts.push(part);
  expect(parts.map(({ type }) => type)).toEqual(["start", "text-start", "text-delta", "text-end", "finish"]);
  let text = "";
  for await (const piece of stream.textStream) text += piece;
  expect(text).toBe("hello");
  expect(await stream.result).toMatchObject({ text: "hello", finishReason: "stop", runId: "run-1" });
  expect(model.doStreamCalls).toHaveLength(0);
});

test("a run of one step that ended before its end was recorded is completed without a call of the model", async () => {
  const run = runForReplay(SAYS);
  // Attempt, step, completed: the third append does not come to pass.
  await expect(run.go({ sessionLog: failingLog(run.log, 3, "before") })).rejects.toMatchObject({
    code: "SESSION_LOG_FAILED",
  });
  const { result, modelCalls } = await run.go();
  expect([result.text, modelCalls]).toEqual(["hello", 0]);
  expect(keysOf(await run.events())).toEqual([
    "attempt/1 started",
    "step/1/completed step.completed",
    "attempt/2 resumed",
    "completed completed",
  ]);
});

test("a run of several steps calls its model again for each, and takes what its tools answered from the record", async () => {
  const { effects, run } = countedRun();
  const first = await run.go();
  const second = await run.go();
  expect([first.modelCalls, second.modelCalls]).toEqual([3, 3]);
  expect(effects).toEqual(["pay 1", "pay 2", "pay 3"]);
  expect(outputsOf(second.result)).toEqual(outputsOf(first.result));
  expect(second.result.messages).toEqual(first.result.messages);
});

test("whichever append fails, kept or not: the turn fails, and the run gone on with has each effect once", async () => {
  for (let at = 1; at <= 11; at++) {
    const when = at % 2 === 0 ? "before" : "after";
    const { effects, run } = countedRun();
    await expect(run.go({ sessionLog: failingLog(run.log, at, when) })).rejects.toMatchObject({
      code: "SESSION_LOG_FAILED",
    });
    const { result } = await run.go();
    // An effect before its record was kept is not repeated; one that had begun on record only may be left out.
    expect(new Set(effects).size, `append ${at}, ${when}`).toBe(effects.length);
    const unknown = errorsOf(result).filter((error) => error.startsWith("outcome unknown"));
    expect(effects.length + unknown.length).toBeGreaterThanOrEqual(3);
    expect(result.text).toBe("paid");
    expect(findBreak("run-1", await run.events())).toBeUndefined();
  }
});

test.each([
  ["tell", ["pay 1", "pay 2", "pay 3"], 1],
  ["repeat", ["pay 1", "pay 2", "pay 3", "pay 3"], 0],
] as const)(
  "a tool that had begun when its process ended: %s",
  async (onUnknownOutcome, expected, unknown) => {
    const { effects, keys, run } = countedRun({ onUnknownOutcome });
    // The eighth append is the end of the third call.
    await expect(run.go({ sessionLog: failingLog(run.log, 8, "before") })).rejects.toThrow();
    const { result } = await run.go();
    expect(effects).toEqual(expected);
    expect(errorsOf(result)).toHaveLength(unknown);
    // The repeated call has the key of the first, and no other call has it.
    expect(new Set(keys).size).toBe(3);
    expect(keys[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(keys[3]).toBe(onUnknownOutcome === "repeat" ? keys[2] : undefined);
    // From here on that is what the record says.
    const again = await run.go();
    expect(effects).toEqual(expected);
    expect(again.result.messages).toEqual(result.messages);
  },
);

test("a tool that says so ends the run when nobody knows what it did", async () => {
  const { effects, run } = countedRun({ onUnknownOutcome: "fail" });
  await expect(run.go({ sessionLog: failingLog(run.log, 8, "before") })).rejects.toThrow();
  await expect(run.go()).rejects.toMatchObject({
    code: "TOOL_OUTCOME_UNKNOWN",
    data: { tool: "pay", where: "step 2, call 1" },
  });
  expect(effects).toEqual(["pay 1", "pay 2", "pay 3"]);
});

test("of two processes that go on with one run at once, one does, and no effect is twice", async () => {
  const effects: number[] = [];
  let arrived = 0;
  const gates = { first: gate(), both: gate() };
  const meet = async (): Promise<void> => {
    arrived++;
    gates.first.open();
    if (arrived === 2) gates.both.open();
    await gates.both.promise;
  };
  const log = memorySessionLog();
  const tools = { pay: { execute: ({ n }: { n: number }) => effects.push(n) } };
  const go = async () => {
    const answers = [
      { calls: [["pay", { n: 1 }]], before: meet },
      { calls: [["pay", { n: 2 }]] },
      { text: "paid" },
    ];
    const { harness } = harnessForTest(answers as Answer[], { bash: false, tools });
    return (await runForTest(harness, { runId: "run-1", sessionLog: log })).result.text;
  };
  // Begun one after the other, so that each has an attempt; both are at the model when the first may go on.
  const first = go();
  await gates.first.promise;
  const results = await Promise.allSettled([first, go()]);
  const failed = results.filter((result) => result.status === "rejected");
  expect(failed).toMatchObject([
    { reason: { code: "SESSION_LOG_CONFLICT", data: { key: "step/1/tool/1/started" } } },
  ]);
  expect(effects).toEqual([1, 2]);
});

test("a script that was cut off runs again, and what its tools had answered is replayed to it", async () => {
  const effects: string[] = [];
  const tools = { pay: { execute: ({ n }: { n: number }) => effects.push(`pay ${n}`) } };
  const calls = [1, 2, 2, 3];
  const host = hostForTest({
    sandbox: sandboxWithTools(async ({ invokeTool }) => {
      const answers = [];
      for (const n of calls) answers.push(await invokeTool?.("pay", JSON.stringify({ n })));
      return { exitCode: 0, stdout: answers.join(" "), stderr: "" };
    }),
  });
  const run = runForReplay([bash("pay"), { text: "paid" }], { host, tools });
  // Attempt, bash, and two records for each call: the sixth append is the beginning of the third call.
  await expect(run.go({ sessionLog: failingLog(run.log, 7, "before") })).rejects.toThrow();
  expect(effects).toEqual(["pay 1", "pay 2"]);
  const { result } = await run.go();
  expect(effects).toEqual(["pay 1", "pay 2", "pay 2", "pay 3"]);
  expect(outputsOf(result)).toMatchObject([
    { stdout: "1 2 3 4", note: expect.stringContaining("had begun this command") },
  ]);
  // The command itself is on record too.
  await run.go();
  expect(effects).toHaveLength(4);
});

test("a result above 64 KiB for a script is an artifact, and is replayed from there as long as it is what it was", async () => {
  const effects: number[] = [];
  const big = "x".repeat(100_000);
  const tools = { get: { execute: () => ({ big, effects: effects.push(1) }) } };
  const got: (string | undefined)[] = [];
  const host = hostForTest({
    sandbox: sandboxWithTools(async ({ invokeTool }) => {
      got.push(await invokeTool?.("get", "{}"));
      return { exitCode: 0, stdout: "", stderr: "" };
    }),
  });
  const run = runForReplay([bash("get"), { text: "done" }], { host, tools });
  // The fifth append is the record of the command, after that of the tool.
  await expect(run.go({ sessionLog: failingLog(run.log, 5, "before") })).rejects.toThrow();
  const [ended] = (await run.events()).filter(({ type }) => type === "harness.run.tool_call.completed");
  const text = JSON.stringify({ big, effects: 1 });
  expect(ended?.data).toMatchObject({
    result: {
      artifact: "/artifacts/get-result.json",
      sizeBytes: text.length,
      sha256: createHash("sha256").update(text).digest("hex"),
    },
  });
  await run.go();
  expect(effects).toEqual([1]);
  expect(got).toEqual([text, text]);
});

test("an aborted run can be gone on with: the command that was cut short runs again, the tools before it do not", async () => {
  const effects: number[] = [];
  const stop = new AbortController();
  const host = hostForTest({
    sandbox: sandboxWithTools(async ({ signal }) => {
      if (!stop.signal.aborted) {
        const aborted = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
        stop.abort();
        await aborted;
      }
      return { exitCode: 0, stdout: "whole", stderr: "" };
    }),
  });
  const tools = { pay: { execute: () => effects.push(1) } };
  const run = runForReplay([{ calls: [["pay", {}]] }, bash("work"), { text: "done" }], { host, tools });
  const first = await run.go({ abortSignal: stop.signal });
  expect(first.result.finishReason).toBe("aborted");
  expect(dataOf(await run.events(), "attempt/1/ended")).toMatchObject({ status: "aborted" });
  const { result } = await run.go();
  expect(outputsOf(result)).toMatchObject([1, { stdout: "whole", note: expect.stringContaining("cut off") }]);
  expect(effects).toHaveLength(1);
});

test("a run goes on in its session, in a new shell with the working directory and variables of the old one", async () => {
  const first = bash("mkdir b; cd b; X=5; f() { cd ..; }", "f", "true");
  const run = runForReplay([first, bash("pwd; echo $X; f"), { text: "done" }], {
    host: hostForTest({ sandbox: "just-bash" }),
  });
  // The second step begins with the next append after that of the first.
  let at = 0;
  const counting: HarnessSessionLog = {
    ...failingLog(run.log, 1_000, "before"),
    append: async (event) => {
      if (event.appendIdempotencyKey === "step/2/tool/1/started") throw new Error(`after ${at} appends`);
      at++;
      return await run.log.append(event);
    },
  };
  await expect(run.go({ sessionLog: counting })).rejects.toMatchObject({ code: "SESSION_LOG_FAILED" });
  const { result } = await run.go();
  const outputs = outputsOf(result) as { stdout: string; stderr: string; note?: string }[];
  expect(outputs[3]?.stdout).toBe("/session\n5\n");
  expect(outputs[3]?.stderr).toContain("f: command not found");
  expect(outputs[3]?.note).toContain("in a new shell, with the working directory and the variables");
});
