import { expect, test } from "vitest";
import { createHarness } from "../../../src/harness/create-harness.ts";
import { generateHarness } from "../../../src/harness/generate-harness.ts";
import { streamHarness } from "../../../src/harness/stream-harness.ts";

const host = { prepareTurn: () => Promise.reject(new Error("must not be asked")) };
const good = { host, model: "some/model" };
const tool = { execute: () => 1 };

test.each([
  ["host", { model: "m" }],
  ["host", { ...good, host: {} }],
  ["model", { ...good, model: "" }],
  ["model", { ...good, model: { modelId: "x" } }],
  ["modle", { ...good, modle: "x" }],
  ["bash", { ...good, bash: true }],
  ["timeout", { ...good, bash: { timeout: 5 } }],
  ["bash.timeoutMs", { ...good, bash: { timeoutMs: -1 } }],
  ["bash.timeoutMs", { ...good, bash: { timeoutMs: 301, maxTimeoutMs: 300 } }],
  ["bash.onUnknownOutcome", { ...good, bash: { onUnknownOutcome: "ask" } }],
  ["bash.onUnknownOutcome", { ...good, bash: { onUnknownOutcome: ["tell"] } }],
  ["maxInlineBytes", { ...good, maxInlineBytes: 10 }],
  ["maxSteps", { ...good, maxSteps: 0 }],
  ["runtime.python", { ...good, runtime: { python: "yes" } }],
  ["ruby", { ...good, runtime: { ruby: true } }],
  ["system", { ...good, system: ["x"] }],
  ["emitToolEvents", { ...good, emitToolEvents: 1 }],
])("createHarness: a bad option is an error that names it (%s)", (option, options) => {
  expect(() => createHarness(options as never)).toThrow(
    expect.objectContaining({ code: "OPTION_INVALID", message: expect.stringContaining(`"${option}"`) }),
  );
});

test.each([
  ["bash", { bash: tool }],
  ["a.b", { "a.b": tool, a_b: tool }],
  ["needsApproval", { pay: { ...tool, needsApproval: true } }],
  ["inputSchema", { pay: { ...tool, parameters: { type: "object" } } }],
  ["execute", { pay: { execute: 3 } }],
])("createHarness: a bad tool is an error that says so (%s)", (word, tools) => {
  expect(() => createHarness({ ...good, tools: tools as never })).toThrow(
    expect.objectContaining({ code: "TOOL_INVALID", message: expect.stringContaining(word) }),
  );
});

const harness = createHarness(good);
const sessionLog = { append: host.prepareTurn, read: host.prepareTurn, close: host.prepareTurn };

test.each([
  ["harness", { prompt: "x" }],
  ["prompt", { harness }],
  ["prompt", { harness, prompt: "x", messages: [{ role: "user", content: "x" }] }],
  ["prompt", { harness, prompt: "" }],
  ["messages", { harness, messages: [] }],
  ["abortSignal", { harness, prompt: "x", abortSignal: {} }],
  ["onEvent", { harness, prompt: "x", onEvent: 1 }],
  ["runId", { harness, prompt: "x", sessionLog, runId: "a/b" }],
  ["runId", { harness, prompt: "x", sessionLog, runId: ".." }],
  ["sesion", { harness, prompt: "x", sesion: "a" }],
])(
  "a turn: a bad option is an error that names it, before anything is prepared (%s)",
  async (option, options) => {
    const error = expect.objectContaining({
      code: "OPTION_INVALID",
      message: expect.stringContaining(`"${option}"`),
    });
    await expect(generateHarness(options as never)).rejects.toThrow(error);
    expect(() => streamHarness(options as never)).toThrow(error);
  },
);
