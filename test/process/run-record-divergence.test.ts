/** Runs that take another course than on record, by their model, their options or a script: they end. */
import { expect, test } from "vitest";
import { countedRun } from "../helpers/counted-run.ts";
import { hostForTest } from "../helpers/hosts.ts";
import { failingLog, runForReplay, sandboxWithTools } from "../helpers/runs.ts";
import { type Answer, bash } from "../helpers/scripted-model.ts";

const SAYS: readonly Answer[] = [{ text: "hello" }];

test.each([
  ["another input", [{ calls: [["pay", { n: 9 }]] }, { text: "paid" }], 'pay with {"n":9}'],
  ["no call", [{ text: "paid" }], "now no such call"],
  [
    "a call more",
    [
      {
        calls: [
          ["pay", { n: 1 }],
          ["pay", { n: 2 }],
          ["pay", { n: 3 }],
        ],
      },
      { text: "paid" },
    ],
    "recorded no such call",
  ],
] as const)("a model that takes another course than on record ends the run: %s", async (_, answers, told) => {
  const { effects, run } = countedRun();
  await run.go();
  const other = run.go({}, { answers: answers as unknown as Answer[] });
  await expect(other).rejects.toMatchObject({ code: "REPLAY_DIVERGED" });
  await expect(other).rejects.toThrow(told);
  expect(effects).toHaveLength(3);
});

test("what was changed since the run began is named, before anything runs", async () => {
  const run = runForReplay(SAYS, { tools: { find: { inputSchema: { type: "object" }, execute: () => 1 } } });
  await run.go({ system: "Be short." });
  const { tools } = { tools: { find: { inputSchema: { type: "string" } }, more: { execute: () => 1 } } };
  await expect(
    run.go({ prompt: "stop", tools, runtime: { python: false } }, { bash: false }),
  ).rejects.toMatchObject({
    code: "REPLAY_DIVERGED",
    data: {
      changed: [
        "bash",
        "prompt",
        "system (is not there any more)",
        "runtime.python",
        "tools.find",
        "tools.more (was not there)",
      ],
    },
  });
});

test("a script that goes another way than on record ends the run before it has another effect", async () => {
  const effects: number[] = [];
  const tools = { pay: { execute: ({ n }: { n: number }) => effects.push(n) } };
  let n = 1;
  const host = hostForTest({
    sandbox: sandboxWithTools(async ({ invokeTool }) => {
      await invokeTool?.("pay", JSON.stringify({ n: n++ }));
      return { exitCode: 0, stdout: "", stderr: "" };
    }),
  });
  const run = runForReplay([bash("pay"), { text: "paid" }], { host, tools });
  await expect(run.go({ sessionLog: failingLog(run.log, 5, "before") })).rejects.toThrow();
  await expect(run.go()).rejects.toMatchObject({
    code: "REPLAY_DIVERGED",
    data: { recorded: { tool: "pay", input: '{"n":1}' }, came: { tool: "pay", input: '{"n":2}' } },
  });
  expect(effects).toEqual([1]);
});
