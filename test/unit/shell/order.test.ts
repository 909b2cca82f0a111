import { expect, test } from "vitest";
import type { ExecuteInput } from "../../../src/shared/executor.ts";
import type { ExecResult, HarnessSandbox } from "../../../src/shared/sandbox.ts";
import { exited, runtimeOver, signalOf, untilStopped } from "./helpers.ts";

test("parallel commands run one at a time, in the order in which they were called", async () => {
  const log: string[] = [];
  const { sandbox } = await runtimeOver(async ({ command }) => {
    log.push(`${command} starts`);
    await new Promise((resolve) => setImmediate(resolve));
    log.push(`${command} ends`);
    return exited(command);
  });
  const results = await Promise.all(["a", "b", "c"].map((command) => sandbox.exec(command)));
  expect(results.map((result) => result.stdout)).toEqual(["a", "b", "c"]);
  expect(log).toEqual(["a starts", "a ends", "b starts", "b ends", "c starts", "c ends"]);
});

test("a thousand commands in one sandbox keep their order", async () => {
  const order: string[] = [];
  const { sandbox, events } = await runtimeOver(async ({ command }) => {
    order.push(command);
    return exited();
  });
  const commands = Array.from({ length: 1000 }, (_, index) => String(index));
  await Promise.all(commands.map((command) => sandbox.exec(command)));
  expect(order).toEqual(commands);
  expect(events.map((event) => event.seq)).toEqual(Array.from({ length: 2000 }, (_, index) => index + 1));
});

test("a waiting command that is aborted ends at once and lets the ones behind it keep their order", async () => {
  const started = signalOf();
  const release = signalOf();
  const ran: string[] = [];
  const { sandbox } = await runtimeOver(async ({ command }) => {
    ran.push(command);
    started.resolve();
    if (command === "first") await release.promise;
    return exited();
  });
  const controller = new AbortController();
  const first = sandbox.exec("first");
  const second = sandbox.exec("second", { signal: controller.signal });
  const third = sandbox.exec("third");
  await started.promise;
  controller.abort();
  expect(await second).toMatchObject({ exitCode: 137, ending: { kind: "killed", by: "abort" } });
  expect(ran).toEqual(["first"]);
  release.resolve();
  await Promise.all([first, third]);
  expect(ran).toEqual(["first", "third"]);
});

/** `outer` calls the tool `again`, which runs `inner` on the same sandbox. */
async function nesting(inner: (input: ExecuteInput) => Promise<ReturnType<typeof exited>>) {
  let sandbox: HarnessSandbox | undefined;
  const results: ExecResult[] = [];
  const tools = {
    again: {
      execute: async () => {
        await new Promise((resolve) => setImmediate(resolve));
        const result = await sandbox?.exec("inner");
        if (result) results.push(result);
        return result?.stdout;
      },
    },
  };
  const runtime = await runtimeOver(
    {
      outer: async (input) => exited((await input.invokeTool?.("again", "")) ?? "no tools"),
      inner,
      other: async () => exited("other"),
    },
    { tools },
  );
  sandbox = runtime.sandbox;
  return { ...runtime, results };
}

test("a command that a tool of a running command starts runs at once, as nested", async () => {
  const nestedFlags: boolean[] = [];
  const { sandbox, ofType } = await nesting(async (input) => {
    nestedFlags.push(input.nested);
    return exited("inside");
  });
  const [outer, other] = await Promise.all([sandbox.exec("outer"), sandbox.exec("other")]);
  expect(outer.stdout).toBe('"inside"');
  expect(other.stdout).toBe("other");
  expect(nestedFlags).toEqual([true]);
  const started = ofType("harness.runtime.command.started");
  expect(started.map(({ command, nested }) => [command, nested])).toEqual([
    ["outer", false],
    ["inner", true],
    ["other", false],
  ]);
});

test("several nested commands of one tool run at the same time", async () => {
  let sandbox: HarnessSandbox | undefined;
  const both = signalOf();
  let inside = 0;
  const tools = {
    two: { execute: () => Promise.all([sandbox?.exec("inner"), sandbox?.exec("inner")]).then(() => 2) },
  };
  const runtime = await runtimeOver(
    {
      outer: async (input) => exited((await input.invokeTool?.("two", "")) ?? ""),
      inner: async () => {
        if (++inside === 2) both.resolve();
        await both.promise;
        return exited();
      },
    },
    { tools },
  );
  sandbox = runtime.sandbox;
  expect((await sandbox.exec("outer")).stdout).toBe("2");
});

test("a tool that goes on after its command has ended waits its turn like everybody", async () => {
  let sandbox: HarnessSandbox | undefined;
  const flags: Record<string, boolean> = {};
  const outerEnded = signalOf();
  const late = signalOf<ExecResult | undefined>();
  const tools = {
    background: {
      execute: () => {
        void outerEnded.promise.then(async () => late.resolve(await sandbox?.exec("late")));
      },
    },
  };
  const runtime = await runtimeOver(
    async (input) => {
      flags[input.command] = input.nested;
      if (input.command === "outer") await input.invokeTool?.("background", "");
      return exited(input.command);
    },
    { tools },
  );
  sandbox = runtime.sandbox;
  await sandbox.exec("outer");
  outerEnded.resolve();
  expect((await late.promise)?.stdout).toBe("late");
  expect(flags).toEqual({ outer: false, late: false });
});

test("a nested command is stopped when the command around it ends", async () => {
  const innerStarted = signalOf();
  let sandbox: HarnessSandbox | undefined;
  const innerResult = signalOf<ExecResult | undefined>();
  const tools = { again: { execute: async () => innerResult.resolve(await sandbox?.exec("inner")) } };
  const runtime = await runtimeOver(
    {
      outer: async (input) => {
        input.invokeTool?.("again", "").catch(() => undefined);
        await innerStarted.promise;
        return exited();
      },
      inner: (input) => {
        innerStarted.resolve();
        return untilStopped(input);
      },
    },
    { tools },
  );
  sandbox = runtime.sandbox;
  expect((await sandbox.exec("outer")).exitCode).toBe(0);
  expect((await innerResult.promise)?.ending).toEqual({ kind: "killed", by: "abort" });
});

test("a way round over another sandbox is nested too, and does not wait for itself", async () => {
  let a: HarnessSandbox | undefined;
  let b: HarnessSandbox | undefined;
  const forward = (to: () => HarnessSandbox | undefined, command: string) => ({
    go: { execute: async () => (await to()?.exec(command))?.stdout },
  });
  const calling = async (input: ExecuteInput) => exited((await input.invokeTool?.("go", "")) ?? "");
  const first = await runtimeOver(
    { outer: calling, inner: async (input) => exited(`nested: ${input.nested}`) },
    { tools: forward(() => b, "middle") },
  );
  const second = await runtimeOver({ middle: calling }, { tools: forward(() => a, "inner") });
  a = first.sandbox;
  b = second.sandbox;
  expect((await a.exec("outer")).stdout).toContain("nested: true");
});

test("the context of an earlier command does not make a later call nested", async () => {
  // As over a pipe: every tool call comes out of the context in which the pipe was opened.
  let callFromPipe: ((input: ExecuteInput) => Promise<string>) | undefined;
  let sandbox: HarnessSandbox | undefined;
  const { AsyncResource } = await import("node:async_hooks");
  const runtime = await runtimeOver(
    async (input) => {
      callFromPipe ??= AsyncResource.bind(
        async (given: ExecuteInput) => (await given.invokeTool?.("again", "")) ?? "",
      );
      if (input.command === "inner") return exited(`nested: ${input.nested}`);
      return exited(await callFromPipe(input));
    },
    { tools: { again: { execute: async () => (await sandbox?.exec("inner"))?.stdout } } },
  );
  sandbox = runtime.sandbox;
  expect((await sandbox.exec("one")).stdout).toContain("nested: true");
  expect((await sandbox.exec("two")).stdout).toContain("nested: true");
  expect((await sandbox.exec("inner")).stdout).toBe("nested: false");
});
