/**
 * What the worker's process leaves on the machine, or opens on it, when somebody signals it. Each promise has a
 * control: a plain Node.js under the same conditions does what the worker must not do.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { openSandbox } from "../../src/index.ts";
import { until } from "../helpers/processes.ts";
import { noNamespace, onRung, type Rung, rungs, testNode } from "../helpers/rungs.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { copyWorker, endWorker, listAll, listens, theWorker } from "../helpers/worker-process.ts";

const node = testNode ?? process.execPath;

/** Lets this process's children write their memory to a file; the reason when that cannot be. */
const noCores = ((): string | null => {
  if (process.platform !== "linux") return "not Linux";
  const pattern = readFileSync("/proc/sys/kernel/core_pattern", "latin1").trim();
  if (/^[|/]/.test(pattern)) return `the system keeps them elsewhere (${pattern})`;
  try {
    execFileSync("/usr/bin/prlimit", ["--pid", String(process.pid), "--core=unlimited"], { stdio: "ignore" });
    return null;
  } catch {
    return "prlimit cannot raise the limit";
  }
})();
afterAll(() => {
  if (noCores === null) execFileSync("/usr/bin/prlimit", ["--pid", String(process.pid), "--core=0"]);
});

/** A busy sandbox on a rung: where its worker and its mount are, and what the worker said. */
async function openOn(rung: Rung) {
  const folder = tempDir();
  const mount = join(folder, "mount");
  mkdirSync(mount);
  const worker = copyWorker(join(folder, "worker"));
  let said = "";
  const sandbox = await openSandbox({
    mounts: { "/w": mount },
    sandbox: "subprocess",
    workerPath: worker,
    onDiagnostic: (text) => {
      said += text;
    },
    ...onRung(rung),
  });
  onTestFinished(() => sandbox.dispose());
  await sandbox.exec("echo hello > /w/file; echo hello > /tmp/file");
  return { sandbox, folder, said: () => said };
}

describe.each(rungs)("on the rung %s", (rung) => {
  test.skipIf(noCores !== null).each(["SIGABRT", "SIGQUIT", "SIGSEGV"] as const)(
    `a worker that dies of %s leaves no memory image${noCores === null ? "" : ` (not tried: ${noCores})`}`,
    async (signal) => {
      const { sandbox, folder } = await openOn(rung);
      const before = listAll(folder);
      await endWorker(signal);
      expect((await sandbox.exec("cat /w/file")).stdout).toBe("hello\n");
      expect(listAll(folder)).toEqual(before);
    },
  );

  test("flags for reports in the host's environment are not the worker's: a signal writes nothing", async () => {
    const reports = tempDir();
    process.env.NODE_OPTIONS = reporting(reports);
    onTestFinished(() => {
      delete process.env.NODE_OPTIONS;
    });
    const { sandbox, folder } = await openOn(rung);
    const before = listAll(folder);
    for (const signal of ["SIGUSR2", "SIGHUP"] as const) {
      await endWorker(signal);
      expect((await sandbox.exec("cat /w/file")).stdout).toBe("hello\n");
    }
    expect(listAll(folder)).toEqual(before);
    expect(readdirSync(reports)).toEqual([]);
  });

  test("SIGUSR1 opens no inspector in a worker, idle or busy, and does not end it", async () => {
    const { sandbox, said } = await openOn(rung);
    const pid = theWorker();
    process.kill(pid, "SIGUSR1");
    // What opens an inspector after the worker got its signal has had more time than this.
    await inspectorOfPlainNode();
    expect(listens(pid)).toBe(false);
    const busy = sandbox.exec("while :; do :; done", { timeoutMs: 3_000 });
    process.kill(pid, "SIGUSR1");
    await inspectorOfPlainNode();
    expect(listens(pid)).toBe(false);
    await busy;
    expect(said()).not.toContain("Debugger");
  });
});

test.skipIf(noCores !== null)("a plain Node.js does leave a memory image where it stands", async () => {
  const folder = tempDir();
  const child = spawn(node, ["-e", "process.abort()"], { cwd: folder, stdio: "ignore" });
  await once(child, "close");
  expect(readdirSync(folder).join()).toMatch(/^core/);
});

test("a plain Node.js does write the report that its environment asks for", async () => {
  const reports = tempDir();
  const env = { NODE_OPTIONS: reporting(reports) };
  const child = spawn(node, ["-e", "process.stdin.resume(); console.log('up')"], { env });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  child.kill("SIGHUP");
  await until(() => readdirSync(reports).length > 0, 20_000);
});

test("the directories of a sandbox outside its mounts are for its user alone, and go with it", async () => {
  const mount = tempDir();
  const place = tempDir();
  const outer = process.env.TMPDIR;
  process.env.TMPDIR = place;
  onTestFinished(() => {
    if (outer === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = outer;
  });
  const mask = process.umask(0);
  onTestFinished(() => void process.umask(mask));
  const sandbox = await openSandbox({ mounts: { "/w": mount }, sandbox: "subprocess" });
  await sandbox.exec("echo private > /tmp/file");
  const [name, ...others] = readdirSync(place);
  expect(others).toEqual([]);
  expect(name).toMatch(/^little-harness-\w{6}$/);
  expect(statSync(join(place, name ?? "")).mode & 0o777).toBe(0o700);
  await sandbox.dispose();
  expect(readdirSync(place)).toEqual([]);
});

test.skipIf(noNamespace !== null)("inside a jail the command line names no place of the host", async () => {
  const { folder } = await openOn("namespace");
  const words = readFileSync(`/proc/${theWorker()}/cmdline`, "latin1");
  expect(words).toContain("/worker/main.js");
  expect(words).not.toContain(folder);
});

function reporting(directory: string): string {
  return `--report-on-signal --report-signal=SIGHUP --report-directory=${directory} --heapsnapshot-signal=SIGUSR2 --diagnostic-dir=${directory}`;
}

/** Resolves when a Node.js that was told to by SIGUSR1 has opened its inspector. */
async function inspectorOfPlainNode(): Promise<void> {
  const child = spawn(node, ["--inspect-port=0", "-e", "process.stdin.resume(); console.log('up')"]);
  try {
    await once(child.stdout, "data");
    const { pid } = child;
    if (pid === undefined) throw new Error("the control did not start");
    child.kill("SIGUSR1");
    await until(() => listens(pid), 20_000);
  } finally {
    child.kill("SIGKILL");
  }
}
