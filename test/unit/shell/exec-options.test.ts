import { describe, expect, test } from "vitest";
import type { ExecuteInput } from "../../../src/shared/executor.ts";
import type { ExecOptions } from "../../../src/shared/sandbox.ts";
import { exited, runtimeOver } from "./helpers.ts";

const unreadable = {
  get cwd(): string {
    throw new Error("no");
  },
};

describe("a bad option is a result that names it", () => {
  test.each<[string, unknown, unknown, string]>([
    ["a command that is no string", 7, undefined, "command: expected a string, got number"],
    ["a command that is null", null, undefined, "command: expected a string, got null"],
    ["options that are no object", "true", 5, "options: expected an object, got number"],
    ["an unknown name", "true", { timeout: 5 }, 'unknown option "timeout"; known: cwd, env'],
    ["a name that every object has", "true", { constructor: 1 }, 'unknown option "constructor"'],
    ["an option that throws", "true", unreadable, "the options cannot be read"],
    ["cwd with NUL", "true", { cwd: "/a\0b" }, "cwd: expected a path without NUL"],
    ["an empty cwd", "true", { cwd: "" }, "cwd: expected a path without NUL"],
    ["cwd that is no string", "true", { cwd: 1 }, "cwd: expected a path without NUL"],
    ["env that is a list", "true", { env: [] }, "env: expected an object of strings"],
    ["a variable that is no string", "true", { env: { A: 1 } }, "env.A: expected a string without NUL"],
    ["a variable with NUL", "true", { env: { A: "\0" } }, "env.A: expected a string without NUL"],
    ["a variable's bad name", "true", { env: { "A-B": "" } }, 'env["A-B"]: expected a name of letters'],
    ["a variable's name that starts with a digit", "true", { env: { "1A": "" } }, 'env["1A"]'],
    ["replaceEnv that is no boolean", "true", { replaceEnv: 1 }, "replaceEnv: expected true or false"],
    ["stdin that is no text", "true", { stdin: 1 }, "stdin: expected a string or Uint8Array"],
    ["args that are no list", "true", { args: "a" }, "args: expected an array of strings"],
    ["an argument that is no string", "true", { args: ["a", 1] }, "args[1]: expected a string without NUL"],
    ["a hole in args", "true", { args: new Array(1) }, "args[0]: expected a string without NUL"],
    ["a signal that is none", "true", { signal: {} }, "signal: expected an AbortSignal"],
    ["a timeout of 0", "true", { timeoutMs: 0 }, "timeoutMs: expected milliseconds above 0"],
    ["a negative timeout", "true", { timeoutMs: -1 }, "timeoutMs: expected milliseconds above 0"],
    [
      "an endless timeout",
      "true",
      { timeoutMs: Number.POSITIVE_INFINITY },
      "timeoutMs: expected milliseconds above 0",
    ],
    ["a timeout of NaN", "true", { timeoutMs: Number.NaN }, "timeoutMs: expected milliseconds above 0"],
    ["half a byte of output", "true", { maxOutputBytes: 0.5 }, "maxOutputBytes: expected a whole number"],
    ["a callback that is none", "true", { onStdout: "x" }, "onStdout: expected a function"],
  ])("%s", async (_, command, options, message) => {
    let runs = 0;
    const { sandbox, types } = await runtimeOver(async () => {
      runs++;
      return exited();
    });
    const result = await sandbox.exec(command as string, options as ExecOptions);
    expect(result).toMatchObject({ exitCode: 126, ending: { kind: "refused", by: "policy" }, stdout: "" });
    expect(result.stderr).toContain(`harness: exec: ${message}`);
    expect(runs).toBe(0);
    expect(types()).toEqual(["runtime.command.started", "runtime.command.failed"]);
  });
});

test("good options reach the executor, checked", async () => {
  let seen: ExecuteInput | undefined;
  const { sandbox } = await runtimeOver(async (input) => {
    seen = input;
    return exited();
  });
  const args = ["a b", ""];
  await sandbox.exec("cat", {
    cwd: "../plain/./x",
    env: { A_1: "é" },
    replaceEnv: true,
    stdin: "é",
    args,
    timeoutMs: 5,
    maxOutputBytes: 7,
    signal: undefined,
  });
  expect(seen).toMatchObject({
    command: "cat",
    cwd: "/plain/x",
    replaceEnv: true,
    stdin: new Uint8Array([0xc3, 0xa9]),
    args,
    timeoutMs: 5,
    maxOutputBytes: 7,
    nested: false,
    readOnlyPrefixes: [],
  });
  expect({ ...seen?.env }).toEqual({ A_1: "é" });
});

test("options are copied: a caller that changes them later changes nothing", async () => {
  const seen: ExecuteInput[] = [];
  const { sandbox } = await runtimeOver(async (input) => {
    seen.push(input);
    return exited();
  });
  const stdin = new Uint8Array([1]);
  const args = ["a"];
  const env = { A: "a" };
  const first = sandbox.exec("one");
  const second = sandbox.exec("two", { stdin, args, env });
  stdin[0] = 2;
  args.push("b");
  env.A = "b";
  await Promise.all([first, second]);
  expect(seen[1]).toMatchObject({ stdin: new Uint8Array([1]), args: ["a"] });
  expect(seen[1]?.env?.A).toBe("a");
});

test("absent options stay absent, the runtime's limits fill in", async () => {
  const seen: ExecuteInput[] = [];
  const execute = async (input: ExecuteInput) => {
    seen.push(input);
    return exited();
  };
  await (await runtimeOver(execute)).sandbox.exec("a");
  await (await runtimeOver(execute, { limits: { timeoutMs: 9_000, maxOutputBytes: 9 } })).sandbox.exec("b");
  expect(Object.keys(seen[0] ?? {}).sort()).toEqual([
    "command",
    "nested",
    "onStderr",
    "onStdout",
    "readOnlyPrefixes",
    "signal",
    "touch",
  ]);
  expect(seen[1]).toMatchObject({ timeoutMs: 9_000, maxOutputBytes: 9 });
});

test("an already aborted signal is a command that was aborted and never ran", async () => {
  let runs = 0;
  const { sandbox, types } = await runtimeOver(async () => {
    runs++;
    return exited();
  });
  const result = await sandbox.exec("true", { signal: AbortSignal.abort() });
  expect(result).toMatchObject({ exitCode: 137, ending: { kind: "killed", by: "abort" } });
  expect(result.stderr).toContain("aborted before it started");
  expect(runs).toBe(0);
  expect(types()).toEqual(["runtime.command.started", "runtime.command.failed"]);
});

describe("read-only prefixes", () => {
  test("are asked for anew with each command", async () => {
    const seen: (readonly string[])[] = [];
    let asked = 0;
    const { sandbox } = await runtimeOver(
      async (input) => {
        seen.push(input.readOnlyPrefixes);
        return exited();
      },
      { getReadOnlyPrefixes: () => [`/session/${++asked}`] },
    );
    await sandbox.exec("a");
    await sandbox.exec("b");
    expect(seen).toEqual([["/session/1"], ["/session/2"]]);
  });

  test.each<[string, () => readonly string[], string]>([
    [
      "throw",
      () => {
        throw new Error("db down");
      },
      "getReadOnlyPrefixes failed: db down",
    ],
    ["are relative", () => ["a"], "getReadOnlyPrefixes: expected a list of absolute paths"],
  ])("that %s refuse the command rather than run it with fewer", async (_, getReadOnlyPrefixes, message) => {
    const { sandbox } = await runtimeOver(async () => exited(), { getReadOnlyPrefixes });
    const result = await sandbox.exec("a");
    expect(result).toMatchObject({ exitCode: 126, ending: { kind: "refused", by: "policy" } });
    expect(result.stderr).toContain(message);
    await expect(sandbox.fs.writeFile("/session/a", "")).rejects.toMatchObject({ code: "FS_ERROR" });
  });
});
