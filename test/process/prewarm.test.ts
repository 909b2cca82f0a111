/** Workers that wait ahead of need. */
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { root } from "../../build/paths.ts";
import { openSandbox } from "../../src/index.ts";
import { isAlive, until, workerPids } from "../helpers/processes.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const onLinux = test.runIf(process.platform === "linux");

function open(options: object = {}) {
  return openSandbox({ mounts: { "/work": tempDir() }, sandbox: "subprocess", prewarm: 1, ...options });
}

/** Waits for the one spare, beside `taken`. */
async function spareBeside(taken: readonly number[]): Promise<number> {
  let found: number | undefined;
  await until(() => {
    found = workerPids().find((pid) => !taken.includes(pid));
    return found !== undefined;
  });
  return found ?? -1;
}

onLinux("a spare is handed out once, to one sandbox, and another one takes its place", async () => {
  const first = await open();
  await first.exec("secret=of-the-first; echo kept > /work/file");
  const [own = -1] = workerPids();
  const spare = await spareBeside([own]);

  const second = await open();
  expect((await second.exec('echo "[$secret]"; ls /work')).stdout).toBe("[]\n");
  const third = await spareBeside([own, spare]);
  expect((await second.exec("echo $((6 * 7))")).stdout).toBe("42\n");
  await first.dispose();
  await second.dispose();

  expect(isAlive(own)).toBe(false);
  expect(isAlive(spare)).toBe(false);
  expect(isAlive(third)).toBe(true);
});

onLinux("a spare knows no workspace: neither its command line nor its environment names one", async () => {
  const directory = tempDir();
  const sandbox = await open({ mounts: { "/work": directory } });
  await sandbox.exec("true");
  await sandbox.dispose();
  const spare = await spareBeside([]);
  const seen =
    readFileSync(`/proc/${spare}/cmdline`, "utf8") + readFileSync(`/proc/${spare}/environ`, "utf8");
  expect(seen).not.toContain(directory);
  expect(readFileSync(`/proc/${spare}/environ`, "utf8")).toBe("");
});

onLinux("a spare that was killed while it waited is no loss", async () => {
  const before = await open();
  await before.exec("true");
  await before.dispose();
  const spare = await spareBeside([]);
  process.kill(spare, "SIGKILL");
  const sandbox = await open();
  expect(await sandbox.exec("echo here")).toMatchObject({ exitCode: 0, stdout: "here\n" });
  await sandbox.dispose();
});

/** What of a shell and of what lies around it a script can look at, but for what is random or a time. */
const LOOK = `
  echo "$0 $# $? $! $$ $PPID $BASHPID $- [$_] $LINENO $SHLVL $UID $EUID $BASH_VERSION $BASH_SUBSHELL"
  set; env; export -p; declare -p; declare -F; alias; shopt; set -o; trap -p; jobs; hash; umask; ulimit -a; dirs
  pwd; echo ~ ~+ ~-; cd - ; cd /work; echo "$OLDPWD"
  for place in / /bin /dev /etc /home /home/user /proc /proc/self /root /tmp /usr /usr/bin /var; do
    ls -ai $place; stat -c '%n %a %s %i %F' $place $place/*
  done
  for number in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    [ -e /dev/.shell/$number ] && echo "shell $number"
  done
  cat /etc/* /proc/self/* /proc/version /proc/cpuinfo; df; uname -a; id; history; type -a ls builtin python3 js-exec node
  ( echo "$BASHPID $BASH_SUBSHELL" ); bash -c 'echo $$ $PPID $PWD $OLDPWD'; true & echo "$!"; wait
`;

/** What lies in \`/tmp\` and \`/work\` has numbers of the host's disk. */
const withoutInodes = (text: string): string =>
  text.replace(/\d+(?= \.\.?$| (?:tmp|work|user)$| directory$)/gm, "");

async function lookIn(sandbox: Awaited<ReturnType<typeof open>>): Promise<string[]> {
  const first = await sandbox.exec(LOOK);
  const second = await sandbox.exec(`f() { :; }; x=1; cd /tmp; ${LOOK}`);
  const third = await sandbox.exec(LOOK, { env: { A: "1" }, cwd: "/tmp", args: ["a"], stdin: "in" });
  return [first, second, third].flatMap(({ stdout, stderr }) => [withoutInodes(stdout), stderr]);
}

onLinux("a script finds nothing in a spare that is not in a new worker", async () => {
  const cold = await open({ prewarm: 0 });
  const expected = await lookIn(cold);
  await cold.dispose();
  const before = await open();
  await before.exec("secret=1; f() { :; }; cd /tmp; echo > file");
  await before.dispose();
  const spare = await spareBeside([]);
  const warm = await open();
  expect(await lookIn(warm)).toEqual(expected);
  expect(expected[0]).toContain("HOME=/home/user");
  await warm.dispose();
  expect(isAlive(spare)).toBe(false);
});

onLinux("a spare that waits for another kind of engine serves all the same, and has none of it", async () => {
  const options = {
    runtime: { python: false, javascript: false },
    executionLimits: { maxLoopIterations: 3 },
  };
  const script = "type python3 js-exec node; for i in 1 2 3 4; do echo $i; done";
  const cold = await open({ ...options, prewarm: 0 });
  const expected = await cold.exec(script);
  await cold.dispose();
  const before = await open();
  await before.exec("true");
  await before.dispose();
  const spare = await spareBeside([]);
  const warm = await open(options);
  const { exitCode, stdout, stderr, ending } = await warm.exec(script);
  expect({ exitCode, stdout, stderr, ending }).toEqual({
    exitCode: expected.exitCode,
    stdout: expected.stdout,
    stderr: expected.stderr,
    ending: expected.ending,
  });
  expect(stderr).toContain("python3");
  await warm.dispose();
  expect(isAlive(spare)).toBe(false);
});

onLinux("a worker that replaces a killed one is a spare too, with the state of before", async () => {
  const sandbox = await open();
  await sandbox.exec("x=kept; cd /tmp");
  const taken = workerPids();
  await until(() => workerPids().length > 1);
  const result = await sandbox.exec("while :; do :; done", { timeoutMs: 300 });
  expect(result.ending).toEqual({ kind: "killed", by: "deadline" });
  expect((await sandbox.exec("echo $x; pwd")).stdout).toBe("kept\n/tmp\n");
  expect(taken.length).toBeGreaterThan(0);
  await sandbox.dispose();
});

onLinux("the sandbox's own worker starts when the sandbox is opened", async () => {
  const before = workerPids();
  const sandbox = await open({ isolation: "hardened" });
  await until(() => workerPids().some((pid) => !before.includes(pid)));
  await sandbox.dispose();
});

onLinux("a host with nothing but spares ends by itself, and they end with it", async () => {
  const script = `
    import { subprocessSandbox } from ${JSON.stringify(`${root}/dist/index.js`)};
    import { readdirSync, readFileSync } from "node:fs";
    subprocessSandbox({ prewarm: 2 });
    const children = () => readFileSync("/proc/self/task/" + process.pid + "/children", "utf8").trim();
    while (children().split(" ").length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
    process.stdout.write(children());
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
  const pids = stdout.trim().split(" ").map(Number);
  expect(pids).toHaveLength(2);
  await until(() => pids.every((pid) => !isAlive(pid)));
});

test.each([-1, 17, 1.5, "1", null])("%j spares are refused by name", async (prewarm) => {
  await expect(open({ prewarm })).rejects.toMatchObject({
    code: "OPTION_INVALID",
    data: { option: "prewarm" },
  });
});

onLinux("a spare that hangs costs one start, and the sandbox goes on with a new worker", async () => {
  const before = await open();
  await before.exec("true");
  await before.dispose();
  const spare = await spareBeside([]);
  process.kill(spare, "SIGSTOP");
  await using sandbox = await open({ limits: { startTimeoutMs: 1_000 } });
  const late = await sandbox.exec("echo never");
  expect(late).toMatchObject({ exitCode: 126, ending: { kind: "unknown" } });
  expect(late.stderr).toContain("startTimeoutMs");
  expect(await sandbox.exec("echo again")).toMatchObject({ stdout: "again\n", exitCode: 0 });
});

onLinux("a spare that cannot open its workspace is no end: the next command finds it mended", async () => {
  const before = await open();
  await before.exec("true");
  await before.dispose();
  await spareBeside([]);
  const directory = join(tempDir(), "mount");
  mkdirSync(directory);
  await using sandbox = await open({ mounts: { "/work": directory } });
  const first = sandbox.exec("true");
  rmdirSync(directory);
  writeFileSync(directory, "");
  expect((await first).ending.kind).toBe("unknown");
  rmSync(directory);
  mkdirSync(directory);
  expect(await sandbox.exec("echo again")).toMatchObject({ stdout: "again\n", exitCode: 0 });
});
