/** Runs on record in a session log: what is recorded, and when. */
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import type { HarnessHost } from "../../src/index.ts";
import { memorySessionLog } from "../../src/remote-session.ts";
import { findBreak } from "../../src/session-log/check-chain.ts";
import { countedRun } from "../helpers/counted-run.ts";
import { harnessForTest, outputsOf, runForTest } from "../helpers/harness.ts";
import { hostForTest } from "../helpers/hosts.ts";
import { dataOf, keysOf, runForReplay, sandboxWithTools } from "../helpers/runs.ts";
import { type Answer, bash } from "../helpers/scripted-model.ts";

const SAYS: readonly Answer[] = [{ text: "hello" }];

test("what a run does stands in the log in the order in which it happens, as one chain", async () => {
  const { run } = countedRun();
  await run.go();
  const events = await run.events();
  expect(keysOf(events)).toEqual([
    "attempt/1 started",
    "step/1/tool/1/started tool_call.started",
    "step/1/tool/2/started tool_call.started",
    "step/1/tool/1/ended tool_call.completed",
    "step/1/tool/2/ended tool_call.completed",
    "step/1/completed step.completed",
    "step/2/tool/1/started tool_call.started",
    "step/2/tool/1/ended tool_call.completed",
    "step/2/completed step.completed",
    "step/3/completed step.completed",
    "completed completed",
  ]);
  expect(findBreak("run-1", events)).toBeUndefined();
  expect(dataOf(events, "step/2/tool/1/ended")).toMatchObject({ result: { text: '{"paid":3}' } });
  expect(dataOf(events, "completed")).toMatchObject({ finishReason: "stop", steps: 3 });
});

test("values become JSON once: what a tool answers is the same to the model in the first run and later", async () => {
  const value = {
    z: 1,
    a: new Date(0),
    map: new Map([["b", 2n]]),
    bytes: new Uint8Array([1]),
    "10": -0,
    u: "\ud800",
  };
  const run = runForReplay([{ calls: [["get", {}]] }, { text: "done" }], {
    bash: false,
    tools: { get: { execute: () => value } },
  });
  const [first, second] = [await run.go(), await run.go()].map(({ result }) =>
    JSON.stringify(outputsOf(result)),
  );
  expect(first).toBe(
    '[{"10":0,"z":1,"a":"1970-01-01T00:00:00.000Z","map":{"b":"2"},"bytes":"AQ==","u":"\ufffd"}]',
  );
  expect(second).toBe(first);
});

test("a result that cannot be kept ends the run: nothing goes on that is not on record", async () => {
  const real = hostForTest({
    sandbox: sandboxWithTools(async ({ invokeTool }) => {
      const stdout = (await invokeTool?.("get", "{}").catch(String)) ?? "";
      return { exitCode: 0, stdout, stderr: "" };
    }),
  });
  const full = Promise.reject(new Error("no room"));
  full.catch(() => undefined);
  const host: HarnessHost = {
    async prepareTurn(options) {
      const turn = await real.prepareTurn(options);
      const artifact = () => full;
      return new Proxy(turn, {
        get: (_, name) => {
          const value: unknown = name === "artifact" ? artifact : Reflect.get(turn, name, turn);
          return typeof value === "function" ? value.bind(turn) : value;
        },
      });
    },
  };
  const tools = { get: { execute: () => "x".repeat(100_000) } };
  const run = runForReplay([bash("get"), { text: "done" }], { host, tools });
  await expect(run.go()).rejects.toThrow("What get answered could not be recorded: no room");
});

test("under which walls a command ran and what it changed is on record before its answer reaches the model", async () => {
  const run = runForReplay([], { host: hostForTest({ sandbox: "just-bash" }) });
  let atSecondStep: string[] = [];
  const look: Answer = { text: "done", before: async () => (atSecondStep = keysOf(await run.events())) };
  await run.go({}, { answers: [bash("echo 42 > a"), look] });
  expect(atSecondStep.slice(1, 4)).toEqual([
    "step/1/tool/1/started tool_call.started",
    "attempt/1/command/1 command.ended",
    "step/1/tool/1/ended tool_call.completed",
  ]);
  const digest = createHash("sha256").update("42\n").digest("hex");
  expect(dataOf(await run.events(), "attempt/1/command/1")).toMatchObject({
    exitCode: 0,
    ending: { kind: "exited" },
    isolation: { rung: expect.any(String), walls: expect.any(Array), mounts: expect.any(Array) },
    changes: [{ change: "created", path: "/session/a", size: 3, sha256: digest }],
  });
});

test("a run without a name gets one, and says it", async () => {
  const { harness } = harnessForTest(SAYS, { sessionLog: memorySessionLog() });
  const { result, events } = await runForTest(harness);
  expect(result.runId).toMatch(/^run_[0-9a-f-]{36}$/);
  expect(events[0]).toMatchObject({ type: "harness.turn.started", runId: result.runId });
});
