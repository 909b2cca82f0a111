/** The one sandbox of a turn: when it is made, and that it is gone when the turn is. */
import { expect, test } from "vitest";
import type { HarnessSandbox, HarnessSandboxFactory } from "../../../src/index.ts";
import { gate } from "../../helpers/gate.ts";
import { hostForTest, scriptedSandbox, turnOnDisk, typesOf } from "../../helpers/hosts.ts";

test("a sandbox is made at its first use and once, however many ask", async () => {
  const made: HarnessSandbox[] = [];
  const factory: HarnessSandboxFactory = async (options) => {
    const sandbox = await scriptedSandbox()(options);
    made.push(sandbox);
    return sandbox;
  };
  const host = hostForTest({ sandbox: factory });
  await using turn = await host.prepareTurn();
  expect(made).toHaveLength(0);
  expect(turn.sandboxOpened).toBe(false);
  const got = await Promise.all([turn.sandbox(), turn.sandbox(), turn.sandbox()]);
  expect(made).toHaveLength(1);
  expect(new Set(got)).toEqual(new Set(made));
  expect(await turn.sandbox()).toBe(made[0]);
  expect(turn.sandboxOpened).toBe(true);
});

test.each<[string, () => unknown, string]>([
  ["rejects", async () => Promise.reject(new Error("no room at /srv/secret")), "no room at <path>"],
  [
    "throws",
    () => {
      throw new Error("no room");
    },
    "no room",
  ],
  ["gives nothing", async () => undefined, "the factory gave no sandbox"],
])("a factory that %s is an error that says so, and may be asked again", async (_what, fail, message) => {
  let asked = 0;
  const factory = ((options) =>
    ++asked === 1 ? fail() : scriptedSandbox()(options)) as HarnessSandboxFactory;
  const host = hostForTest({ sandbox: factory });
  await using turn = await host.prepareTurn();
  const failed = await Promise.allSettled([turn.sandbox(), turn.sandbox()]);
  for (const one of failed)
    expect(one).toMatchObject({
      reason: { code: "SANDBOX_UNAVAILABLE", message: expect.stringContaining(message) },
    });
  expect(asked).toBe(1);
  expect(turn.sandboxOpened).toBe(false);
  expect(await (await turn.sandbox()).exec("x")).toMatchObject({ stdout: "x\n" });
});

test.each<[string, () => Promise<void>, string]>([
  ["fails", async () => Promise.reject(new Error("stuck at /srv/secret")), "stuck at <path>"],
  ["never ends", () => new Promise(() => undefined), "dispose took longer than 50 ms"],
])(
  "a sandbox whose dispose %s is told once, and the turn keeps its outcome",
  async (_what, dispose, error) => {
    const bare: HarnessSandboxFactory = async (options) => {
      const sandbox = await scriptedSandbox()(options);
      return { exec: sandbox.exec.bind(sandbox), dispose } as unknown as HarnessSandbox;
    };
    const host = hostForTest({ sandbox: bare, disposeTimeoutMs: 50 });
    const turn = await host.prepareTurn();
    await turn.sandbox();
    turn.end({ status: "completed" });
    await turn.dispose();
    const { events, record, isLocked } = turnOnDisk(host, turn);
    expect(typesOf(events)).toEqual(["turn.started", "runtime.dispose.failed", "turn.completed"]);
    expect(events[1]).toMatchObject({ error: expect.stringContaining(error) });
    expect(record).toMatchObject({ status: "completed" });
    expect(isLocked).toBe(false);
  },
);

test("what the runtime tells of its own dispose is not told twice", async () => {
  const host = hostForTest({
    sandbox: scriptedSandbox(undefined, () => Promise.reject(new Error("stuck"))),
  });
  const turn = await host.prepareTurn();
  await turn.sandbox();
  await turn.dispose();
  expect(typesOf(turnOnDisk(host, turn).events)).toEqual([
    "turn.started",
    "runtime.dispose.failed",
    "turn.failed",
  ]);
});

test("a turn that ends while its sandbox is being made waits for it and disposes of it", async () => {
  const { promise, open } = gate();
  let disposed = 0;
  const host = hostForTest({
    sandbox: async (options) => {
      await promise;
      return await scriptedSandbox(undefined, () => void disposed++)(options);
    },
  });
  const turn = await host.prepareTurn();
  const asked = turn.sandbox();
  const rejected = expect(asked).rejects.toMatchObject({ code: "TURN_ENDED" });
  const disposing = turn.dispose();
  open();
  await Promise.all([disposing, rejected]);
  expect(disposed).toBe(1);
  expect(typesOf(turnOnDisk(host, turn).events)).toEqual(["turn.started", "turn.failed"]);
});

test("a sandbox that comes after the turn has given up on it is told, and disposed of when it comes", async () => {
  const { promise, open } = gate();
  const gone = gate();
  const host = hostForTest({
    disposeTimeoutMs: 30,
    sandbox: async (options) => {
      await promise;
      return await scriptedSandbox(undefined, () => gone.open())(options);
    },
  });
  const turn = await host.prepareTurn();
  const asked = expect(turn.sandbox()).rejects.toMatchObject({ code: "TURN_ENDED" });
  await turn.dispose();
  expect(turnOnDisk(host, turn).events[1]).toMatchObject({
    type: "harness.runtime.dispose.failed",
    error: expect.stringContaining("still being made"),
  });
  open();
  await Promise.all([gone.promise, asked]);
});
