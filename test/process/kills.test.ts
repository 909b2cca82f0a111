/**
 * SIGKILL of the worker at every point of its life, one test for each, hence the length: a truthful result, no process
 * left, and the next command works.
 */
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import {
  type ExecResult,
  type HarnessSandbox,
  isSandboxError,
  type OpenSandboxOptions,
} from "../../src/index.ts";
import { openForTest } from "../helpers/open.ts";
import { isAlive, killWorker, until, workerPids } from "../helpers/processes.ts";
import { failOnStrays } from "../helpers/strays.ts";
import { tempDir } from "../helpers/temp-dir.ts";

failOnStrays();

const silentWorker = fileURLToPath(new URL("../fixtures/workers/silent.mjs", import.meta.url));
const SILENT = "workers/silent.mjs";

/** A sandbox whose shell has something to lose; checks at the end that no worker outlived it. */
async function openWithState(options: Partial<OpenSandboxOptions> = {}) {
  onTestFinished(() => expect(workerPids()).toEqual([]));
  const opened = await openForTest(options);
  expect(await opened.sandbox.exec("x=kept; export e='a b'; cd /tmp")).toMatchObject({ exitCode: 0 });
  return opened;
}

async function expectNextWorks(sandbox: HarnessSandbox): Promise<void> {
  expect(await sandbox.exec('echo "$x|$e|$PWD"; printenv e')).toMatchObject({
    stdout: "kept|a b|/tmp\na b\n",
    stderr: "",
    exitCode: 0,
    ending: { kind: "exited" },
    stateRestored: true,
  });
}

function expectKilled(result: ExecResult, stdout: string): void {
  expect(result).toMatchObject({ exitCode: 137, stdout, ending: { kind: "unknown" } });
  expect(result.ending).toHaveProperty("why", expect.stringContaining("SIGKILL"));
  expect(result.stderr).toContain("SIGKILL");
}

async function failure(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  return null;
}

/** A promise and its resolver: the moment at which a test may go on. */
function moment(): { readonly come: Promise<void>; set(): void } {
  let set = (): void => undefined;
  const come = new Promise<void>((resolve) => {
    set = resolve;
  });
  return { come, set: () => set() };
}

test("killed when idle", async () => {
  const { sandbox } = await openWithState();
  await killWorker();
  await expectNextWorks(sandbox);
});

test("killed when idle, with the next command already on its way", async () => {
  const { sandbox } = await openWithState();
  const [pid] = workerPids();
  process.kill(Number(pid), "SIGKILL");
  const result = await sandbox.exec('echo "$x"');
  if (result.ending.kind === "exited") expect(result.stdout).toBe("kept\n");
  else expectKilled(result, "");
  await expectNextWorks(sandbox);
});

test("killed as soon as it is there, before it can have answered", async () => {
  const { sandbox } = await openWithState();
  await killWorker();
  const result = sandbox.exec("echo ran");
  await until(() => workerPids().length > 0);
  await killWorker();
  expectKilled(await result, "");
  await expectNextWorks(sandbox);
});

test("a worker that never says hello is given up after startTimeoutMs, and says so", async () => {
  const { sandbox } = await openForTest({ workerPath: silentWorker, limits: { startTimeoutMs: 300 } });
  for (const _ of [1, 2]) {
    const result = await sandbox.exec("true");
    expect(result).toMatchObject({ exitCode: 126, ending: { kind: "unknown" } });
    expect(result.ending).toHaveProperty("why", expect.stringContaining("startTimeoutMs"));
    expect(workerPids(process.pid, SILENT)).toEqual([]);
  }
  const error = await failure(sandbox.fs.stat("/w"));
  expect(isSandboxError(error) && error.code).toBe("WORKER_START_TIMEOUT");
});

test("a deadline, an abort and dispose do not wait for a worker that never says hello", async () => {
  const { sandbox } = await openForTest({ workerPath: silentWorker });
  expect(await sandbox.exec("true", { timeoutMs: 300 })).toMatchObject({
    exitCode: 124,
    ending: { kind: "killed", by: "deadline" },
  });
  const abort = new AbortController();
  const aborted = sandbox.exec("true", { signal: abort.signal });
  await until(() => workerPids(process.pid, SILENT).length === 1);
  abort.abort();
  expect(await aborted).toMatchObject({ exitCode: 137, ending: { kind: "killed", by: "abort" } });
  const disposed = sandbox.exec("true");
  await until(() => workerPids(process.pid, SILENT).length === 1);
  await sandbox.dispose();
  expect(await disposed).toMatchObject({ exitCode: 137, ending: { kind: "killed", by: "dispose" } });
  expect(workerPids(process.pid, SILENT)).toEqual([]);
});

test("dispose ends a file call that waits for a worker that never says hello", async () => {
  const { sandbox, events } = await openForTest({ workerPath: silentWorker });
  const call = failure(sandbox.fs.stat("/w"));
  await until(() => workerPids(process.pid, SILENT).length === 1);
  await sandbox.dispose();
  expect(isSandboxError(await call)).toBe(true);
  expect(workerPids(process.pid, SILENT)).toEqual([]);
  expect(events).toEqual([]);
});

test("killed while it has not said hello", async () => {
  const { sandbox } = await openForTest({ workerPath: silentWorker });
  const result = sandbox.exec("true");
  await until(() => workerPids(process.pid, SILENT).length === 1);
  await killWorker(SILENT);
  expectKilled(await result, "");
});

test("killed in what bash itself does", async () => {
  const { sandbox } = await openWithState();
  for (const loop of [
    "while true; do :; done",
    "sleep 600",
    "f() { while true; do :; done; }; f",
    "while true; do echo x; done | cat > /dev/null",
  ]) {
    const started = moment();
    const result = sandbox.exec(`x=lost; cd /w; echo started; ${loop}`, { onStdout: started.set });
    await started.come;
    await killWorker();
    expectKilled(await result, "started\n");
    await expectNextWorks(sandbox);
  }
});

test("killed in js-exec", async () => {
  const started = moment();
  const { sandbox } = await openWithState({ tools: { started: { execute: started.set } } });
  const result = sandbox.exec("echo before; js-exec -c 'await tools.started({}); for (;;) {}'");
  await started.come;
  await killWorker();
  expectKilled(await result, "before\n");
  await expectNextWorks(sandbox);
});

test("killed in python3", async () => {
  const { sandbox, directory } = await openWithState();
  const result = sandbox.exec(
    "echo before; python3 -c \"open('/w/started', 'w').close()\nwhile True: pass\"",
  );
  await until(() => existsSync(join(directory, "started")), 20_000);
  await killWorker();
  const { changes, ...rest } = await result;
  expectKilled({ changes, ...rest }, "before\n");
  expect(changes).toMatchObject([{ change: "created", path: "/w/started" }]);
  await expectNextWorks(sandbox);
});

test("killed while output arrives: the result holds what came, and the stream is the same", async () => {
  const { sandbox } = await openWithState();
  const chunks: Uint8Array[] = [];
  let pid: number | undefined;
  const result = await sandbox.exec('i=0; while true; do echo "line $((i++))"; done', {
    onStdout: (chunk) => {
      if (chunks.push(chunk) !== 20) return;
      [pid] = workerPids();
      process.kill(Number(pid), "SIGKILL");
    },
  });
  expect(chunks.length).toBeGreaterThanOrEqual(20);
  expectKilled(result, Buffer.concat(chunks).toString());
  expect(result.stdout).toMatch(/^line 0\nline 1\n/);
  expect(isAlive(Number(pid))).toBe(false);
  await expectNextWorks(sandbox);
});

test("killed with output on its way: what it wrote before its end is in the result", async () => {
  // Not tracked: a change in a tracked mount waits until this process has looked, and it is busy below.
  const directory = tempDir();
  const { sandbox } = await openWithState({ mounts: { "/w": { path: directory, tracked: false } } });
  let pid: number | undefined;
  const result = await sandbox.exec(
    // So few that all of it fits between the two while nobody reads.
    "for i in {1..50}; do echo $i; done; echo > /w/done; while true; do :; done",
    {
      onStdout: () => {
        if (pid !== undefined) return;
        [pid] = workerPids();
        // Nothing is read from the worker while this turn lasts.
        while (!existsSync(join(directory, "done"))) readdirSync(directory);
        process.kill(Number(pid), "SIGKILL");
      },
    },
  );
  expectKilled(result, Array.from({ length: 50 }, (_, n) => `${n + 1}\n`).join(""));
  await expectNextWorks(sandbox);
});

const AFTER_THE_KILL: Record<string, () => unknown> = {
  "that then returns": () => "answer",
  "that then rejects": () => Promise.reject(new Error("the tool fails")),
  "that never settles": () => new Promise(() => undefined),
};

for (const [what, afterwards] of Object.entries(AFTER_THE_KILL)) {
  test(`killed by a tool ${what}`, async () => {
    const { sandbox, events } = await openWithState({
      tools: {
        kill: {
          async execute() {
            await killWorker();
            return afterwards();
          },
        },
      },
    });
    const result = await sandbox.exec(
      "echo before; js-exec -c 'console.log(await tools.kill({}))'; echo after",
    );
    expectKilled(result, "before\n");
    const ends = events.filter(({ type }) => /^harness\.tool_call\.(completed|failed)$/.test(type));
    expect(ends).toHaveLength(1);
    await expectNextWorks(sandbox);
  });
}

test("killed while a file is written: the call rejects, and files and shell go on", async () => {
  const { sandbox, directory } = await openWithState();
  const content = new Uint8Array(10_000_000);
  const call = failure(sandbox.fs.writeFile("/w/big", content));
  while (readdirSync(directory).length === 0) await new Promise((resolve) => setImmediate(resolve));
  await killWorker();
  const error = await call;
  // Not killed in time: then it is all there.
  if (error === null) expect(statSync(join(directory, "big")).size).toBe(content.length);
  else expect(isSandboxError(error) && error.code).toBe("WORKER_EXITED");
  await sandbox.fs.writeFile("/w/small", "content");
  expect(await sandbox.fs.readFile("/w/small")).toBe("content");
  await expectNextWorks(sandbox);
});

test("killed while a file is read: the call is asked again", async () => {
  const { sandbox } = await openWithState();
  await sandbox.fs.writeFile("/w/big", new Uint8Array(5_000_000).fill(7));
  const call = sandbox.fs.readFileBuffer("/w/big");
  await new Promise((resolve) => setImmediate(resolve));
  await killWorker();
  expect(Buffer.compare(await call, new Uint8Array(5_000_000).fill(7))).toBe(0);
  await expectNextWorks(sandbox);
});

test("killed during dispose of an idle sandbox", async () => {
  const { sandbox, events } = await openWithState();
  const [pid] = workerPids();
  const disposed = sandbox.dispose();
  process.kill(Number(pid), "SIGKILL");
  await disposed;
  expect(isAlive(Number(pid))).toBe(false);
  expect(events.filter(({ type }) => type === "harness.runtime.dispose.failed")).toEqual([]);
});

test("killed during dispose of a sandbox at work: the command says that it was disposed of", async () => {
  const { sandbox, events } = await openWithState();
  const started = moment();
  const result = sandbox.exec("echo started; while true; do :; done", { onStdout: started.set });
  await started.come;
  const [pid] = workerPids();
  const disposed = sandbox.dispose();
  process.kill(Number(pid), "SIGKILL");
  await disposed;
  expect(await result).toMatchObject({
    exitCode: 137,
    stdout: "started\n",
    ending: { kind: "killed", by: "dispose" },
  });
  expect(isAlive(Number(pid))).toBe(false);
  expect(events.filter(({ type }) => type === "harness.runtime.dispose.failed")).toEqual([]);
});

test("killed again and again: each command gets its own new worker with the same state", async () => {
  const { sandbox } = await openWithState();
  const pids = new Set<number>();
  for (let round = 0; round < 3; round++) {
    pids.add(await killWorker());
    await expectNextWorks(sandbox);
  }
  expect(pids.size).toBe(3);
});
