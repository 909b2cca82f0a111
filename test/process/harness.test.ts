/** The loop over a model that is scripted; everything else is real: host, sessions on disk, child processes. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { generateHarness } from "../../src/index.ts";
import { harnessForTest, outputsOf, runForTest, tell } from "../helpers/harness.ts";
import { bash } from "../helpers/scripted-model.ts";

const BASH_ALONE = { runtime: { python: false, javascript: false } };

test("the model runs commands in the session's directory, hears of them and answers", async () => {
  const { harness, model, host } = harnessForTest([
    bash("echo hello > greeting.txt; cat greeting.txt; echo oops >&2; cd /tmp; x=7"),
    bash('echo "$PWD $x"; exit 3'),
    { text: "I wrote it." },
  ]);
  const { result } = await runForTest(harness, { system: "You are terse." });
  expect(outputsOf(result)).toEqual([
    { exitCode: 0, stdout: "hello\n", stderr: "oops\n", changes: ["created /session/greeting.txt"] },
    { exitCode: 3, stdout: "/tmp 7\n", stderr: "" },
  ]);
  expect(result).toMatchObject({
    text: "I wrote it.",
    finishReason: "stop",
    usage: { inputTokens: 30, outputTokens: 15, totalTokens: 45 },
  });
  expect(result.messages.map(({ role }) => role)).toEqual([
    "assistant",
    "tool",
    "assistant",
    "tool",
    "assistant",
  ]);
  const session = await host.openSession(result.sessionId);
  expect(readFileSync(join(session.sessionDir, "greeting.txt"), "utf8")).toBe("hello\n");
  const [first] = model.doGenerateCalls;
  expect(first?.prompt[0]).toEqual({ role: "system", content: "You are terse." });
});

test("the events of a turn are one stream, numbered without gaps, in the order in which things happened", async () => {
  const { harness, host } = harnessForTest(
    [
      {
        calls: [
          ["bash", { command: "js-exec -c 'console.log(await tools.note({}))'; touch a" }],
          ["nope", {}],
          ["note", "{"],
        ],
      },
      { text: "done" },
    ],
    { tools: { note: { execute: () => 1, writesFiles: false } } },
  );
  const { result, events } = await runForTest(harness, { runId: "run-1" });
  expect(tell(events)).toEqual([
    "turn.started",
    "model.step.started 1",
    "tool_call.started bash of step 1",
    "runtime.command.started",
    "tool_call.started note",
    "tool_call.completed note",
    "runtime.command.completed",
    "file.created /session/a",
    "tool_call.completed bash of step 1",
    "tool_call.started nope of step 1",
    "tool_call.failed nope of step 1",
    "tool_call.started note of step 1",
    "tool_call.failed note of step 1",
    "model.step.completed 1",
    "model.step.started 2",
    "model.step.completed 2",
    "turn.completed",
  ]);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect(new Set(events.map(({ turnId }) => turnId))).toEqual(new Set([result.turnId]));
  expect(events[0]).toMatchObject({ runId: "run-1", sessionId: result.sessionId });
  expect(events.at(-1)).toMatchObject({ steps: 2, finishReason: "stop", usage: { totalTokens: 30 } });
  const file = join(host.dataDir, "sessions", result.sessionId, "turns", result.turnId, "events.ndjson");
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual(events);
});

test("what hides commands and output in the trace hides them in the calls of bash too", async () => {
  const { harness } = harnessForTest([bash("echo secret-word"), { text: "done" }], BASH_ALONE);
  const hidden = await runForTest(harness, {
    traceOptions: { command: false, output: false, toolResult: true },
  });
  expect(JSON.stringify(hidden.events)).not.toContain("secret-word");
  expect(JSON.stringify(hidden.result)).toContain("secret-word");
  const { harness: open } = harnessForTest([bash("echo secret-word"), { text: "done" }], BASH_ALONE);
  const full = await runForTest(open, { traceOptions: "full" });
  expect(
    full.events.filter((event) => JSON.stringify(event).includes("secret-word")).map(({ type }) => type),
  ).toEqual([
    "harness.tool_call.started",
    "harness.runtime.command.started",
    "harness.runtime.command.completed",
    "harness.tool_call.completed",
  ]);
});

test("output too large for the model is a file that it can read, whole, from its next command", async () => {
  const report = { rows: Array.from({ length: 2000 }, (_, row) => ({ row, name: "é".repeat(5) })) };
  const { harness, host } = harnessForTest(
    [
      {
        calls: [
          ["bash", { command: "head -c 50000 /dev/zero | tr '\\0' '\\377'" }],
          ["report", {}],
        ],
      },
      bash("wc -c < /artifacts/bash-stdout.txt; jq '.rows | length' /artifacts/report.json"),
      { text: "done" },
    ],
    { ...BASH_ALONE, tools: { report: { execute: () => report } } },
  );
  const { result, events } = await runForTest(harness);
  const [printed, told, read] = outputsOf(result);
  const bytes = Buffer.alloc(50_000, 0xff);
  const json = JSON.stringify(report);
  const sha256 = (content: Buffer | string) => createHash("sha256").update(content).digest("hex");
  expect(printed).toMatchObject({
    stdout: expect.stringMatching(/^�+\n\[… \d+ bytes left out …\]\n�+$/),
    stdoutFile: { artifact: "/artifacts/bash-stdout.txt", sizeBytes: 50_000, sha256: sha256(bytes) },
  });
  expect(told).toEqual({
    artifact: "/artifacts/report.json",
    sizeBytes: Buffer.byteLength(json),
    sha256: sha256(json),
    summary: expect.stringMatching(/^\{"rows":.*\]\}$/s),
  });
  expect(read).toMatchObject({ stdout: "50000\n2000\n" });
  const { artifactsDir } = await host.openSession(result.sessionId);
  expect(readFileSync(join(artifactsDir, "bash-stdout.txt")).equals(bytes)).toBe(true);
  // Each is told once; the two were written at the same time.
  expect(
    tell(events)
      .filter((line) => line.startsWith("file."))
      .sort(),
  ).toEqual(["file.created /artifacts/bash-stdout.txt", "file.created /artifacts/report.json"]);
});

test("calls that the model makes at the same time run one after the other, in its order", async () => {
  const commands = ["echo a >> log; sleep 0.1; cat log", "echo b >> log; cat log", "echo c >> log; cat log"];
  const { harness } = harnessForTest([bash(...commands), { text: "done" }], BASH_ALONE);
  const { result } = await runForTest(harness);
  expect(outputsOf(result)).toMatchObject([{ stdout: "a\n" }, { stdout: "a\nb\n" }, { stdout: "a\nb\nc\n" }]);
});

test("a model that never stops is stopped at maxSteps, with its last tools answered", async () => {
  const { harness, model } = harnessForTest([bash("echo on")], { ...BASH_ALONE, maxSteps: 10 });
  const { result, events } = await runForTest(harness, { maxSteps: 3 });
  expect(result.finishReason).toBe("step-limit");
  expect(result.steps).toHaveLength(3);
  expect(model.doGenerateCalls).toHaveLength(3);
  expect(outputsOf(result)).toHaveLength(3);
  expect(events.at(-1)).toMatchObject({ type: "harness.turn.completed", finishReason: "step-limit" });
});

test("a turn of the same session goes on with its files and the messages of the one before", async () => {
  const { harness, model } = harnessForTest(
    [bash("echo kept > note"), { text: "one" }, bash("cat note"), { text: "two" }],
    BASH_ALONE,
  );
  const first = await runForTest(harness);
  const messages = [
    { role: "user", content: "go" } as const,
    ...first.result.messages,
    { role: "user", content: "more" } as const,
  ];
  const second = await generateHarness({ harness, messages, session: first.result.sessionId });
  expect(outputsOf(second)).toMatchObject([{ stdout: "kept\n" }]);
  expect(second.sessionId).toBe(first.result.sessionId);
  expect(model.doGenerateCalls[2]?.prompt.map(({ role }) => role)).toEqual([
    "user",
    "assistant",
    "tool",
    "assistant",
    "user",
  ]);
});

test("two turns at once on two sessions do not see each other; on one session the second is refused", async () => {
  let arrived = 0;
  let release = (): void => undefined;
  const both = new Promise<void>((resolve) => {
    release = resolve;
  });
  const meet = async (): Promise<number> => {
    arrived++;
    if (arrived === 2) release();
    await both;
    return arrived;
  };
  const answers = [{ calls: [["meet", {}]] as const }, bash("ls; touch mine; ls"), { text: "done" }];
  const options = { ...BASH_ALONE, tools: { meet: { execute: meet } } };
  const { harness, host } = harnessForTest(answers, options);
  const { harness: other } = harnessForTest(answers, { ...options, host });
  const busy = await host.createSession();
  const [one, two] = await Promise.all([runForTest(harness, { session: busy }), runForTest(other)]);
  for (const { result } of [one, two]) expect(outputsOf(result).at(-1)).toMatchObject({ stdout: "mine\n" });
  expect(one.result.sessionId).not.toBe(two.result.sessionId);
  const turn = await host.prepareTurn({ session: busy });
  await expect(runForTest(harness, { session: busy })).rejects.toMatchObject({ code: "SESSION_BUSY" });
  await turn.dispose();
});

test("a file that a tool writes for the model itself is told at the end as nobody's, if the sandbox ran before it", async () => {
  const { harness, host } = harnessForTest(
    [
      { calls: [["save", { name: "early" }]] },
      bash("ls"),
      { calls: [["save", { name: "late" }]] },
      { text: "done" },
    ],
    { ...BASH_ALONE, tools: { save: { execute: ({ name }: { name: string }) => save(name) } } },
  );
  const session = await host.createSession();
  const save = (name: string): void => writeFileSync(join(session.sessionDir, name), name);
  const { result, events } = await runForTest(harness, { session });
  expect(outputsOf(result)[1]).toMatchObject({ stdout: "early\n" });
  const told = events.filter(({ type }) => type.startsWith("harness.file."));
  expect(told).toMatchObject([{ path: "/session/late", source: "unknown", unreported: true }]);
});

test("creating a harness touches no disk", () => {
  const { host } = harnessForTest([{ text: "done" }]);
  expect(existsSync(host.dataDir)).toBe(false);
});
