/** The tools of a model in a real turn, and what reaches the model itself. */
import { expect, test } from "vitest";
import { z } from "zod";
import { errorsOf, harnessForTest, outputsOf, runForTest, tell } from "../helpers/harness.ts";
import { bash } from "../helpers/scripted-model.ts";

test("one tool serves the model and its scripts: the same name, check, coercion, errors and context", async () => {
  const seen: unknown[] = [];
  const find = {
    description: "Finds an order",
    inputSchema: z.object({ id: z.string().transform(Number) }),
    execute: ({ id }: { id: number }, options: { experimental_context: unknown; toolCallId: string }) => {
      seen.push([id, options.experimental_context, options.toolCallId.startsWith("call-")]);
      if (id === 0) throw new Error("no order 0, see /srv/orders/index.db");
      return { id, at: new Date(0), skipped: undefined, count: 10n };
    },
  };
  const call = (id: unknown) =>
    `js-exec -c 'console.log(JSON.stringify(await tools.orders.find({ id: ${id} })))'`;
  const { harness } = harnessForTest(
    [
      { calls: [["orders_find", { id: "7" }]] },
      bash(call('"7"')),
      { calls: [["orders_find", { id: 7 }]] },
      bash(call(7)),
      { calls: [["orders_find", { id: "0" }]] },
      bash(call('"0"')),
      { text: "done" },
    ],
    { tools: { "orders.find": find }, toolContext: "context" },
  );
  const { result, events } = await runForTest(harness, { traceOptions: "full" });
  const value = { id: 7, at: "1970-01-01T00:00:00.000Z", count: "10" };
  const [direct, scripted, ...failed] = outputsOf(result) as { stdout?: string; stderr?: string }[];
  expect(direct).toEqual(value);
  expect(JSON.parse(scripted?.stdout ?? "")).toEqual(value);
  expect(seen).toEqual([
    [7, "context", true],
    [7, "context", false],
    [0, "context", true],
    [0, "context", false],
  ]);
  const [badInput, thrown] = errorsOf(result);
  expect(badInput).toMatch(/^invalid input for tool orders\.find: id: /);
  expect(thrown).toBe("no order 0, see <path>");
  expect(failed[0]?.stderr).toContain(badInput);
  expect(failed[1]?.stderr).toContain(thrown);
  const calls = events.filter(
    (event) => event.type.startsWith("harness.tool_call") && "tool" in event && event.tool === "orders.find",
  );
  const [ofModel, ofScript] = ["step", "commandId"].map((key) =>
    calls
      .filter((event) => (event as unknown as Record<string, unknown>)[key] !== undefined)
      .map((event) => [event.type, "input" in event && event.input, "result" in event && event.result]),
  );
  expect(ofModel).toHaveLength(6);
  expect(ofModel).toEqual(ofScript);
});

test("without bash there is no sandbox: tools alone, and nothing is started", async () => {
  const { harness, model } = harnessForTest([{ calls: [["now", {}]] }, { text: "done" }], {
    bash: false,
    tools: { now: { execute: () => 5 } },
  });
  const { result, events } = await runForTest(harness);
  expect(outputsOf(result)).toEqual([5]);
  expect(model.doGenerateCalls[0]?.tools?.map(({ name }) => name)).toEqual(["now"]);
  expect(tell(events)).not.toContain("runtime.command.started");
});

test("a tool without execute ends the turn with its call, for the application to answer", async () => {
  const { harness } = harnessForTest([{ calls: [["ask", { question: "really?" }]] }], {
    tools: { ask: { inputSchema: { type: "object" } } },
  });
  const { result } = await runForTest(harness);
  expect(result.finishReason).toBe("tool-calls");
  expect(result.steps[0]?.toolCalls).toMatchObject([{ toolName: "ask", input: { question: "really?" } }]);
});

test("settings of the model reach it as they are, and the schema of a tool as JSON Schema, whatever its kind", async () => {
  const { harness, model } = harnessForTest([{ text: "done" }], {
    temperature: 0.5,
    providerOptions: { some: { thinking: true } },
    tools: {
      plain: { inputSchema: { type: "object", properties: { a: { type: "number" } } }, execute: () => 1 },
      zod: { inputSchema: z.object({ a: z.number() }), execute: () => 1 },
      lazy: { inputSchema: () => z.object({ a: z.number() }), execute: () => 1 },
      wrapped: {
        inputSchema: { jsonSchema: async () => ({ type: "object", properties: { a: {} } }) },
        execute: () => 1,
      },
      none: { execute: () => 1 },
    },
  });
  await runForTest(harness, { maxOutputTokens: 99, toolChoice: "none" });
  expect(model.doGenerateCalls[0]).toMatchObject({
    temperature: 0.5,
    maxOutputTokens: 99,
    toolChoice: { type: "none" },
    providerOptions: { some: { thinking: true } },
  });
  const schemas = new Map(
    model.doGenerateCalls[0]?.tools?.map((tool) => [tool.name, "inputSchema" in tool && tool.inputSchema]),
  );
  expect([...schemas.keys()]).toEqual(["bash", "plain", "zod", "lazy", "wrapped", "none"]);
  for (const name of ["plain", "zod", "lazy", "wrapped"]) {
    expect(schemas.get(name)).toMatchObject({ type: "object", properties: { a: expect.anything() } });
  }
  expect(schemas.get("none")).toEqual({ type: "object", properties: {} });
});

test("a model that calls thirty tools at once is no reason for a warning of the process", async () => {
  const warnings: string[] = [];
  const onWarning = ({ name, message }: Error): void => void warnings.push(`${name}: ${message}`);
  process.on("warning", onWarning);
  try {
    const calls = Array.from({ length: 30 }, (_, n) => ["wait", { n }] as const);
    const { harness } = harnessForTest([{ calls }, { text: "done" }], {
      tools: { wait: { execute: async ({ n }: { n: number }) => await Promise.resolve(n) } },
      toolContext: null,
    });
    const { result } = await runForTest(harness);
    expect(outputsOf(result)).toEqual(calls.map(([, { n }]) => n));
    // A warning is told in a turn of its own.
    await new Promise((resolve) => setImmediate(resolve));
    expect(warnings).toEqual([]);
  } finally {
    process.off("warning", onWarning);
  }
});
