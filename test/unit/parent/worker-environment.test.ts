import { expect, test } from "vitest";
import { workerEnvironment } from "../../../src/parent/spawn-worker.ts";

const host = { SystemRoot: "C:\\Windows", PATH: "/bin", SECRET: "s", HOME: "/root" };

test("the environment of a worker is {} on Linux and macOS", () => {
  expect(workerEnvironment({}, "linux", host)).toEqual({});
  expect(workerEnvironment({}, "darwin", host)).toEqual({});
});

test("on Windows it holds what Node.js cannot start without, and nothing else", () => {
  expect(workerEnvironment({}, "win32", host)).toEqual({ SystemRoot: "C:\\Windows" });
  expect(workerEnvironment({}, "win32", {})).toEqual({});
});

test("explicit additions are there on every system", () => {
  expect(workerEnvironment({ A: "1" }, "linux", host)).toEqual({ A: "1" });
  expect(workerEnvironment({ A: "1" }, "win32", host)).toEqual({ SystemRoot: "C:\\Windows", A: "1" });
});
