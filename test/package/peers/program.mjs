/** A harness on whichever AI SDK is installed, once in one piece and once streamed. Throws when anything is off. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { createHarness, generateHarness, localHost, streamHarness } from "@little-stack/harness";
import { memorySessionLog } from "@little-stack/harness/remote-session";
import { z } from "zod";

const [specificationVersion] = process.argv.slice(2);
const dataDir = "./data";
rmSync(dataDir, { recursive: true, force: true });
const host = localHost({ dataDir });

const call = (toolCallId, toolName, input) => ({
  type: "tool-call",
  toolCallId,
  toolName,
  input: JSON.stringify(input),
});
const ANSWERS = [
  [
    call("1", "bash", { command: `js-exec -c 'console.log((await tools.orders.find({ id: "7" })).total)'` }),
    call("2", "orders_find", { id: "8" }),
    call("3", "orders_find", {}),
    call("4", "nobody", {}),
  ],
  [call("5", "bash", { command: "echo again" })],
  [{ type: "text", text: "done" }],
];

/** A model as the providers of that version make them. */
function model() {
  const isOld = specificationVersion === "v2";
  const usage = isOld
    ? { inputTokens: 10, outputTokens: 5, totalTokens: 15 }
    : { inputTokens: { total: 10 }, outputTokens: { total: 5 } };
  let step = 0;
  const next = () => {
    const content = ANSWERS[step++];
    const reason = content[0].type === "text" ? "stop" : "tool-calls";
    return { content, finishReason: isOld ? reason : { unified: reason }, usage, warnings: [] };
  };
  return {
    specificationVersion,
    provider: "example",
    modelId: "scripted",
    supportedUrls: {},
    doGenerate: async () => next(),
    doStream: async () => {
      const { content, finishReason } = next();
      const parts = content.flatMap((part) =>
        part.type === "text"
          ? [
              { type: "text-start", id: "t" },
              { type: "text-delta", id: "t", delta: part.text },
              { type: "text-end", id: "t" },
            ]
          : [part],
      );
      const start = { type: "stream-start", warnings: [] };
      return { stream: ReadableStream.from([start, ...parts, { type: "finish", finishReason, usage }]) };
    },
  };
}

const tools = {
  "orders.find": {
    inputSchema: z.object({ id: z.string().transform(Number) }),
    execute: ({ id }) => ({ id, total: id * 6 }),
  },
};

function check(result, events) {
  const outputs = result.steps.flatMap(({ toolResults }) => toolResults).map(({ output }) => output);
  const told = outputs.map((output) => output.stdout ?? output);
  assert.deepEqual(new Set(told), new Set(["42\n", { id: 8, total: 48 }, "again\n"]));
  assert.equal(result.text, "done");
  assert.equal(result.finishReason, "stop");
  assert.equal(result.usage.totalTokens, 45);
  const roles = result.messages.map(({ role }) => role);
  assert.deepEqual(roles, ["assistant", "tool", "assistant", "tool", "assistant"]);
  const count = (type) => events.filter((event) => event.type === type).length;
  assert.equal(count("harness.model.step.started"), 3);
  assert.equal(count("harness.model.step.completed"), 3);
  assert.equal(count("harness.tool_call.started"), 6);
  assert.equal(count("harness.tool_call.failed"), 2);
}

for (const way of ["generate", "stream"]) {
  const harness = createHarness({ host, model: model(), tools });
  const events = [];
  const options = { harness, prompt: "go", onEvent: (event) => events.push(event) };
  if (way === "generate") {
    check(await generateHarness(options), events);
  } else {
    const stream = streamHarness(options);
    let text = "";
    for await (const piece of stream.textStream) text += piece;
    assert.equal(text, "done");
    check(await stream.result, events);
  }
}

// Gone on with from its record, a run calls its model again and no tool.
for (const run of [generateHarness, async (options) => await streamHarness(options).result]) {
  const sessionLog = memorySessionLog();
  let executed = 0;
  const { execute, ...find } = tools["orders.find"];
  const counted = { ...find, execute: (input) => execute({ ...input, executed: executed++ }) };
  for (let attempt = 1; attempt <= 2; attempt++) {
    const harness = createHarness({ host, model: model(), tools: { "orders.find": counted }, sessionLog });
    const events = [];
    const result = await run({ harness, prompt: "go", runId: "run", onEvent: (event) => events.push(event) });
    if (attempt === 1) check(result, events);
    assert.equal(result.text, "done");
    assert.equal(executed, 2);
  }
  const types = (await sessionLog.read("run")).map(({ type }) => type);
  assert.equal(types.filter((type) => type === "harness.run.step.completed").length, 3);
  assert.equal(types.filter((type) => type === "harness.run.completed").length, 1);
  assert.equal(types.at(-1), "harness.run.resumed");
}

const stop = new AbortController();
const harness = createHarness({ host, model: model(), tools });
for (const run of [generateHarness, async (options) => await streamHarness(options).result]) {
  const onEvent = ({ type }) => type === "harness.runtime.command.started" && stop.abort();
  const aborted = await run({ harness, prompt: "go", abortSignal: stop.signal, onEvent });
  assert.equal(aborted.finishReason, "aborted");
  assert.deepEqual(aborted.steps, []);
}
const failing = { ...model(), doGenerate: () => Promise.reject(new Error("model down")) };
const failed = generateHarness({
  harness: createHarness({ host, model: failing, maxRetries: 0 }),
  prompt: "go",
});
await assert.rejects(failed, { code: "MODEL_FAILED", message: "The model failed in step 1: model down" });
await host.close();
