import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import type { HarnessTurnEvent } from "../../../src/index.ts";
import { gate } from "../../helpers/gate.ts";
import { hostForTest, scriptedSandbox, turnOnDisk, typesOf } from "../../helpers/hosts.ts";

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
