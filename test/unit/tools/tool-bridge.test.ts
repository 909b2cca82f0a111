import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { CreateSandboxOptions, ReplayableCall, ReplayOutcome } from "../../../src/shared/sandbox.ts";
import type { HarnessTools, ToolBridge } from "../../../src/shared/tools.ts";
import { createEnvironmentToolBridge } from "../../../src/tools/environment-tool-bridge.ts";
import { createRuntimeToolBridge, type RuntimeToolBridgeOptions } from "../../../src/tools/tool-bridge.ts";

function bridgeOf(tools: HarnessTools, options: Partial<RuntimeToolBridgeOptions> = {}): ToolBridge {
  return createRuntimeToolBridge({ tools, toolContext: null, ...options });
}

function callOf(path: string, input: unknown = undefined, signal = new AbortController().signal) {
  return { path, argsJson: input === undefined ? "" : JSON.stringify(input), toolCallId: "c1", signal };
}

async function messageOf(promise: Promise<unknown>): Promise<string> {
  return await promise.then(
    () => "no error",
    (error: unknown) => (error as Error).message,
  );
}

const echo = { execute: (input: unknown) => input };

describe("a call", () => {
  test("gives the tool its validated input, its id, the signal and the context", async () => {
    const signal = new AbortController().signal;
    const toolContext = { tenant: 1 };
    const seen: unknown[] = [];
    const tools = {
      add: {
        inputSchema: z.object({ n: z.coerce.number() }),
        execute: (...given: unknown[]) => seen.push(...given),
      },
    };
    await bridgeOf(tools, { toolContext }).call(callOf("add", { n: "2", more: 1 }, signal));
    expect(seen).toEqual([
      { n: 2 },
      { toolCallId: "c1", abortSignal: signal, experimental_context: toolContext, messages: [] },
    ]);
  });

  test.each<[string, () => unknown, string]>([
    ["a value", () => 1, "1"],
    ["a promise", async () => ({ a: 1n }), '{"a":"1"}'],
    ["nothing", () => undefined, ""],
    ["a promise of nothing", async () => undefined, ""],
    // biome-ignore lint/suspicious/noThenProperty: libraries return such objects
    ["a thenable", () => ({ then: (resolve: (value: number) => void) => resolve(5) }), "5"],
  ])("answers with the JSON of %s", async (_, execute, json) => {
    expect((await bridgeOf({ t: { execute } }).call(callOf("t"))).json).toBe(json);
  });

  test("answers with the last value of an async generator", async () => {
    async function* execute() {
      yield "loading";
      yield "done";
    }
    expect((await bridgeOf({ t: { execute } }).call(callOf("t"))).json).toBe('"done"');
  });

  test("calls execute on the tool itself", async () => {
    class Lookup {
      readonly #table = new Map([["a", 1]]);
      execute(input: string) {
        return this.#table.get(input);
      }
    }
    expect((await bridgeOf({ t: new Lookup() }).call(callOf("t", "a"))).json).toBe("1");
  });

  test("input that is wrong names tool, path and expectation, and the tool does not run", async () => {
    let runs = 0;
    const tools = { "orders.find": { inputSchema: z.object({ id: z.string() }), execute: () => runs++ } };
    const message = await messageOf(bridgeOf(tools).call(callOf("orders.find", { id: 1 })));
    expect(message).toBe(
      "invalid input for tool orders.find: id: Invalid input: expected string, received number",
    );
    expect(runs).toBe(0);
  });

  test("a pattern in an issue is told as it is", async () => {
    const tools = { t: { inputSchema: z.object({ id: z.string().regex(/^\/a+$/) }), execute: () => 1 } };
    expect(await messageOf(bridgeOf(tools).call(callOf("t", { id: "x" })))).toContain("/^\\/a+$/");
  });

  test("a schema that throws is an error without the host's path", async () => {
    const inputSchema = z.string().refine(() => {
      throw new Error("cannot open /etc/host/secret");
    });
    expect(await messageOf(bridgeOf({ t: { inputSchema, execute: () => 1 } }).call(callOf("t", "x")))).toBe(
      "cannot open <path>",
    );
  });

  test.each<[string, string, string]>([
    ["no JSON", "{", "the input of tool t is not JSON"],
    [
      "200,000 arrays in each other",
      `${"[".repeat(200_000)}${"]".repeat(200_000)}`,
      "the input of tool t is nested deeper than 100",
    ],
    ["a key __proto__", '{"a":[{"__proto__":{"x":1}}]}', "the input of tool t has a key named __proto__"],
    [
      "more than 16 MiB",
      `"${"x".repeat(16 * 1024 * 1024)}"`,
      "the input of tool t is larger than 16777216 bytes of JSON",
    ],
  ])("hostile input is refused before the tool: %s", async (_, argsJson, message) => {
    expect(await messageOf(bridgeOf({ t: echo }).call({ ...callOf("t"), argsJson }))).toBe(message);
  });

  test("a tool without execute says so", async () => {
    expect(await messageOf(bridgeOf({ t: {} }).call(callOf("t")))).toBe("tool t has no execute");
  });

  test("a result that cannot be told is the call's error", async () => {
    const cycle: unknown[] = [];
    cycle.push(cycle);
    expect(await messageOf(bridgeOf({ t: { execute: () => cycle } }).call(callOf("t")))).toContain(
      "contains itself",
    );
  });
});

describe("names", () => {
  test("dots nest, and a name may be both a tool and the beginning of others", async () => {
    const bridge = bridgeOf({ "orders.find": echo, orders: echo });
    expect(bridge.names).toEqual(["orders", "orders.find"]);
    expect((await bridge.call(callOf("orders", 1))).json).toBe("1");
    expect((await bridge.call(callOf("orders.find", 2))).json).toBe("2");
  });

  test("an unknown tool names the nearest ones, three at most", async () => {
    const bridge = bridgeOf({
      "orders.find": echo,
      "orders.bind": echo,
      "orders.fine": echo,
      "orders.fin": echo,
      x: echo,
    });
    expect(await messageOf(bridge.call(callOf("orders.fnd")))).toBe(
      "unknown tool: orders.fnd; did you mean orders.find or orders.bind or orders.fin?",
    );
    expect(await messageOf(bridge.call(callOf("find")))).toContain("did you mean orders.find");
    expect(await messageOf(bridge.call(callOf("nothing.like.it.at.all")))).toBe(
      "unknown tool: nothing.like.it.at.all",
    );
  });

  test("a name as long as a book is cut", async () => {
    expect((await messageOf(bridgeOf({ t: echo }).call(callOf("x".repeat(1_000_000))))).length).toBeLessThan(
      300,
    );
  });

  test.each(["constructor", "__proto__", "toString", "hasOwnProperty"])(
    "%s of every object is no tool",
    async (name) => {
      expect(await messageOf(bridgeOf({ t: echo }).call(callOf(name)))).toBe(`unknown tool: ${name}`);
    },
  );

  test("tools that an object inherits are none", () => {
    expect(bridgeOf(Object.create({ inherited: echo })).names).toEqual([]);
  });

  test.each(["", "a..b", ".a", "a.", "constructor", "a.__proto__.b", "prototype"])(
    "the name %j is refused",
    (name) => {
      const tools = Object.fromEntries([[name, echo]]);
      expect(() => bridgeOf(tools)).toThrow(expect.objectContaining({ code: "TOOL_INVALID" }));
    },
  );

  test.each<[string, unknown, string]>([
    ["no object", { t: 1 }, 'tool "t": expected an object with execute'],
    [
      "an execute that is no function",
      { t: { execute: "x" } },
      'tool "t": expected execute to be a function, got string',
    ],
    [
      "a schema that is none",
      { t: { ...echo, inputSchema: 3 } },
      "tool t: inputSchema: expected a Standard Schema",
    ],
    [
      "of the AI SDK 4, with its schema as parameters,",
      { t: { ...echo, parameters: z.object({}) } },
      'tool "t": expected the schema of its input as "inputSchema", got "parameters"',
    ],
    ["a list", [echo], "tools: expected an object of tools by name"],
  ])("a tool that is %s is refused", (_, tools, message) => {
    expect(() => bridgeOf(tools as HarnessTools)).toThrow(message);
  });

  test("what else the AI SDK or an application keeps on a tool is left alone", () => {
    const tool = { ...echo, inputSchema: z.object({}), parameters: 1, toModelOutput: () => 1, mine: true };
    expect(bridgeOf({ t: tool }).names).toEqual(["t"]);
  });

  test("a tool added later does not exist", async () => {
    const tools: Record<string, typeof echo> = { a: echo };
    const bridge = bridgeOf(tools);
    tools.b = echo;
    expect(await messageOf(bridge.call(callOf("b")))).toContain("unknown tool: b");
  });
});

describe("what a tool throws", () => {
  const thrown = (value: unknown, options: Partial<RuntimeToolBridgeOptions> = {}) =>
    messageOf(bridgeOf({ t: { execute: () => Promise.reject(value) } }, options).call(callOf("t")));

  test("keeps its message and loses paths and stack", async () => {
    const error = new Error(`no order in /srv/db/orders.sqlite\n    at find (/srv/app/x.js:1:2)`);
    expect(await thrown(error)).toBe("no order in <path>");
  });

  test("keeps paths of the sandbox", async () => {
    expect(await thrown(new Error("no /session/a in /srv/b"), { sandboxPaths: ["/session"] })).toBe(
      "no /session/a in <path>",
    );
  });

  test.each<[unknown, string]>([
    [null, "tool t threw null"],
    [undefined, "tool t threw undefined"],
    [7, "tool t threw 7"],
    ["plain text", "plain text"],
    ["", "tool t threw an empty string"],
    [{ a: 1 }, "tool t threw an object without a message"],
    [{ message: "shaped" }, "shaped"],
    [new RangeError(""), "tool t threw RangeError without a message"],
    [Symbol("s"), "tool t threw Symbol(s)"],
  ])("is described: %s", async (value, message) => {
    expect(await thrown(value)).toBe(message);
  });

  test("is described when it cannot even be read", async () => {
    const unreadable = {
      get message() {
        throw new Error("x");
      },
    };
    expect(await thrown(unreadable)).toBe("tool t threw something that cannot be read");
  });

  test("arrives with code and without cause, whatever it was", async () => {
    const call = bridgeOf({ t: { execute: () => Promise.reject(new Error("x", { cause: "/srv" })) } }).call(
      callOf("t"),
    );
    const error = await call.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "TOOL_FAILED", data: { tool: "t" } });
    expect(error).not.toHaveProperty("cause");
  });

  test("is cut when it is long", async () => {
    expect((await thrown(new Error("x".repeat(1_000_000)))).length).toBe(8192);
  });

  test("a synchronous throw is an error of the call too", async () => {
    const execute = () => {
      throw new Error("at once");
    };
    expect(await messageOf(bridgeOf({ t: { execute } }).call(callOf("t")))).toBe("at once");
  });
});

describe("the end of the command", () => {
  test("rejects at once, also when the tool never settles", async () => {
    const controller = new AbortController();
    const call = bridgeOf({ t: { execute: () => new Promise(() => undefined) } }).call(
      callOf("t", undefined, controller.signal),
    );
    controller.abort();
    await expect(call).rejects.toMatchObject({ code: "TOOL_REFUSED", message: "the command has ended" });
  });

  test("a tool that fails afterwards is no unhandled rejection", async () => {
    const controller = new AbortController();
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on("unhandledRejection", note);
    let failLate: (error: Error) => void = () => undefined;
    const execute = () =>
      new Promise((_, reject) => {
        failLate = reject;
      });
    const call = bridgeOf({ t: { execute } }).call(callOf("t", undefined, controller.signal));
    await Promise.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    await messageOf(call);
    failLate(new Error("late"));
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", note);
    expect(unhandled).toEqual([]);
  });

  test("a tool does not start when it has come already", async () => {
    let runs = 0;
    const call = bridgeOf({ t: { execute: () => runs++ } }).call(callOf("t", undefined, AbortSignal.abort()));
    expect(await messageOf(call)).toBe("the command has ended");
    expect(runs).toBe(0);
  });

  test("an async generator gets to its finally", async () => {
    const controller = new AbortController();
    const cleaned = new EventTarget();
    async function* execute(_: unknown, { abortSignal }: { abortSignal: AbortSignal }) {
      try {
        await once(abortSignal, "abort");
        yield 1;
        yield 2;
      } finally {
        cleaned.dispatchEvent(new Event("cleaned"));
      }
    }
    const seen = once(cleaned, "cleaned");
    const call = bridgeOf({ t: { execute } }).call(callOf("t", undefined, controller.signal));
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    expect(await messageOf(call)).toBe("the command has ended");
    await seen;
  });
});

describe("the context", () => {
  test.each([{}, { toolContext: undefined }])("tools without one are an error at the call: %j", (given) => {
    const options = { tools: { t: echo }, ...given } as unknown as RuntimeToolBridgeOptions;
    expect(() => createRuntimeToolBridge(options)).toThrow(
      expect.objectContaining({ code: "TOOLS_WITHOUT_CONTEXT" }),
    );
  });

  test("null is one", () => {
    expect(createRuntimeToolBridge({ tools: { t: echo }, toolContext: null }).names).toEqual(["t"]);
  });
});

describe("the bridge of an environment", () => {
  const traceOptions = { command: true, output: false, toolInput: true, toolResult: false, maxFieldBytes: 1 };
  const environment = (options: Partial<CreateSandboxOptions>, javascript = true) =>
    createEnvironmentToolBridge(
      {
        workspace: {
          mounts: [{ path: "/session", backingPath: "/srv/s", access: "rw", tracked: true }],
          cwd: "/session",
          capabilities: { python: true, javascript },
        },
        tools: { t: echo },
        toolContext: null,
        emit: () => undefined,
        ...options,
      },
      traceOptions,
      () => "turn 7",
    );

  test("exists with tools and JavaScript", () => {
    expect(environment({})?.names).toEqual(["t"]);
  });

  test.each<[string, () => unknown]>([
    ["no tools", () => environment({ tools: undefined })],
    ["an empty object of tools", () => environment({ tools: {} })],
    ["JavaScript off for the turn", () => environment({ runtime: { javascript: false } })],
    ["JavaScript off for the workspace", () => environment({}, false)],
  ])("does not exist with %s", (_, make) => {
    expect(make()).toBeUndefined();
  });

  test("tools without a context are an error, with JavaScript off too", () => {
    const make = () => environment({ toolContext: undefined, runtime: { javascript: false } });
    expect(make).toThrow(expect.objectContaining({ code: "TOOLS_WITHOUT_CONTEXT" }));
  });

  test("messages keep the paths of its mounts", async () => {
    const tools = { t: { execute: () => Promise.reject(new Error("/session/a /srv/s/a")) } };
    expect(await messageOf(environment({ tools })?.call(callOf("t")) ?? Promise.resolve())).toBe(
      "/session/a <path>",
    );
  });

  test("a recorded call is answered without running the tool", async () => {
    let runs = 0;
    const asked: ReplayableCall[] = [];
    const replay = {
      lookup: (call: ReplayableCall) => {
        asked.push(call);
        return { json: "42" };
      },
      record: () => undefined,
    };
    const bridge = environment({ tools: { t: { execute: () => runs++ } }, replay });
    const outcome = await bridge?.call({ ...callOf("t", { a: 1 }), commandNumber: 2, callNumber: 3 });
    expect(outcome).toEqual({ json: "42", input: { a: 1 } });
    expect(runs).toBe(0);
    expect(asked).toEqual([
      { tool: "t", argsJson: '{"a":1}', commandNumber: 2, callNumber: 3, activeCommand: "turn 7" },
    ]);
  });

  test("a run is recorded and gives the same in the replay, errors too", async () => {
    const records = new Map<string, ReplayOutcome>();
    const replay = {
      lookup: async (call: ReplayableCall) => records.get(call.tool),
      record: async (call: ReplayableCall, outcome: ReplayOutcome) => void records.set(call.tool, outcome),
    };
    let runs = 0;
    const tools = {
      works: { execute: () => ({ at: new Date(0), runs: ++runs }) },
      fails: { execute: () => Promise.reject(new Error(`no, ${++runs}`)) },
    };
    const bridge = environment({ tools, replay });
    const once = await bridge?.call(callOf("works"));
    const error = await messageOf(bridge?.call(callOf("fails")) ?? Promise.resolve());
    expect(await bridge?.call(callOf("works"))).toEqual(once);
    expect(await messageOf(bridge?.call(callOf("fails")) ?? Promise.resolve())).toBe(error);
    expect(runs).toBe(2);
  });

  test("a call that the end of its command cut short is not recorded", async () => {
    const recorded: unknown[] = [];
    const controller = new AbortController();
    const replay = {
      lookup: () => undefined,
      record: (_: ReplayableCall, outcome: ReplayOutcome) => void recorded.push(outcome),
    };
    const tools = {
      t: {
        execute: () => {
          controller.abort();
          return new Promise(() => undefined);
        },
      },
    };
    await messageOf(
      environment({ tools, replay })?.call(callOf("t", undefined, controller.signal)) ?? Promise.resolve(),
    );
    expect(recorded).toEqual([]);
  });

  test("a recording that fails fails the call", async () => {
    const replay = {
      lookup: () => undefined,
      record: () => Promise.reject(new Error("disk full at /var/log/x")),
    };
    expect(await messageOf(environment({ replay })?.call(callOf("t")) ?? Promise.resolve())).toBe(
      "the recording of tool calls failed: disk full at <path>",
    );
  });
});
