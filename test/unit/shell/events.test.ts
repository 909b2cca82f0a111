import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import type { HarnessEvent } from "../../../src/shared/events.ts";
import type { IsolationReport } from "../../../src/shared/sandbox.ts";
import { resolveTraceOptions } from "../../../src/shell/trace-options.ts";
import { exited, runtimeOver, signalOf } from "./helpers.ts";

const EVENT_TYPES: Record<HarnessEvent["type"], true> = {
  "harness.runtime.command.started": true,
  "harness.runtime.command.completed": true,
  "harness.runtime.command.failed": true,
  "harness.tool_call.started": true,
  "harness.tool_call.completed": true,
  "harness.tool_call.failed": true,
  "harness.file.created": true,
  "harness.file.modified": true,
  "harness.file.deleted": true,
  "harness.runtime.dispose.failed": true,
};

test("started comes before the executor hears of the command", async () => {
  let told: string[] = [];
  const runtime = await runtimeOver(async () => {
    told = runtime.types();
    return exited();
  });
  await runtime.sandbox.exec("x");
  expect(told).toEqual(["runtime.command.started"]);
});

test("every event has an id of its own, a number without gaps and a time", async () => {
  const { sandbox, events } = await runtimeOver(async () => exited());
  await sandbox.exec("a");
  await sandbox.fs.writeFile("/session/x", "");
  await sandbox.exec("b");
  expect(events.map((event) => event.seq)).toEqual([1, 2, 3, 4, 5]);
  expect(new Set(events.map((event) => event.id)).size).toBe(5);
  for (const { at } of events) expect(new Date(at).toISOString()).toBe(at);
});

test("every event is plain JSON data", async () => {
  const { sandbox, events } = await runtimeOver(
    async (input) => {
      await input.invokeTool?.("t", '{"a":[1]}');
      return exited(new Uint8Array([255]));
    },
    { tools: { t: { execute: () => new Date() } }, traceOptions: resolveTraceOptions("full", undefined) },
  );
  await sandbox.exec("x", { cwd: "/session", args: ["a"] });
  await sandbox.fs.writeFile("/session/x", "");
  expect(events).toHaveLength(5);
  for (const event of events) expect(JSON.parse(JSON.stringify(event))).toEqual(event);
});

test("started tells command, cwd, number of arguments; the end tells sizes, mounts, limits and rights", async () => {
  const { sandbox, events } = await runtimeOver(async () => ({ exitCode: 2, stdout: "é", stderr: "x" }), {
    limits: { timeoutMs: 9, maxToolCalls: 8, maxToolConcurrency: 7 },
  });
  await sandbox.exec("run", { cwd: "d", args: ["1", "2"], maxOutputBytes: 6 });
  expect(events[0]).toMatchObject({ command: "run", cwd: "/session/d", nested: false, argsCount: 2 });
  expect(events[1]).toMatchObject({
    type: "harness.runtime.command.completed",
    exitCode: 2,
    ending: { kind: "exited" },
    durationMs: expect.any(Number),
    stdoutBytes: 2,
    stderrBytes: 1,
    truncated: {},
    changes: 0,
    isolation: {
      rung: "none",
      walls: [],
      limits: { timeoutMs: 9, maxOutputBytes: 6, maxToolCalls: 8, maxToolConcurrency: 7 },
      mounts: [
        { path: "/session", access: "rw" },
        { path: "/plain", access: "rw" },
        { path: "/docs", access: "ro" },
      ],
      toolsAllowed: [],
      toolsCalled: {},
    },
  });
  expect(events[1]).not.toHaveProperty("stdout");
});

describe("emit", () => {
  test.each<[string, () => unknown]>([
    [
      "throws",
      () => {
        throw new Error("sink down");
      },
    ],
    ["rejects", () => Promise.reject(new Error("sink down"))],
    ["never settles", () => new Promise(() => undefined)],
  ])("that %s never changes a result", async (_, emit) => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on("unhandledRejection", note);
    const { sandbox } = await runtimeOver(async () => exited("fine"), { emit, disposeTimeoutMs: 5 });
    expect(await sandbox.exec("x")).toMatchObject({ exitCode: 0, stdout: "fine" });
    await sandbox.dispose();
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", note);
    expect(unhandled).toEqual([]);
  });

  test("is called in order without waiting, and dispose waits for what it returned", async () => {
    const order: number[] = [];
    const stored: number[] = [];
    const gate = signalOf();
    const { sandbox } = await runtimeOver(async () => exited(), {
      emit: async (event) => {
        order.push(event.seq);
        await gate.promise;
        stored.push(event.seq);
      },
    });
    await sandbox.exec("x");
    expect(order).toEqual([1, 2]);
    expect(stored).toEqual([]);
    const disposed = sandbox.dispose();
    gate.resolve();
    await disposed;
    expect(stored).toEqual([1, 2]);
  });
});

describe("the isolation report", () => {
  const report: IsolationReport = {
    rung: "process",
    engine: "e",
    defense: "d",
    walls: [{ name: "environment", state: "holds", reason: "empty" }],
  };

  test("is asked for once and stands in the record of each command", async () => {
    let asked = 0;
    const { sandbox, ofType } = await runtimeOver(async () => exited(), {
      isolation: async () => {
        asked++;
        return report;
      },
    });
    expect(asked).toBe(0);
    await sandbox.exec("a");
    await sandbox.exec("b");
    expect(await sandbox.isolation()).toEqual(report);
    expect(asked).toBe(1);
    for (const { isolation } of ofType("harness.runtime.command.completed")) {
      expect(isolation).toMatchObject({ rung: "process", walls: report.walls });
    }
  });

  test("that fails claims nothing in the record, and is asked for again", async () => {
    let asked = 0;
    const { sandbox, ofType } = await runtimeOver(async () => exited(), {
      isolation: () => (++asked === 1 ? Promise.reject(new Error("probe died")) : Promise.resolve(report)),
    });
    await sandbox.exec("a");
    await sandbox.exec("b");
    const [first, second] = ofType("harness.runtime.command.completed").map(({ isolation }) => isolation);
    expect(first?.rung).toBe("none");
    expect(first?.walls[0]?.state).toBe("not-claimed");
    expect(second?.rung).toBe("process");
  });

  test("that is slow does not hold a result back", async () => {
    const { sandbox, ofType } = await runtimeOver(async () => exited("here"), {
      isolation: () => new Promise(() => undefined),
    });
    expect((await sandbox.exec("a")).stdout).toBe("here");
    expect(ofType("harness.runtime.command.completed")[0]?.isolation.rung).toBe("none");
  });

  test("is not asked for by a command that was refused", async () => {
    let asked = 0;
    const { sandbox } = await runtimeOver(async () => exited(), {
      isolation: async () => {
        asked++;
        return report;
      },
    });
    await sandbox.exec("a", { timeoutMs: -1 });
    expect(asked).toBe(0);
  });
});

test("every event type and every field that it has stands in docs/events.md", async () => {
  const text = await readFile(new URL("../../../docs/events.md", import.meta.url), "utf8");
  for (const type of Object.keys(EVENT_TYPES)) expect(text).toContain(`\`${type}\``);
  const source = await readFile(new URL("../../../src/shared/events.ts", import.meta.url), "utf8");
  const fields = [...source.matchAll(/^ {2}readonly (\w+)\??:/gm)].map((match) => match[1] ?? "");
  expect(fields.length).toBeGreaterThan(30);
  for (const field of new Set(fields))
    if (field !== "type") expect(text).toMatch(new RegExp(`\`${field}[?\`]`));
});
