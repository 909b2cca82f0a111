import { expect, test } from "vitest";
import type { ExecResult, HarnessSandbox } from "../../../src/shared/sandbox.ts";
import { createShellRuntime, type ShellRuntimeOptions } from "../../../src/shell/shell-runtime.ts";
import { exited, runtimeOver, signalOf, untilStopped } from "./helpers.ts";

test("dispose ends the running command, refuses those that wait, and every later call", async () => {
  const started = signalOf();
  const { sandbox, types } = await runtimeOver((input) => {
    started.resolve();
    return untilStopped(input);
  });
  const running = sandbox.exec("running");
  const waiting = sandbox.exec("waiting");
  await started.promise;
  await sandbox.dispose();
  expect(await running).toMatchObject({ exitCode: 137, ending: { kind: "killed", by: "dispose" } });
  expect(await waiting).toMatchObject({ exitCode: 126, ending: { kind: "refused", by: "policy" } });
  const told = types().length;
  const later = await sandbox.exec("later");
  expect(later).toMatchObject({
    exitCode: 126,
    ending: { kind: "refused", by: "policy" },
    stderr: "harness: the sandbox was disposed\n",
  });
  expect((await waiting).stderr).toBe(later.stderr);
  await expect(sandbox.fs.readFile("/session/x")).rejects.toMatchObject({ code: "SANDBOX_DISPOSED" });
  await expect(sandbox.fs.writeFile("/session/x", "")).rejects.toMatchObject({ code: "SANDBOX_DISPOSED" });
  expect(types()).toHaveLength(told);
  expect(types().filter((type) => type === "runtime.command.failed")).toHaveLength(2);
});

test("every dispose is the same promise, and the executor's runs once", async () => {
  let disposes = 0;
  const { sandbox } = await runtimeOver(async () => exited(), { dispose: () => void disposes++ });
  const first = sandbox.dispose();
  expect(sandbox.dispose()).toBe(first);
  await first;
  await sandbox[Symbol.asyncDispose]();
  expect(disposes).toBe(1);
});

test("the executor's dispose comes after the running command has ended", async () => {
  const started = signalOf();
  const order: string[] = [];
  const { sandbox } = await runtimeOver(
    async (input) => {
      started.resolve();
      const report = await untilStopped(input);
      order.push("command ended");
      return report;
    },
    { dispose: () => void order.push("disposed") },
  );
  const running = sandbox.exec("x");
  await started.promise;
  await sandbox.dispose();
  await running;
  expect(order).toEqual(["command ended", "disposed"]);
});

test.each<[string, ShellRuntimeOptions["dispose"], string]>([
  [
    "throws",
    () => {
      throw new Error("stuck");
    },
    "stuck",
  ],
  ["rejects", () => Promise.reject(new Error("stuck")), "stuck"],
  ["never ends", () => new Promise<void>(() => undefined), "dispose took longer than 5 ms"],
])("an executor whose dispose %s is an event, never a rejection", async (_, dispose, error) => {
  const { sandbox, ofType } = await runtimeOver(async () => exited(), { dispose, disposeTimeoutMs: 5 });
  await sandbox.dispose();
  expect(ofType("harness.runtime.dispose.failed")).toMatchObject([{ error }]);
});

test("an executor that does not stop does not hold dispose for ever", async () => {
  const started = signalOf();
  const { sandbox } = await runtimeOver(
    () => {
      started.resolve();
      return new Promise(() => undefined);
    },
    { lastResortMs: 5 },
  );
  const running = sandbox.exec("x");
  await started.promise;
  await sandbox.dispose();
  expect((await running).ending.kind).toBe("unknown");
});

test("dispose from a tool of the running command does not wait for itself", async () => {
  let sandbox: HarnessSandbox | undefined;
  const tools = { end: { execute: () => sandbox?.dispose() } };
  const runtime = await runtimeOver(
    async (input) => {
      void input.invokeTool?.("end", "");
      return await untilStopped(input);
    },
    { tools },
  );
  sandbox = runtime.sandbox;
  expect((await sandbox.exec("x")).ending).toEqual({ kind: "killed", by: "dispose" });
  await sandbox.dispose();
});

test("dispose out of emit finds the sandbox whole and ends it once", async () => {
  let disposes = 0;
  let sandbox: HarnessSandbox | undefined;
  const seen: Promise<void>[] = [];
  const runtime = await runtimeOver(async (input) => await untilStopped(input), {
    emit: () => {
      if (sandbox) seen.push(sandbox.dispose());
    },
    dispose: () => void disposes++,
  });
  sandbox = runtime.sandbox;
  const result: ExecResult = await sandbox.exec("x");
  expect(result.ending.kind).not.toBe("exited");
  await Promise.all(seen);
  expect(disposes).toBe(1);
});

test.each<[string, object, string]>([
  ["no executor", { emit: () => undefined }, "execute: expected a function"],
  ["no emit", { execute: async () => exited() }, "emit: expected a function"],
  [
    "no workspace",
    { execute: async () => exited(), emit: () => undefined },
    "workspace: expected a workspace spec",
  ],
  [
    "a mount that is not there",
    {
      execute: async () => exited(),
      emit: () => undefined,
      workspace: {
        mounts: [{ path: "/a", backingPath: "/does/not/exist", access: "rw", tracked: true }],
        cwd: "/a",
        capabilities: { python: true, javascript: true },
      },
    },
    "/a",
  ],
])("a runtime with %s is an error at once", (_, options, message) => {
  expect(() => createShellRuntime(options as ShellRuntimeOptions)).toThrow(message);
});
