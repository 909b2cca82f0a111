import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import type { HarnessSandbox, HarnessSandboxFactory, HarnessTurnEvent } from "../../../src/index.ts";
import { hostForTest, scriptedSandbox, turnOnDisk, typesOf } from "../../helpers/hosts.ts";

/** Something to wait for, settled from outside. */
function gate<T = void>(): { promise: Promise<T>; open: (value: T) => void; fail: (error: unknown) => void } {
  let open: (value: T) => void = () => undefined;
  let fail: (error: unknown) => void = () => undefined;
  const promise = new Promise<T>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  return { promise, open, fail };
}

test("a turn is one stream of events, numbered over all who tell, and the file says the same", async () => {
  const host = hostForTest({ sandbox: scriptedSandbox() });
  const events: HarnessTurnEvent[] = [];
  const turn = await host.prepareTurn({ runId: "run-1", onEvent: (event) => events.push(event) });
  turn.emit({ type: "harness.model.step.started", occurrenceId: "step-1", step: 1 });
  await (await turn.sandbox()).exec("one");
  await turn.artifact("a.txt", "text");
  turn.end({ status: "completed", finishReason: "stop", steps: 1, usage: { totalTokens: 7 } });
  turn.end({ status: "failed", error: "too late" });
  await turn.dispose();
  expect(typesOf(events)).toEqual([
    "turn.started",
    "model.step.started",
    "runtime.command.started",
    "runtime.command.completed",
    "file.created",
    "turn.completed",
  ]);
  expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(new Set(events.map(({ id }) => id)).size).toBe(6);
  expect(new Set(events.map(({ turnId }) => turnId))).toEqual(new Set([turn.id]));
  expect(events[0]).toMatchObject({ sessionId: turn.session.id, runId: "run-1", sandboxMode: "custom" });
  expect(events[4]).toMatchObject({ path: "/artifacts/a.txt", size: 4, source: "host" });
  expect(events[5]).toMatchObject({ finishReason: "stop", steps: 1, usage: { totalTokens: 7 } });
  const disk = turnOnDisk(host, turn);
  expect(disk.events).toEqual(JSON.parse(JSON.stringify(events)));
  expect(disk.record).toMatchObject({
    status: "completed",
    runId: "run-1",
    sandboxOpened: true,
    steps: 1,
    process: { pid: process.pid },
  });
  expect(disk.isLocked).toBe(false);
});

test("a turn that ends without an outcome was aborted, and holds nothing", async () => {
  const host = hostForTest({ sandbox: scriptedSandbox() });
  const turn = await host.prepareTurn();
  expect(turnOnDisk(host, turn).record).toMatchObject({ status: "running" });
  expect(turnOnDisk(host, turn).isLocked).toBe(true);
  const first = turn.dispose();
  expect(turn.dispose()).toBe(first);
  await first;
  const { record, events, isLocked } = turnOnDisk(host, turn);
  expect(record).toMatchObject({ status: "aborted", sandboxOpened: false });
  expect(typesOf(events)).toEqual(["turn.started", "turn.failed"]);
  expect(events[1]).toMatchObject({ status: "aborted" });
  expect(isLocked).toBe(false);
  turn.emit({ type: "harness.model.step.started", occurrenceId: "late", step: 1 });
  await expect(turn.sandbox()).rejects.toMatchObject({ code: "TURN_ENDED" });
  await expect(turn.artifact("a", "b")).rejects.toMatchObject({ code: "TURN_ENDED" });
  expect(turnOnDisk(host, turn).events).toHaveLength(2);
});

test("a session has one turn at a time, and the next one as soon as that has ended", async () => {
  const host = hostForTest({ sandbox: scriptedSandbox() });
  const session = await host.createSession();
  const tried = await Promise.allSettled(Array.from({ length: 5 }, () => host.prepareTurn({ session })));
  const [turn, ...more] = tried.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  expect(more).toEqual([]);
  for (const one of tried)
    if (one.status === "rejected") expect(one.reason).toMatchObject({ code: "SESSION_BUSY" });
  await turn?.dispose();
  await using next = await host.prepareTurn({ session: session.id });
  expect(next.session.id).toBe(session.id);
});

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

test("closing a host ends its turns, those under way too, and takes no more", async () => {
  let disposed = 0;
  const host = hostForTest({ sandbox: scriptedSandbox(undefined, () => void disposed++) });
  const turns = await Promise.all([host.prepareTurn(), host.prepareTurn()]);
  await Promise.all(turns.map((turn) => turn.sandbox()));
  const late = host.prepareTurn();
  const settled = Promise.allSettled([late]);
  await host.close();
  expect(disposed).toBe(2);
  for (const turn of turns) expect(turnOnDisk(host, turn).isLocked).toBe(false);
  const [outcome] = await settled;
  if (outcome?.status === "fulfilled") expect(turnOnDisk(host, outcome.value).isLocked).toBe(false);
  else expect(outcome?.reason).toMatchObject({ code: "HOST_CLOSED" });
  await expect(host.prepareTurn()).rejects.toMatchObject({ code: "HOST_CLOSED" });
  await expect(host.createSession()).rejects.toMatchObject({ code: "HOST_CLOSED" });
});

test("a listener that throws, rejects or is slow changes nothing, and the end waits for it", async () => {
  const slow = gate();
  let isDone = false;
  const host = hostForTest({ sandbox: scriptedSandbox() });
  const turn = await host.prepareTurn({
    onEvent: ({ type }) => {
      if (type === "harness.turn.started") throw new Error("no");
      if (type === "harness.runtime.command.started") return Promise.reject(new Error("no"));
      if (type === "harness.runtime.command.completed")
        return slow.promise.then(() => {
          isDone = true;
        });
      // Its `Promise` is not ours.
      if (type === "harness.turn.failed") return runInNewContext("Promise.reject(new Error('no'))");
      return undefined;
    },
  });
  expect(await (await turn.sandbox()).exec("x")).toMatchObject({ exitCode: 0 });
  const disposing = turn.dispose();
  slow.open();
  await disposing;
  expect(isDone).toBe(true);
  expect(turnOnDisk(host, turn).events).toHaveLength(4);
});

test("a turn whose directory cannot be made goes on, tells it once, and frees the session", async () => {
  const host = hostForTest({ sandbox: scriptedSandbox() });
  const session = await host.createSession();
  rmSync(join(session.directory, "turns"), { recursive: true });
  writeFileSync(join(session.directory, "turns"), "in the way");
  const events: HarnessTurnEvent[] = [];
  const turn = await host.prepareTurn({ session, onEvent: (event) => events.push(event) });
  expect(await (await turn.sandbox()).exec("x")).toMatchObject({ exitCode: 0 });
  turn.end({ status: "completed" });
  await turn.dispose();
  expect(typesOf(events)).toEqual([
    "turn.started",
    "turn.log.failed",
    "runtime.command.started",
    "runtime.command.completed",
    "turn.completed",
  ]);
  expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
  expect(events[1]).toMatchObject({ error: expect.stringContaining("ENOTDIR") });
  expect(existsSync(join(session.directory, "turn.lock"))).toBe(false);
});

test("an event that is no JSON costs its fields, not the file its order", async () => {
  const host = hostForTest({ sandbox: scriptedSandbox() });
  const turn = await host.prepareTurn();
  turn.emit({
    type: "harness.tool_call.completed",
    occurrenceId: "o",
    tool: "t",
    toolCallId: "c",
    step: 1,
    durationMs: 1,
    result: 1n,
  });
  await turn.dispose();
  const { events } = turnOnDisk(host, turn);
  expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3]);
  expect(events[1]).toMatchObject({ type: "harness.tool_call.completed", notJson: true });
});

test("artifacts get names of their own, and nothing that scripts left is overwritten or followed", async () => {
  const host = hostForTest({ sandbox: scriptedSandbox() });
  const session = await host.createSession();
  const outside = join(host.dataDir, "outside.txt");
  symlinkSync(outside, join(session.artifactsDir, "link.txt"));
  writeFileSync(join(session.artifactsDir, "taken.txt"), "theirs");
  await using turn = await host.prepareTurn({ session });
  const names: Record<string, string> = {
    "taken.txt": "/artifacts/taken-2.txt",
    "link.txt": "/artifacts/link-2.txt",
    "../../etc/passwd": "/artifacts/passwd",
    "C:\\temp\\a.txt": "/artifacts/a.txt",
    ".hidden": "/artifacts/hidden",
    "-rf": "/artifacts/_rf",
    "...": "/artifacts/artifact",
    "a\0b\n.txt": "/artifacts/a_b_.txt",
    "nul.txt": "/artifacts/_nul.txt",
    "Ergebnis für Ä.csv": "/artifacts/Ergebnis für Ä.csv",
  };
  for (const [name, path] of Object.entries(names)) {
    expect(await turn.artifact(name, "ours")).toEqual({ path, sizeBytes: 4 });
    expect(readFileSync(join(session.artifactsDir, path.slice("/artifacts/".length)), "utf8")).toBe("ours");
  }
  expect(existsSync(outside)).toBe(false);
  expect(readFileSync(join(session.artifactsDir, "taken.txt"), "utf8")).toBe("theirs");
  const many = await Promise.all(
    Array.from({ length: 20 }, () => turn.artifact(`${"é".repeat(300)}.log`, Uint8Array.of(1))),
  );
  expect(new Set(many.map(({ path }) => path)).size).toBe(20);
  for (const { path } of many) expect(Buffer.byteLength(path)).toBeLessThan(255);
  await expect(turn.artifact("", "x")).rejects.toMatchObject({ code: "OPTION_INVALID" });
  await expect(turn.artifact("x", 1 as never)).rejects.toMatchObject({ code: "OPTION_INVALID" });
});

test("persistent directories are made on demand, and those that are ro reach the factory as prefixes", async () => {
  let prefixes: readonly string[] | undefined;
  const host = hostForTest({
    sandbox: async (options) => {
      prefixes = options.getReadOnlyPrefixes?.();
      return await scriptedSandbox()(options);
    },
  });
  await using turn = await host.prepareTurn({
    persistentDirs: [
      { name: "notes", access: "rw" },
      { name: "rules", access: "ro" },
    ],
  });
  await turn.sandbox();
  expect(prefixes).toEqual(["/persistent/rules"]);
  expect(readdirSync(join(host.dataDir, "persistent")).sort()).toEqual(["notes", "rules"]);
});

test("a link that a script left where a persistent directory should be is refused, and the session is free", async () => {
  const host = hostForTest({ sandbox: scriptedSandbox() });
  const session = await host.createSession();
  const outside = join(host.dataDir, "outside");
  mkdirSync(outside);
  symlinkSync(outside, join(session.persistentDir, "notes"));
  await expect(
    host.prepareTurn({ session, persistentDirs: [{ name: "notes", access: "rw" }] }),
  ).rejects.toMatchObject({ code: "OPTION_INVALID", data: { name: "notes" } });
  await (await host.prepareTurn({ session })).dispose();
});

test.each([
  [{ session: 1 }, "session"],
  [{ runId: "" }, "runId"],
  [{ runtime: { python: "no" } }, "runtime.python"],
  [{ runtime: { ruby: true } }, "ruby"],
  [{ tools: { t: { execute: 1 } }, toolContext: null }, "t"],
  [{ traceOptions: "all" }, "trace options"],
  [{ replay: {} }, "replay"],
  [{ onEvent: 1 }, "onEvent"],
  [{ persistentDirs: [{ name: "../x", access: "rw" }] }, "persistentDirs[0].name"],
  [{ persistentDirs: [{ name: "x", access: "w" }] }, "persistentDirs[0].access"],
  [{ prompt: "x" }, "prompt"],
])("prepareTurn(%j) is an error that names the option, before anything is made", async (options, name) => {
  const host = hostForTest();
  await expect(host.prepareTurn(options as never)).rejects.toMatchObject({
    code: expect.stringMatching(/^(?:OPTION|TOOL)_INVALID$/),
    message: expect.stringContaining(name),
  });
  expect(existsSync(host.dataDir)).toBe(false);
});

test("tools without a context are an error at the call", async () => {
  const host = hostForTest();
  await expect(host.prepareTurn({ tools: { t: { execute: () => 1 } } })).rejects.toMatchObject({
    code: "TOOLS_WITHOUT_CONTEXT",
  });
});

test("a session of another data directory is refused", async () => {
  const one = hostForTest();
  const other = hostForTest();
  const session = await one.createSession({ id: "same" });
  await other.createSession({ id: "same" });
  await expect(other.prepareTurn({ session })).rejects.toMatchObject({ code: "OPTION_INVALID" });
});

test("a turn whose process died is recorded as aborted when the session is next used", async () => {
  const host = hostForTest({ sandbox: scriptedSandbox() });
  const session = await host.createSession();
  const turns = join(session.directory, "turns");
  mkdirSync(join(turns, "turn-old"));
  const dead = { pid: 2 ** 22 + 1, start: "1", place: "elsewhere" };
  writeFileSync(
    join(turns, "turn-old/turn.json"),
    JSON.stringify({ turnId: "turn-old", status: "running", process: dead }),
  );
  const { ownIdentity } = await import("../../../src/storage/process-identity.ts");
  writeFileSync(
    join(session.directory, "turn.lock"),
    JSON.stringify({ ...ownIdentity(), pid: dead.pid, token: "0123456789abcdef", since: "then" }),
  );
  await using turn = await host.prepareTurn({ session });
  expect(turnOnDisk(host, turn).record).toMatchObject({ status: "running" });
  expect(JSON.parse(readFileSync(join(turns, "turn-old/turn.json"), "utf8"))).toMatchObject({
    status: "aborted",
    error: expect.stringContaining("process"),
  });
});
