import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { ExecuteInput } from "../../../src/shared/executor.ts";
import type { ReplayableCall } from "../../../src/shared/sandbox.ts";
import { createRuntimeToolBridge } from "../../../src/tools/tool-bridge.ts";
import { exited, runtimeOver, signalOf } from "./helpers.ts";

const call = async (input: ExecuteInput, path: string, args: unknown = undefined): Promise<string> =>
  (await input.invokeTool?.(path, args === undefined ? "" : JSON.stringify(args))) ?? "";

const messageOf = (promise: Promise<unknown> | undefined) =>
  promise?.then(
    () => "no error",
    (error: unknown) => (error as Error).message,
  );

test("a call is told with its command, its own id and its input; the result only when the trace wants it", async () => {
  const tools = {
    "orders.find": { inputSchema: z.object({ id: z.string() }), execute: () => ({ total: 3 }) },
  };
  const { sandbox, events, types } = await runtimeOver(
    async (input) => exited(await call(input, "orders.find", { id: "o1" })),
    { tools },
  );
  expect((await sandbox.exec("x")).stdout).toBe('{"total":3}');
  expect(types()).toEqual([
    "runtime.command.started",
    "tool_call.started",
    "tool_call.completed",
    "runtime.command.completed",
  ]);
  const [command, started, completed, ended] = events;
  expect(started).toMatchObject({
    tool: "orders.find",
    commandId: command?.occurrenceId,
    input: { id: "o1" },
  });
  expect(started?.occurrenceId).not.toBe(command?.occurrenceId);
  expect(completed).toMatchObject({ occurrenceId: started?.occurrenceId, durationMs: expect.any(Number) });
  expect(completed).not.toHaveProperty("result");
  expect(ended?.occurrenceId).toBe(command?.occurrenceId);
  expect(ended).toMatchObject({
    isolation: { toolsAllowed: ["orders.find"], toolsCalled: { "orders.find": 1 } },
  });
});

test("a failed call is told with the message that the script got", async () => {
  const tools = { t: { execute: () => Promise.reject(new Error("no /srv/x")) } };
  const { sandbox, ofType } = await runtimeOver(
    async (input) => exited((await messageOf(call(input, "t"))) ?? ""),
    {
      tools,
    },
  );
  expect((await sandbox.exec("x")).stdout).toBe("no <path>");
  expect(ofType("harness.tool_call.failed")).toMatchObject([{ tool: "t", error: "no <path>" }]);
});

test("unknown names count together and are cut in events", async () => {
  const { sandbox, ofType } = await runtimeOver(
    async (input) => {
      await messageOf(call(input, "x".repeat(10_000)));
      await messageOf(call(input, "__proto__"));
      return exited();
    },
    { tools: { t: {} } },
  );
  await sandbox.exec("x");
  expect(ofType("harness.tool_call.started").map((event) => event.tool.length)).toEqual([200, 9]);
  expect(ofType("harness.runtime.command.completed")[0]?.isolation.toolsCalled).toEqual({ "(unknown)": 2 });
});

test("without emitToolEvents calls work and nothing is told of them", async () => {
  const { sandbox, types } = await runtimeOver(async (input) => exited(await call(input, "t")), {
    tools: { t: { execute: () => 1 } },
    emitToolEvents: false,
  });
  expect((await sandbox.exec("x")).stdout).toBe("1");
  expect(types()).toEqual(["runtime.command.started", "runtime.command.completed"]);
});

test.each([{ runtime: { javascript: false } }, {}])(
  "without JavaScript or tools there is no invokeTool: %j",
  async (options) => {
    const tools = "runtime" in options ? { t: { execute: () => 1 } } : undefined;
    const { sandbox } = await runtimeOver(async (input) => exited(String("invokeTool" in input)), {
      ...options,
      ...(tools && { tools }),
    });
    expect((await sandbox.exec("x")).stdout).toBe("false");
  },
);

describe("the end of the command", () => {
  test("aborts the tool and answers the call before the command is told as ended", async () => {
    const running = signalOf<AbortSignal>();
    const tools = {
      slow: {
        execute: (_: unknown, { abortSignal }: { abortSignal: AbortSignal }) => {
          running.resolve(abortSignal);
          return new Promise(() => undefined);
        },
      },
    };
    let answer: Promise<string> | undefined;
    const { sandbox, types, ofType } = await runtimeOver(
      async (input) => {
        answer = call(input, "slow");
        await running.promise;
        return exited();
      },
      { tools },
    );
    await sandbox.exec("x");
    expect((await running.promise).aborted).toBe(true);
    expect(await messageOf(answer)).toBe("the command has ended");
    expect(types()).toEqual([
      "runtime.command.started",
      "tool_call.started",
      "tool_call.failed",
      "runtime.command.completed",
    ]);
    expect(ofType("harness.tool_call.failed")[0]?.error).toBe("the command has ended");
  });

  test("a call that the executor has dropped is no unhandled rejection", async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on("unhandledRejection", note);
    const { sandbox } = await runtimeOver(
      async (input) => {
        void input.invokeTool?.("slow", "");
        return exited();
      },
      { tools: { slow: { execute: () => new Promise(() => undefined) } } },
    );
    await sandbox.exec("x");
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", note);
    expect(unhandled).toEqual([]);
  });

  test("refuses calls that come later, and tells nothing of them", async () => {
    let input: ExecuteInput | undefined;
    let runs = 0;
    const { sandbox, events } = await runtimeOver(
      async (given) => {
        input = given;
        return exited();
      },
      { tools: { t: { execute: () => runs++ } } },
    );
    await sandbox.exec("x");
    await expect(input?.invokeTool?.("t", "")).rejects.toMatchObject({ code: "TOOL_REFUSED" });
    expect(runs).toBe(0);
    expect(events).toHaveLength(2);
  });
});

describe("limits", () => {
  test("calls above maxToolCalls are refused, the first of them is told", async () => {
    let runs = 0;
    const { sandbox, ofType } = await runtimeOver(
      async (input) => {
        const messages = [];
        for (let n = 0; n < 5; n++) messages.push(await messageOf(call(input, "t")));
        return exited(messages.join("\n"));
      },
      { tools: { t: { execute: () => void runs++ } }, limits: { maxToolCalls: 2 } },
    );
    const { stdout } = await sandbox.exec("x");
    expect(stdout.split("\n").slice(1, 3)).toEqual(["no error", "more than 2 tool calls in one command"]);
    expect(runs).toBe(2);
    expect(ofType("harness.tool_call.started")).toHaveLength(3);
    expect(ofType("harness.tool_call.failed")).toHaveLength(1);
    await sandbox.exec("y");
    expect(runs).toBe(4);
  });

  test("no more than maxToolConcurrency tools run at once; the rest wait, and all are answered", async () => {
    let now = 0;
    let most = 0;
    const execute = async (n: number) => {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setImmediate(resolve));
      now--;
      return n;
    };
    const { sandbox } = await runtimeOver(
      async (input) =>
        exited((await Promise.all(Array.from({ length: 20 }, (_, n) => call(input, "t", n)))).join()),
      { tools: { t: { execute } }, limits: { maxToolConcurrency: 3 } },
    );
    expect((await sandbox.exec("x")).stdout).toBe(Array.from({ length: 20 }, (_, n) => n).join());
    expect(most).toBe(3);
  });

  test("64 at once by default", async () => {
    let now = 0;
    const all = signalOf();
    const execute = async () => {
      if (++now === 64) all.resolve();
      await all.promise;
      return 1;
    };
    const { sandbox } = await runtimeOver(
      async (input) =>
        exited(String((await Promise.all(Array.from({ length: 64 }, () => call(input, "t")))).length)),
      { tools: { t: { execute } } },
    );
    expect((await sandbox.exec("x")).stdout).toBe("64");
  });

  test("calls that wait when the command ends never run", async () => {
    const running = signalOf();
    let runs = 0;
    const tools = {
      t: {
        execute: () => {
          runs++;
          running.resolve();
          return new Promise(() => undefined);
        },
      },
    };
    const { sandbox, ofType } = await runtimeOver(
      async (input) => {
        void messageOf(call(input, "t"));
        void messageOf(call(input, "t"));
        await running.promise;
        return exited();
      },
      { tools, limits: { maxToolConcurrency: 1 } },
    );
    await sandbox.exec("x");
    await new Promise((resolve) => setImmediate(resolve));
    expect(runs).toBe(1);
    expect(ofType("harness.tool_call.failed")).toHaveLength(2);
  });
});

test("a recording sees which command and which call it is", async () => {
  const asked: ReplayableCall[] = [];
  const replay = { lookup: (known: ReplayableCall) => void asked.push(known), record: () => undefined };
  const toolBridge = createRuntimeToolBridge({
    tools: { t: { execute: () => 1 } },
    toolContext: null,
    replay,
  });
  const { sandbox } = await runtimeOver(
    async (input) => {
      await call(input, "t");
      await call(input, "t", 2);
      return exited();
    },
    { toolBridge },
  );
  await sandbox.exec("x");
  await sandbox.exec("y");
  expect(
    asked.map(({ commandNumber, callNumber, argsJson }) => [commandNumber, callNumber, argsJson]),
  ).toEqual([
    [1, 1, ""],
    [1, 2, "2"],
    [2, 1, ""],
    [2, 2, "2"],
  ]);
});

test("an error of a bridge that somebody else wrote arrives with its message", async () => {
  const toolBridge = { names: ["t"], call: () => Promise.reject("plain") };
  const { sandbox } = await runtimeOver(async (input) => exited((await messageOf(call(input, "t"))) ?? ""), {
    toolBridge,
  });
  expect((await sandbox.exec("x")).stdout).toBe("plain");
});
