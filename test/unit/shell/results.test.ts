import { describe, expect, test } from "vitest";
import type { ExecuteInput, ExecuteOutput } from "../../../src/shared/executor.ts";
import { exited, runtimeOver, signalOf, untilStopped } from "./helpers.ts";

describe("a report becomes a result", () => {
  test("bytes give text, text gives bytes", async () => {
    const stdout = new Uint8Array([0xef, 0xbb, 0xbf, 0x61, 0xff]);
    const { sandbox } = await runtimeOver(async () => ({ exitCode: 3, stdout, stderr: "é" }));
    expect(await sandbox.exec("x")).toMatchObject({
      exitCode: 3,
      stdout: "\ufeffa\ufffd",
      stdoutBytes: stdout,
      stderr: "é",
      stderrBytes: new Uint8Array([0xc3, 0xa9]),
      ending: { kind: "exited" },
      truncated: {},
      changes: [],
      stateRestored: true,
    });
  });

  test("ending, truncation and state are the executor's", async () => {
    const report: ExecuteOutput = {
      ...exited("x", 124),
      ending: { kind: "killed", by: "deadline" },
      truncated: { stdout: { totalBytes: 9 } },
      stateRestored: false,
    };
    const { sandbox, types } = await runtimeOver(async () => report);
    expect(await sandbox.exec("x")).toMatchObject({
      exitCode: 124,
      ending: { kind: "killed", by: "deadline" },
      truncated: { stdout: { totalBytes: 9 } },
      stateRestored: false,
    });
    expect(types()).toEqual(["runtime.command.started", "runtime.command.failed"]);
  });

  test("a non-zero exit is a completed command", async () => {
    const { sandbox, types } = await runtimeOver(async () => exited("", 1));
    await sandbox.exec("false");
    expect(types()).toEqual(["runtime.command.started", "runtime.command.completed"]);
  });
});

describe("an executor that breaks its port gives an unknown ending", () => {
  test.each<[string, () => unknown, string]>([
    [
      "throws",
      () => {
        throw new Error("boom");
      },
      "the executor failed: boom",
    ],
    ["rejects with null", () => Promise.reject(null), "the executor failed: null"],
    ["reports nothing", () => undefined, "report is broken: expected an object"],
    ["reports no exit code", () => ({ stdout: "", stderr: "" }), "exitCode is no whole number"],
    ["reports no stdout", () => ({ exitCode: 0, stderr: "" }), "stdout is no string and no bytes"],
    [
      "reports an ending of its own",
      () => ({ ...exited(), ending: { kind: "fine" } }),
      "ending has no known kind",
    ],
  ])("%s", async (_, execute, why) => {
    const { sandbox, types } = await runtimeOver(execute as () => Promise<ExecuteOutput>);
    const result = await sandbox.exec("x");
    expect(result).toMatchObject({
      exitCode: 126,
      ending: { kind: "unknown", why: expect.stringContaining(why) },
    });
    expect(result.stderr).toContain(why);
    expect(types()).toEqual(["runtime.command.started", "runtime.command.failed"]);
    expect((await sandbox.exec("x")).exitCode).toBe(126);
  });

  test("never ends: the last resort after the deadline does, and the next command runs", async () => {
    const late = signalOf<ExecuteOutput>();
    let told: AbortSignal | undefined;
    const { sandbox, ofType } = await runtimeOver(
      {
        hang: (input) => {
          told = input.signal;
          return late.promise;
        },
        next: async () => exited("next"),
      },
      { lastResortMs: 5 },
    );
    const result = await sandbox.exec("hang", { timeoutMs: 1 });
    expect(result).toMatchObject({ exitCode: 126, ending: { kind: "unknown" } });
    expect(result.stderr).toContain("did not end the command within 5 ms after its deadline");
    expect(told?.aborted).toBe(true);
    late.resolve(exited("late"));
    expect((await sandbox.exec("next")).stdout).toBe("next");
    expect(ofType("harness.runtime.command.failed")).toHaveLength(1);
  });

  test("ignores an abort: the last resort after it ends the command", async () => {
    const started = signalOf();
    const controller = new AbortController();
    const { sandbox } = await runtimeOver(
      () => {
        started.resolve();
        return new Promise(() => undefined);
      },
      { lastResortMs: 5 },
    );
    const result = sandbox.exec("hang", { signal: controller.signal });
    await started.promise;
    controller.abort();
    expect((await result).ending).toMatchObject({
      kind: "unknown",
      why: expect.stringContaining("told to stop"),
    });
  });

  test("a deadline of 25 days does not fire at once", async () => {
    const { sandbox } = await runtimeOver(
      async () => {
        await new Promise((resolve) => setImmediate(resolve));
        return exited("done");
      },
      { lastResortMs: 1 },
    );
    expect((await sandbox.exec("x", { timeoutMs: 2 ** 31 })).stdout).toBe("done");
  });
});

describe("output", () => {
  const streaming = async (input: ExecuteInput): Promise<ExecuteOutput> => {
    const chunk = new Uint8Array([97]);
    input.onStdout(chunk);
    chunk[0] = 98;
    input.onStdout(chunk);
    input.onStderr(new Uint8Array([99]));
    input.onStdout(new Uint8Array(0));
    return { exitCode: 0, stdout: "ab", stderr: "c" };
  };

  test("is forwarded as it comes, and each chunk is the caller's to keep", async () => {
    const { sandbox } = await runtimeOver(streaming);
    const out: Uint8Array[] = [];
    const err: Uint8Array[] = [];
    await sandbox.exec("x", { onStdout: (chunk) => out.push(chunk), onStderr: (chunk) => err.push(chunk) });
    expect(out).toEqual([new Uint8Array([97]), new Uint8Array([98])]);
    expect(err).toEqual([new Uint8Array([99])]);
  });

  test("of an executor that does not stream comes at the end, once", async () => {
    const { sandbox } = await runtimeOver(async () => exited("ab"));
    const out: string[] = [];
    await sandbox.exec("x", { onStdout: (chunk) => out.push(Buffer.from(chunk).toString()) });
    expect(out).toEqual(["ab"]);
  });

  test("callbacks that throw or reject change nothing", async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on("unhandledRejection", note);
    const { sandbox } = await runtimeOver(streaming);
    const result = await sandbox.exec("x", {
      onStdout: () => {
        throw new Error("mine");
      },
      onStderr: (() => Promise.reject(new Error("mine too"))) as () => void,
    });
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", note);
    expect(result).toMatchObject({ exitCode: 0, stdout: "ab" });
    expect(unhandled).toEqual([]);
  });

  test("after the command's end is dropped", async () => {
    let input: ExecuteInput | undefined;
    const { sandbox } = await runtimeOver(async (given) => {
      input = given;
      return exited();
    });
    const out: Uint8Array[] = [];
    await sandbox.exec("x", { onStdout: (chunk) => out.push(chunk) });
    input?.onStdout(new Uint8Array([1]));
    expect(out).toEqual([]);
  });
});

test("an abort while the command runs reaches the executor, whose ending counts", async () => {
  const started = signalOf();
  const controller = new AbortController();
  const { sandbox } = await runtimeOver((input) => {
    started.resolve();
    return untilStopped(input);
  });
  const result = sandbox.exec("x", { signal: controller.signal });
  await started.promise;
  controller.abort();
  expect(await result).toMatchObject({ exitCode: 137, ending: { kind: "killed", by: "abort" } });
});
