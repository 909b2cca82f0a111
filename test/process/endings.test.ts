import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openForTest } from "../helpers/open.ts";
import { isAlive, workerPids } from "../helpers/processes.ts";

/** With a deadline by which even Python runs its loop. */
const LOOPS: [string, string, number][] = [
  ["a bash loop", "while true; do :; done", 500],
  ["a bash loop that counts", "i=0; while (( i >= 0 )); do (( i++ )); done", 500],
  ["sleep", "sleep 600", 500],
  ["js-exec", 'js-exec -c "for (;;) {}"', 1_500],
  ["python", 'python3 -c "while True: pass"', 1_500],
];

for (const [what, loop, timeoutMs] of LOOPS) {
  test(`a deadline ends ${what}, says so, keeps the output, and the next command works`, async () => {
    const { sandbox } = await openForTest();
    await sandbox.exec("x=kept; cd /tmp");
    const result = await sandbox.exec(`echo before; ${loop}`, { timeoutMs });
    expect(result).toMatchObject({
      exitCode: 124,
      ending: { kind: "killed", by: "deadline" },
      stdout: "before\n",
    });
    expect(result.durationMs).toBeLessThan(timeoutMs + 2_000);
    expect(await sandbox.exec('echo "$x $PWD"')).toMatchObject({
      stdout: "kept /tmp\n",
      exitCode: 0,
      stateRestored: true,
    });
  });
}

test("an abort ends a busy loop", async () => {
  const { sandbox } = await openForTest();
  const abort = new AbortController();
  const result = await sandbox.exec("echo started; while true; do :; done", {
    signal: abort.signal,
    onStdout: () => abort.abort(),
  });
  expect(result).toMatchObject({
    exitCode: 137,
    ending: { kind: "killed", by: "abort" },
    stdout: "started\n",
  });
  expect(await sandbox.exec("echo next")).toMatchObject({ stdout: "next\n" });
});

test("dispose ends a busy loop and leaves no process", async () => {
  const { sandbox } = await openForTest();
  const before = new Set(workerPids());
  let started: () => void = () => undefined;
  const running = new Promise<void>((resolve) => {
    started = resolve;
  });
  const result = sandbox.exec("echo started; while true; do :; done", { onStdout: () => started() });
  await running;
  const pids = workerPids().filter((pid) => !before.has(pid));
  expect(pids).toHaveLength(1);
  await sandbox.dispose();
  expect(await result).toMatchObject({ exitCode: 137, ending: { kind: "killed", by: "dispose" } });
  expect(pids.filter(isAlive)).toEqual([]);
  expect(await sandbox.exec("true")).toMatchObject({ exitCode: 126, ending: { kind: "refused" } });
});

test("more output than a stream may carry ends the command", async () => {
  const { sandbox } = await openForTest({ limits: { maxStreamBytes: 1_000_000 } });
  const line = "0123456789".repeat(1_000);
  const result = await sandbox.exec(`while true; do echo ${line}; done`);
  expect(result).toMatchObject({ exitCode: 137, ending: { kind: "killed", by: "output" } });
});

test("what a killed command wrote to files is there and reported", async () => {
  const { sandbox, directory } = await openForTest();
  await sandbox.exec("true");
  const result = await sandbox.exec("echo kept > a; while true; do :; done", { timeoutMs: 1_000 });
  expect(result.changes).toMatchObject([{ change: "created", path: "/w/a", size: 5 }]);
  expect(readFileSync(join(directory, "a"), "utf8")).toBe("kept\n");
});

test("after a kill the shell has its variables, arrays, functions and aliases again", async () => {
  const { sandbox } = await openForTest();
  await sandbox.exec(
    "export E='a b'; s=$'q\\'\"\\n$x'; a=(1 '2 3' ''); declare -A m; m[k]='v w'; greet() { echo \"hi $1\"; }; alias ll='echo LL'; unset LANG",
  );
  const look = 'printenv E; echo "$s"; echo "${#a[@]}|${a[1]}|${m[k]}"; greet you; ll; echo "[$LANG]"';
  const before = await sandbox.exec(look);
  expect(before).toMatchObject({ exitCode: 0, stderr: "" });
  expect(before.stdout).toBe("a b\nq'\"\n$x\n3|2 3|v w\nhi you\nLL\n[]\n");
  await sandbox.exec("while true; do :; done", { timeoutMs: 500 });
  expect((await sandbox.exec(look)).stdout).toBe(before.stdout);
});
