/** `little-harness serve-log`, as an operator runs it. */
import { type ChildProcess, execFileSync } from "node:child_process";
import { once } from "node:events";
import { rmSync, statSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { remoteSessionLog } from "../../src/session-log/client.ts";
import { anAppend } from "../helpers/log-server.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { runCli, startCli } from "./run-cli.ts";

/** Starts it on a free port; resolves with its URL when it listens. */
async function start(args: readonly string[], env: Record<string, string | undefined> = {}) {
  const child = startCli(["serve-log", "--port", "0", ...args], { env });
  onTestFinished(() => void child.kill("SIGKILL"));
  let stderr = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const lines = createInterface({ input: child.stdout ?? process.stdin });
  const [url] = (await once(lines, "line")) as [string];
  return { child, url, stderr: () => stderr };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  const closed = once(child, "close");
  child.kill(signal);
  const [code] = (await closed) as [number | null];
  return code;
}

test("a log in a file is served with the token of the environment, and is there again after a signal", async () => {
  const path = join(tempDir(), "log.ndjson");
  const env = { LITTLE_HARNESS_LOG_TOKEN: "in-the-environment" };
  const first = await start(["--path", path], env);
  const log = remoteSessionLog({ baseUrl: first.url, authToken: "in-the-environment" });
  const event = await log.append(anAppend("key"));
  const stranger = remoteSessionLog({ baseUrl: first.url, authToken: "another", maxAppendAttempts: 1 });
  await expect(stranger.read("run")).rejects.toMatchObject({ data: { status: 401 } });
  expect(statSync(path).mode & 0o777).toBe(0o600);

  const second = await runCli(["serve-log", "--port", "0", "--path", path], { env });
  expect(second).toMatchObject({ code: 1, stdout: Buffer.alloc(0) });
  expect(second.stderr).toContain(String(first.child.pid));

  expect(await end(first.child, "SIGTERM")).toBe(0);
  expect(first.stderr()).toBe("");
  const third = await start(["--path", path, "--no-sync"], env);
  const again = remoteSessionLog({ baseUrl: third.url, authToken: "in-the-environment" });
  expect(await again.append(anAppend("key"))).toEqual(event);
  expect(await again.read("run")).toEqual([event]);
  expect(await end(third.child, "SIGINT")).toBe(0);
});

test("a log in memory says that it is one, and a log without a token that there is none", async () => {
  const { child, url, stderr } = await start([], {
    LITTLE_HARNESS_LOG_TOKEN: undefined,
  });
  await remoteSessionLog({ baseUrl: url }).append(anAppend("key"));
  expect(stderr()).toMatch(/the log is in memory: it is lost[^\n]*\n.*there is no token: every user/);
  expect(await end(child, "SIGTERM")).toBe(0);
});

test("the token is taken from a file, without the newline at its end", async () => {
  const file = join(tempDir(), "token");
  writeFileSync(file, "in-a-file\n");
  const { child, url } = await start(["--token-file", file], { LITTLE_HARNESS_LOG_TOKEN: "another" });
  expect(await remoteSessionLog({ baseUrl: url, authToken: "in-a-file" }).read("run")).toEqual([]);
  await end(child, "SIGKILL");
});

test.each([
  [["--host", "0.0.0.0"], "", 'Option "authToken" must be given: "0.0.0.0" is not a loopback address'],
  [[], "two words", 'Option "authToken" must be'],
  [["--token-file", "/nowhere/token"], "", "ENOENT"],
  [["--path", "/nowhere/log"], "", "/nowhere"],
])("what cannot start says why and ends with 1: %j", async (args, token, words) => {
  const env = { LITTLE_HARNESS_LOG_TOKEN: token || undefined };
  const { code, stdout, stderr } = await runCli(["serve-log", "--port", "0", ...args], { env });
  expect([code, stdout.toString()]).toEqual([1, ""]);
  expect(stderr).toContain(words);
});

test("a token file that blocks does not keep a signal from ending the process", async () => {
  const file = join(tempDir(), "token");
  execFileSync("mkfifo", [file]);
  const child = startCli(["serve-log", "--port", "0", "--token-file", file]);
  onTestFinished(() => void child.kill("SIGKILL"));
  // Opens when the other end is open: from then on the process waits for a token.
  const pipe = await open(file, "w");
  onTestFinished(() => pipe.close());
  const closed = once(child, "close");
  child.kill("SIGTERM");
  expect(await closed).toEqual([null, "SIGTERM"]);
});

test("a log is served on when nobody reads what the process says of failures", async () => {
  const path = join(tempDir(), "log.ndjson");
  const { child, url } = await start(["--path", path], { LITTLE_HARNESS_LOG_TOKEN: "a-token" });
  child.stderr?.destroy();
  rmSync(path);
  const log = remoteSessionLog({ baseUrl: url, authToken: "a-token", maxAppendAttempts: 1 });
  for (const key of ["first", "second", "third"])
    await expect(log.append(anAppend(key))).rejects.toThrow("it answered");
  expect(await end(child, "SIGTERM")).toBe(0);
});
