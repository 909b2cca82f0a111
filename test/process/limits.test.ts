/**
 * Each limit of `src/shared/limits.ts`, in a real worker: what a script, and its caller, see when it is reached.
 * How commands end in general is in `endings.test.ts`, other ways to fill the memory in `memory-hogs.test.ts`, a full
 * disk in `full-disk.test.ts`.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { expectKilledNearLimit, STRINGS_IN_JS } from "../helpers/memory-hogs.ts";
import { openForTest } from "../helpers/open.ts";
import { isAlive, until, workerPids } from "../helpers/processes.ts";

const ON = { kind: "exited" };

describe("maxMemoryMb", () => {
  test(
    "strings in js-exec: killed near the limit, with the output so far, and the next command works",
    {
      timeout: 120_000,
    },
    () => expectKilledNearLimit(STRINGS_IN_JS),
  );

  test("holds while the host is too busy to look, and the host is told why the worker died", async () => {
    const { sandbox } = await openForTest({ limits: { maxMemoryMb: 300 } });
    await sandbox.exec("true");
    const [pid = 0] = workerPids();
    const result = await sandbox.exec(`echo started; ${STRINGS_IN_JS}`, {
      timeoutMs: 60_000,
      onStdout: () => {
        // The event loop stands still here, as under a host's own long computation.
        const cell = new Int32Array(new SharedArrayBuffer(4));
        while (isAlive(pid)) Atomics.wait(cell, 0, 0, 10);
      },
    });
    expect(result).toMatchObject({ exitCode: 137, ending: { kind: "killed", by: "memory" } });
  });

  test("a worker that somebody else killed is not said to have had too much memory", async () => {
    const { sandbox } = await openForTest();
    await sandbox.exec("true");
    const [pid = 0] = workerPids();
    const result = await sandbox.exec("echo started; sleep 600", {
      onStdout: () => void process.kill(pid, "SIGKILL"),
    });
    expect(result).toMatchObject({ exitCode: 137, ending: { kind: "unknown" }, stdout: "started\n" });
  });

  test.skipIf(process.platform !== "linux")(
    "the kernel is asked to take the worker first when memory runs out",
    async () => {
      const { sandbox } = await openForTest();
      await sandbox.exec("true");
      const [pid = 0] = workerPids();
      await until(() => readFileSync(`/proc/${pid}/oom_score_adj`, "latin1") === "1000\n");
    },
  );
});

test("a string that doubles without end is refused by the engine's own limit, before a host has to kill", {
  timeout: 120_000,
}, async () => {
  const { sandbox } = await openForTest();
  const result = await sandbox.exec("echo before; x=aaaaaaaaaa; while :; do x=$x$x; done; echo after");
  expect(result).toMatchObject({
    exitCode: 126,
    ending: { kind: "refused", by: "limit" },
    stdout: "before\n",
  });
  expect(await sandbox.exec("echo next")).toMatchObject({ stdout: "next\n", ending: ON });
});

describe("maxWriteBytes", () => {
  const quota = async (maxWriteBytes: number) => openForTest({ limits: { maxWriteBytes } });

  test("a write over it fails as on a disk with a quota, whichever program writes, and the script goes on", async () => {
    const { sandbox, directory } = await quota(100_000);
    const result = await sandbox.exec(
      [
        'x=$(printf "%050000d" 0)',
        "echo $x > a; echo $?",
        "echo $x$x > b; echo $?",
        "cp a c; echo $?",
        `js-exec -c 'try { require("fs").writeFileSync("d", "x".repeat(90000)) } catch (e) { console.log("js:", e.message) }'`,
        `python3 -c 'with open("e", "w") as e: e.write("x" * 90000)' 2>/dev/null; echo $?`,
        "echo end",
      ].join("\n"),
    );
    const [a, b, c, js, python, end] = result.stdout.trimEnd().split("\n");
    expect([a, b, c, end]).toEqual(["0", "1", "1", "end"]);
    expect(js).toMatch(/^js: .*(EDQUOT|quota)/i);
    expect(python).toBe("1");
    expect(result).toMatchObject({ exitCode: 0, ending: ON });
    expect(result.stderr).toContain("bash: /w/b: Disk quota exceeded");
    expect(result.stderr).toMatch(/^cp: .*Disk quota exceeded/m);
    expect(readFileSync(join(directory, "a"), "utf8")).toHaveLength(50_001);
  });

  test("a loop that makes empty files ends too, and the host's disk keeps its entries", async () => {
    const { sandbox } = await quota(40 * 4096);
    const result = await sandbox.exec(
      "cd /tmp; i=0; while echo -n > file$i; do i=$((i + 1)); done; echo $i; mkdir d || echo no; ls | wc -l",
    );
    expect(result).toMatchObject({ stdout: "40\nno\n40\n", exitCode: 0, ending: ON });
  });

  test("each command, and each file call between commands, counts from zero", async () => {
    const { sandbox } = await quota(10_000);
    for (const name of ["a", "b", "c"]) {
      expect(await sandbox.exec(`printf '%05000d' 0 > ${name}`)).toMatchObject({ exitCode: 0 });
      await sandbox.fs.writeFile(`/w/${name}`, "x".repeat(9_000));
    }
    await expect(sandbox.fs.writeFile("/w/a", "x".repeat(10_001))).rejects.toMatchObject({
      code: "FS_ERROR",
      data: { errno: "EDQUOT" },
    });
    expect(await sandbox.fs.readFile("/w/a")).toHaveLength(9_000);
  });
});

test("timeoutMs is the deadline of a call that names none", async () => {
  const { sandbox } = await openForTest({ limits: { timeoutMs: 500 } });
  await sandbox.exec("true", { timeoutMs: 60_000 });
  expect(await sandbox.exec("echo before; sleep 600")).toMatchObject({
    exitCode: 124,
    ending: { kind: "killed", by: "deadline" },
    stdout: "before\n",
  });
  expect(await sandbox.exec("sleep 0.6; echo after", { timeoutMs: 60_000 })).toMatchObject({
    stdout: "after\n",
    ending: ON,
  });
});

test("maxOutputBytes keeps head and tail of each stream and says how much there was; the command goes on", async () => {
  const { sandbox } = await openForTest({ limits: { maxOutputBytes: 1_000 } });
  const result = await sandbox.exec("echo begin; printf '%05000d' 0; echo; echo end; echo small >&2; exit 3");
  expect(result).toMatchObject({
    exitCode: 3,
    ending: ON,
    stderr: "small\n",
    truncated: { stdout: { totalBytes: 5_011 } },
  });
  expect(result.truncated.stderr).toBeUndefined();
  expect(result.stdout).toMatch(/^begin\n0+.*bytes left out.*0\nend\n$/s);
  expect(result.stdoutBytes.length).toBeLessThan(1_200);
  expect(await sandbox.exec("printf '%05000d' 0", { maxOutputBytes: 10_000 })).toMatchObject({
    truncated: {},
  });
});

test("a script above maxScriptBytes is refused before any of it runs", async () => {
  const { sandbox, directory } = await openForTest({ limits: { maxScriptBytes: 100 } });
  const result = await sandbox.exec(`echo x > made # ${"é".repeat(50)}`);
  expect(result).toMatchObject({ exitCode: 126, ending: { kind: "refused", by: "limit" }, stdout: "" });
  expect(result.stderr).toContain("maxScriptBytes");
  expect(readdirSync(directory)).toEqual([]);
  expect(await sandbox.exec("echo next")).toMatchObject({ stdout: "next\n", ending: ON });
});

test("tool calls above maxToolCalls are refused to the script, which goes on; the next command has its own", async () => {
  let runs = 0;
  const { sandbox } = await openForTest({
    limits: { maxToolCalls: 3 },
    tools: { count: { execute: () => ++runs } },
  });
  const script =
    "js-exec -c 'for (let i = 0; i < 5; i++) { try { console.log(await tools.count()) } catch (e) { console.log(e.message) } }'";
  const { stdout, exitCode } = await sandbox.exec(script);
  const lines = stdout.trimEnd().split("\n");
  expect(lines.slice(0, 3)).toEqual(["1", "2", "3"]);
  expect(lines.slice(3)).toEqual([expect.stringContaining("3"), expect.stringContaining("3")]);
  expect([exitCode, runs]).toEqual([0, 3]);
  expect((await sandbox.exec(script)).stdout).toMatch(/^4\n5\n6\n/);
});

test("no more than maxToolConcurrency tools of a command run at once; all get their answer", async () => {
  let running = 0;
  let most = 0;
  const { sandbox } = await openForTest({
    limits: { maxToolConcurrency: 4 },
    tools: {
      slow: {
        async execute({ n }: { n: number }) {
          most = Math.max(most, ++running);
          await new Promise((resolve) => setImmediate(resolve));
          running--;
          return n;
        },
      },
    },
  });
  const result = await sandbox.exec(
    "js-exec -c 'const r = await Promise.all(Array.from({ length: 40 }, (_, n) => tools.slow({ n }))); console.log(r.join())'",
  );
  expect(result.stdout).toBe(`${Array.from({ length: 40 }, (_, n) => n).join()}\n`);
  expect(most).toBe(4);
});

test("a worker that has not answered within startTimeoutMs is killed, and the command says so", async () => {
  const workerPath = fileURLToPath(new URL("../fixtures/silent-worker.mjs", import.meta.url));
  const { sandbox } = await openForTest({ workerPath, limits: { startTimeoutMs: 300 } });
  const result = await sandbox.exec("echo never");
  expect(result).toMatchObject({ exitCode: 126, ending: { kind: "unknown" }, stdout: "" });
  expect(result.stderr).toContain("startTimeoutMs");
  await expect(sandbox.fs.readFile("/w/x")).rejects.toMatchObject({ code: "WORKER_START_TIMEOUT" });
});

test("a worker that does not leave within graceMs is killed, and dispose leaves no process", async () => {
  const { sandbox } = await openForTest({ limits: { graceMs: 100 } });
  await sandbox.exec("true");
  const [pid = 0] = workerPids();
  // It hears neither the end of its input nor TERM.
  process.kill(pid, "SIGSTOP");
  await sandbox.dispose();
  expect(isAlive(pid)).toBe(false);
});
