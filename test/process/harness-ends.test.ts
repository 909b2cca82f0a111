/** However a turn ends, it says so, and nothing of it is left: no sandbox, no lock, no child. */
import { APICallError } from "ai";
import { expect, test } from "vitest";
import {
  generateHarness,
  type HarnessSandboxFactory,
  justBashSandbox,
  subprocessSandbox,
  tieredSandbox,
} from "../../src/index.ts";
import { errorsOf, harnessForTest, outputsOf, runForTest, tell } from "../helpers/harness.ts";
import { bash } from "../helpers/scripted-model.ts";

const BASH_ALONE = { runtime: { python: false, javascript: false } };

/** A factory that counts what it made and what of it was disposed of. */
function counting(factory: HarnessSandboxFactory = justBashSandbox()) {
  const counts = { made: 0, disposed: 0 };
  const counted: HarnessSandboxFactory = async (options) => {
    const sandbox = await factory(options);
    counts.made++;
    const dispose = sandbox.dispose.bind(sandbox);
    let isDisposed = false;
    sandbox.dispose = () => {
      if (!isDisposed) counts.disposed++;
      isDisposed = true;
      return dispose();
    };
    return sandbox;
  };
  return { factory: counted, counts };
}

const overloaded = new APICallError({
  message: "Overloaded",
  url: "https://api.example.com",
  requestBodyValues: {},
  statusCode: 529,
  isRetryable: true,
});

test("a model that fails fails the turn, after what was done, with the sandbox released", async () => {
  const { factory, counts } = counting();
  const { harness, host } = harnessForTest([bash("touch a"), { fails: overloaded }], BASH_ALONE, {
    sandbox: factory,
  });
  const session = await host.createSession();
  const events: Parameters<typeof tell>[0][number][] = [];
  const failed = generateHarness({ harness, prompt: "go", session, onEvent: (event) => events.push(event) });
  await expect(failed).rejects.toMatchObject({
    code: "MODEL_FAILED",
    message: "The model failed in step 2: Overloaded",
    data: { step: 2, statusCode: 529, isRetryable: true },
    cause: overloaded,
  });
  expect(counts).toEqual({ made: 1, disposed: 1 });
  expect(tell(events).slice(-3)).toEqual(["model.step.started 2", "model.step.failed 2", "turn.failed"]);
  expect(events.at(-1)).toMatchObject({ status: "failed", steps: 1 });
  await (await host.prepareTurn({ session })).dispose();
});

test("a tool that fails is an answer to the model, and the turn goes on", async () => {
  const { harness } = harnessForTest([{ calls: [["pay", {}]] }, { text: "sorry" }], {
    ...BASH_ALONE,
    tools: { pay: { execute: () => Promise.reject(new Error("card declined")) } },
  });
  const { result } = await runForTest(harness);
  expect(errorsOf(result)).toEqual(["card declined"]);
  expect(result).toMatchObject({ text: "sorry", finishReason: "stop" });
});

test("a command that is killed, refused or wrong is an answer to the model, never an error", async () => {
  const { harness } = harnessForTest(
    [
      { calls: [["bash", { command: "echo begun; sleep 60", timeoutMs: 200 }]] },
      { calls: [["bash", { command: "pwd; cat", cwd: "/tmp", stdin: "in" }]] },
      { calls: [["bash", { command: "pwd", cwd: "/nowhere" }]] },
      { calls: [["bash", { cmd: "pwd" }]] },
      bash("if then"),
      { text: "done" },
    ],
    BASH_ALONE,
  );
  const { result } = await runForTest(harness);
  expect(outputsOf(result)).toMatchObject([
    { exitCode: 124, stdout: "begun\n", ending: "killed: deadline" },
    { exitCode: 0, stdout: "/tmp\nin" },
    { exitCode: expect.any(Number), stderr: expect.stringContaining("/nowhere") },
    { exitCode: 2, stderr: expect.stringContaining("syntax error") },
  ]);
  expect(errorsOf(result)).toEqual([expect.stringMatching(/^invalid input for tool bash: .*command/)]);
});

test("the model is told once that its commands run in a higher tier from here on", async () => {
  const sandbox = tieredSandbox({
    tier0: justBashSandbox(),
    nextTier: justBashSandbox(),
    classify: (script) => ({ tier: script.includes("up") ? 1 : 0, commands: ["up"], reasons: [] }),
  });
  const { harness } = harnessForTest(
    [bash("echo a"), bash("echo up"), bash("echo b"), { text: "done" }],
    BASH_ALONE,
    { sandbox },
  );
  const { result } = await runForTest(harness);
  expect(outputsOf(result)).toEqual([
    { exitCode: 0, stdout: "a\n", stderr: "" },
    {
      exitCode: 0,
      stdout: "up\n",
      stderr: "",
      note: expect.stringContaining("js-exec and its tools may be gone"),
    },
    { exitCode: 0, stdout: "b\n", stderr: "" },
  ]);
});

test("the model may ask for a deadline up to maxTimeoutMs", async () => {
  const asks = (timeoutMs: number) => ({ calls: [["bash", { command: "sleep 60", timeoutMs }]] as const });
  const { harness } = harnessForTest([asks(3_600_000), asks(100), { text: "done" }], {
    ...BASH_ALONE,
    bash: { maxTimeoutMs: 200 },
  });
  const { result } = await runForTest(harness);
  expect(outputsOf(result)).toMatchObject([
    { ending: "killed: deadline (after 200 ms, the most that a command may have)" },
    { ending: "killed: deadline" },
  ]);
});

test("an abort before the turn, in the model or in a tool is a result that says so, with the steps before it", async () => {
  const early = harnessForTest([{ text: "never" }], BASH_ALONE);
  const { result: nothing } = await runForTest(early.harness, { abortSignal: AbortSignal.abort() });
  expect(nothing).toMatchObject({ finishReason: "aborted", steps: [], messages: [], text: "" });
  expect(early.model.doGenerateCalls).toHaveLength(0);

  const inModel = new AbortController();
  const waiting = harnessForTest(
    [bash("touch a"), { text: "never", before: () => inModel.abort(new Error("closed by the user")) }],
    BASH_ALONE,
  );
  const { result, events } = await runForTest(waiting.harness, { abortSignal: inModel.signal });
  expect(result).toMatchObject({ finishReason: "aborted", text: "" });
  expect(result.messages.map(({ role }) => role)).toEqual(["assistant", "tool"]);
  expect(events.at(-1)).toMatchObject({
    type: "harness.turn.failed",
    status: "aborted",
    error: expect.stringContaining("closed by the user"),
  });

  const inTool = new AbortController();
  let isToldToTool = false;
  const wait = (_input: unknown, { abortSignal }: { abortSignal: AbortSignal }): Promise<never> => {
    abortSignal.addEventListener("abort", () => {
      isToldToTool = true;
    });
    inTool.abort();
    return new Promise(() => undefined);
  };
  const hanging = harnessForTest([{ calls: [["wait", {}]] }], {
    ...BASH_ALONE,
    tools: { wait: { execute: wait } },
  });
  const third = await runForTest(hanging.harness, { abortSignal: inTool.signal });
  expect(third.result).toMatchObject({ finishReason: "aborted", steps: [] });
  expect(isToldToTool).toBe(true);
  expect(third.events.find(({ type }) => type === "harness.tool_call.failed")).toMatchObject({
    error: "the turn has ended",
  });
});

test("an abort in a command kills the child and its events say so", async () => {
  const { factory, counts } = counting(subprocessSandbox());
  const stop = new AbortController();
  const { harness } = harnessForTest([bash("echo begun; while :; do :; done")], {}, { sandbox: factory });
  const events: Parameters<typeof tell>[0][number][] = [];
  const result = await generateHarness({
    harness,
    prompt: "go",
    abortSignal: stop.signal,
    onEvent: (event) => {
      events.push(event);
      if (event.type === "harness.runtime.command.started") stop.abort();
    },
  });
  expect(result.finishReason).toBe("aborted");
  expect(counts).toEqual({ made: 1, disposed: 1 });
  expect(tell(events)).toEqual([
    "turn.started",
    "model.step.started 1",
    "tool_call.started bash of step 1",
    "runtime.command.started",
    "runtime.command.failed",
    expect.stringMatching(/^tool_call\.(?:completed|failed) bash of step 1$/),
    "model.step.failed 1",
    "turn.failed",
  ]);
  expect(events[4]).toMatchObject({ ending: { kind: "killed", by: "abort" } });
});

test("a provider that ignores the abort is left behind", async () => {
  const stop = new AbortController();
  const { harness } = harnessForTest([{ before: () => new Promise(() => stop.abort()) }], BASH_ALONE);
  const { result } = await runForTest(harness, { abortSignal: stop.signal });
  expect(result.finishReason).toBe("aborted");
});

test("a signal that outlives the turn holds nothing of it", async () => {
  const { signal } = new AbortController();
  let listeners = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...given: Parameters<typeof add>) => {
    listeners++;
    add(...given);
  };
  signal.removeEventListener = (...given: Parameters<typeof remove>) => {
    listeners--;
    remove(...given);
  };
  const { harness } = harnessForTest([bash("true"), { text: "done" }], BASH_ALONE);
  await runForTest(harness, { abortSignal: signal });
  expect(listeners).toBe(0);
});

test("a sandbox that cannot be had fails the turn with the factory's own error, and is no step more", async () => {
  const broken = new Error("no sandbox today");
  const { harness, model } = harnessForTest([bash("true", "true")], BASH_ALONE, {
    sandbox: () => Promise.reject(broken),
  });
  const events: Parameters<typeof tell>[0][number][] = [];
  const failed = generateHarness({ harness, prompt: "go", onEvent: (event) => events.push(event) });
  await expect(failed).rejects.toMatchObject({ code: "SANDBOX_UNAVAILABLE", cause: broken });
  expect(model.doGenerateCalls).toHaveLength(1);
  expect(tell(events).slice(-2)).toEqual(["model.step.failed 1", "turn.failed"]);
});

test("a sandbox that cannot be disposed of is told and fails nothing", async () => {
  const factory: HarnessSandboxFactory = async (options) => {
    const sandbox = await justBashSandbox()(options);
    sandbox.dispose = () => Promise.reject(new Error("stuck"));
    return sandbox;
  };
  const { harness } = harnessForTest([bash("true"), { text: "done" }], BASH_ALONE, { sandbox: factory });
  const { result, events } = await runForTest(harness);
  expect(result.finishReason).toBe("stop");
  expect(tell(events).slice(-2)).toEqual(["runtime.dispose.failed", "turn.completed"]);
});

test("an onEvent that throws changes nothing", async () => {
  const { harness } = harnessForTest([bash("echo hello"), { text: "done" }], BASH_ALONE);
  const result = await generateHarness({
    harness,
    prompt: "go",
    onEvent: () => {
      throw new Error("the host's log is full");
    },
  });
  expect(outputsOf(result)).toMatchObject([{ stdout: "hello\n" }]);
});

test("a session that is not there, and messages that no model takes, are errors of the caller", async () => {
  const { harness } = harnessForTest([{ text: "done" }], BASH_ALONE);
  await expect(runForTest(harness, { session: "nobody" })).rejects.toMatchObject({
    code: "SESSION_NOT_FOUND",
  });
  const messages = [{ role: "usr", content: "x" }] as never;
  await expect(generateHarness({ harness, messages })).rejects.toMatchObject({ code: "OPTION_INVALID" });
});
