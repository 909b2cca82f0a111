import { expect, test } from "vitest";
import { workerEnvironment } from "../../../src/parent/spawn-worker.ts";
import { subprocessSandbox } from "../../../src/sandbox/subprocess-sandbox.ts";

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

test.each([
  ["a value with NUL", { TOKEN: "sk-planted\0" }, "env.TOKEN"],
  ["a name with =", { "A=B": "c" }, "env"],
  ["an empty name", { "": "c" }, "env"],
])("%s is refused when the sandbox is made, and no value is told", (_, env, option) => {
  const error = catchError(() => subprocessSandbox({ env }));
  expect(error).toMatchObject({ code: "OPTION_INVALID", data: { option } });
  expect(String(error)).not.toContain("sk-planted");
});

function catchError(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}
