/** No worker outlives the process that started it, whatever both of them do, and none keeps that process alive. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { isAlive, until, workerPids } from "../helpers/processes.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const script = fileURLToPath(new URL("../fixtures/parents/parent.mjs", import.meta.url));

/** Within this a worker must be gone after its parent; the promise is far below it, the machine may be busy. */
const GONE_MS = 2_000;

interface Parent {
  readonly process: ChildProcess;
  readonly pid: number;
  /** Where it may keep private directories. */
  readonly temp: string;
  readonly mount: string;
  readonly exit: Promise<{ code: number | null; signal: string | null }>;
  output(): string;
}

function startParent(guest: string, end = "wait"): Parent {
  const directory = tempDir();
  const [temp, mount] = [join(directory, "temp"), join(directory, "mount")];
  mkdirSync(temp);
  mkdirSync(mount);
  const child = spawn(process.execPath, [script, mount, guest, end], {
    env: { TMPDIR: temp },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error("the parent did not start");
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8");
    stream.on("data", (text: string) => {
      output += text;
    });
  }
  const exit = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once("close", (code, signal) => resolve({ code, signal }));
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  return { process: child, pid, temp, mount, exit, output: () => output };
}

/** The one worker of a parent whose guest is at work. */
async function workerOf(parent: Parent, isAtWork: () => boolean): Promise<number> {
  await until(isAtWork, 20_000);
  const [pid] = workerPids(parent.pid);
  if (pid === undefined) throw new Error(`the parent has no worker: ${parent.output()}`);
  onTestFinished(() => {
    if (isAlive(pid)) process.kill(pid, "SIGKILL");
  });
  return pid;
}

for (const guest of ["idle", "bash", "after-rest", "sleep", "js-exec", "python"]) {
  test(`a parent that is killed while its guest is in "${guest}" leaves no worker`, async () => {
    const parent = startParent(guest);
    const isAtWork = (): boolean =>
      guest === "python" ? existsSync(join(parent.mount, "started")) : parent.output().includes("ready");
    const worker = await workerOf(parent, isAtWork);
    parent.process.kill("SIGKILL");
    expect(await parent.exit).toMatchObject({ signal: "SIGKILL" });
    await until(() => !isAlive(worker), GONE_MS);
  });
}

for (const [guest, end, code] of [
  ["idle", "exit", 3],
  ["bash", "throw", 1],
  ["sleep", "throw", 1],
  ["js-exec", "exit", 3],
] as const) {
  test(`a parent that ends by "${end}" while its guest is in "${guest}" leaves no worker and no directory`, async () => {
    const parent = startParent(guest, end);
    expect(await parent.exit).toMatchObject({ code });
    if (end === "throw") expect(parent.output()).toContain("the application fails");
    const worker = Number(/^worker (\d+)$/m.exec(parent.output())?.[1]);
    expect(worker).toBeGreaterThan(0);
    await until(() => !isAlive(worker), GONE_MS);
    expect(readdirSync(parent.temp)).toEqual([]);
  });
}

for (const [guest, output] of [
  ["nothing", ""],
  ["one-command", "done\n"],
  ["one-file", "done\n"],
] as const) {
  test(`a parent that did "${guest}" and does not dispose ends by itself`, async () => {
    const parent = startParent(guest);
    expect(await parent.exit).toEqual({ code: 0, signal: null });
    expect(parent.output()).toBe(output);
    expect(readdirSync(parent.temp)).toEqual([]);
  });
}
