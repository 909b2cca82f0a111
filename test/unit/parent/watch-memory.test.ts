import { spawn } from "node:child_process";
import { expect, onTestFinished, test } from "vitest";
import { BUSY_LOOK_MS, memoryWatch, watchMemory } from "../../../src/parent/watch-memory.ts";

const HOLD = "const held = Buffer.alloc(200 << 20, 1); setInterval(() => held.length, 1000);";

/** Starts a process group that is ended with the test. */
function start(command: string, args: readonly string[]): number {
  const child = spawn(command, args, { detached: true, stdio: "ignore" });
  const { pid } = child;
  if (pid === undefined) throw new Error("not started");
  onTestFinished(() => void process.kill(-pid, "SIGKILL"));
  return pid;
}

const firstOver = (pid: number, maxMemoryMb: number): Promise<number> =>
  new Promise((resolve) => {
    const stop = watchMemory(pid, maxMemoryMb, BUSY_LOOK_MS, resolve);
    onTestFinished(stop);
  });

test.runIf(process.platform === "linux")("tells when a process holds more than the limit, once", async () => {
  let told = 0;
  const pid = start(process.execPath, ["-e", HOLD]);
  const stop = watchMemory(pid, 150, BUSY_LOOK_MS, () => told++);
  onTestFinished(stop);
  expect(await firstOver(pid, 150)).toBeGreaterThan(150);
  expect(await firstOver(pid, 160)).toBeGreaterThan(160);
  expect(told).toBe(1);
});

test.runIf(process.platform === "linux")("sees what a child of the process holds, as in a jail", async () => {
  const pid = start("/bin/sh", ["-c", '"$0" -e "$1"; true', process.execPath, HOLD]);
  expect(await firstOver(pid, 150)).toBeGreaterThan(150);
});

test("where the parent cannot see a worker's size, that is told with the reason", () => {
  expect(memoryWatch("darwin")).toEqual({
    watched: false,
    reason: "no /proc on darwin: only the worker watches itself",
  });
  expect(memoryWatch("win32")).toEqual({ watched: false, reason: "nobody watches it on Windows" });
});

test.runIf(process.platform === "linux")("on Linux it is watched", () => {
  expect(memoryWatch()).toMatchObject({ watched: true });
});
