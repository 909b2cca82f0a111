/** Workers that wait ahead of need. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
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
