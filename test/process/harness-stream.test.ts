import type { TextStreamPart, ToolSet } from "ai";
import { expect, test } from "vitest";
import { type HarnessTurnEvent, justBashSandbox, streamHarness } from "../../src/index.ts";
import { harnessForTest, outputsOf, tell } from "../helpers/harness.ts";
import { bash } from "../helpers/scripted-model.ts";

const BASH_ALONE = { runtime: { python: false, javascript: false } };
const ANSWERS = [bash("echo hello"), { text: "It says hello." }];

async function readAll<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const values: T[] = [];
  for await (const value of stream) values.push(value);
  return values;
}

test("parts come unchanged and in order, text word by word, events beside them, and all end with the result", async () => {
  const { harness } = harnessForTest(ANSWERS, BASH_ALONE);
  const stream = streamHarness<TextStreamPart<ToolSet>>({ harness, prompt: "go" });
  const [parts, texts, events, result] = await Promise.all([
    readAll(stream.fullStream),
    readAll(stream.textStream),
    readAll(stream.events),
    stream.result,
  ]);
  expect(parts.map(({ type }) => type)).toEqual([
    ...["start", "start-step", "tool-call", "tool-result", "finish-step"],
    ...[
      "start-step",
      "text-start",
      "text-delta",
      "text-delta",
      "text-delta",
      "text-end",
      "finish-step",
      "finish",
    ],
  ]);
  expect(parts.find((part) => part.type === "tool-result")?.output).toEqual(outputsOf(result)[0]);
  expect(texts).toEqual(["It ", "says ", "hello."]);
  expect(result).toMatchObject({ text: "It says hello.", finishReason: "stop", usage: { totalTokens: 30 } });
  expect(tell(events)).toEqual([
    "turn.started",
    "model.step.started 1",
    "tool_call.started bash of step 1",
    "runtime.command.started",
    "runtime.command.completed",
    "tool_call.completed bash of step 1",
    "model.step.completed 1",
    "model.step.started 2",
    "model.step.completed 2",
    "turn.completed",
  ]);
});

test("a part is there before what comes after it: text of a step while its command still runs", async () => {
  let answer = (_value: string): void => undefined;
  const asked = new Promise<string>((resolve) => {
    answer = resolve;
  });
  const { harness } = harnessForTest([{ text: "Let me ask.", calls: [["ask", {}]] }, { text: "Good." }], {
    ...BASH_ALONE,
    tools: { ask: { execute: () => asked } },
  });
  const stream = streamHarness({ harness, prompt: "go" });
  let text = "";
  for await (const piece of stream.textStream) {
    text += piece;
    // Only now: a stream that kept its text until the step is over would wait for ever.
    if (text === "Let me ask.") answer("yes");
  }
  expect(text).toBe("Let me ask.Good.");
});

test("a turn that nobody reads runs to its end and releases its sandbox", async () => {
  const { harness } = harnessForTest(ANSWERS, BASH_ALONE);
  const events: HarnessTurnEvent[] = [];
  const ended = new Promise<void>((resolve) => {
    streamHarness({
      harness,
      prompt: "go",
      onEvent: (event) => {
        events.push(event);
        if (event.type === "harness.turn.completed") resolve();
      },
    });
  });
  await ended;
  expect(tell(events)).toContain("runtime.command.completed");
});

test.each(["fullStream", "textStream"] as const)(
  "leaving %s early ends the turn: the command is killed, the session is free, and the result says aborted",
  async (name) => {
    const { harness, host } = harnessForTest(
      [{ text: "Wait. ", calls: [["bash", { command: "sleep 60" }]] }],
      {
        ...BASH_ALONE,
      },
    );
    const session = await host.createSession();
    const events: HarnessTurnEvent[] = [];
    const isRunning = new Promise<void>((resolve) => {
      const onEvent = (event: HarnessTurnEvent): void => {
        events.push(event);
        if (event.type === "harness.runtime.command.started") resolve();
      };
      stream = streamHarness({ harness, prompt: "go", session, onEvent });
    });
    for await (const _ of stream[name]) {
      await isRunning;
      break;
    }
    expect(await stream.result).toMatchObject({ finishReason: "aborted", steps: [] });
    expect(events.find(({ type }) => type === "harness.runtime.command.failed")).toMatchObject({
      ending: { kind: "killed", by: "abort" },
    });
    await (await host.prepareTurn({ session })).dispose();
  },
);
let stream: ReturnType<typeof streamHarness>;

test("leaving one stream while the other is read, or the events, ends nothing", async () => {
  const { harness } = harnessForTest(ANSWERS, BASH_ALONE);
  const running = streamHarness({ harness, prompt: "go" });
  const texts = readAll(running.textStream);
  for await (const _ of running.events) break;
  for await (const _ of running.fullStream) break;
  expect((await texts).join("")).toBe("It says hello.");
  expect((await running.result).finishReason).toBe("stop");
});

test("an abort ends the streams without an error, with the AI SDK's own part", async () => {
  const stop = new AbortController();
  const { harness } = harnessForTest([bash("sleep 60")], BASH_ALONE);
  const running = streamHarness({
    harness,
    prompt: "go",
    abortSignal: stop.signal,
    onEvent: ({ type }) => type === "harness.runtime.command.started" && stop.abort(),
  });
  const parts = await readAll(running.fullStream);
  expect(parts.at(-1)?.type).toBe("abort");
  expect((await running.result).finishReason).toBe("aborted");
});

test("a failure reaches every side, once each, and none of them has to be heard", async () => {
  const unhandled: unknown[] = [];
  const hear = (reason: unknown): void => {
    unhandled.push(reason);
  };
  process.on("unhandledRejection", hear);
  try {
    const { harness } = harnessForTest([bash("true"), { fails: new Error("model down") }], BASH_ALONE);
    const running = streamHarness({ harness, prompt: "go" });
    const failure = { code: "MODEL_FAILED", message: expect.stringContaining("model down") };
    const parts: string[] = [];
    const reading = (async () => {
      for await (const { type } of running.fullStream) parts.push(type);
    })();
    await expect(reading).rejects.toMatchObject(failure);
    await expect(readAll(running.textStream)).rejects.toMatchObject(failure);
    await expect(readAll(running.events)).rejects.toMatchObject(failure);
    await expect(running.result).rejects.toMatchObject(failure);
    expect(parts).toContain("error");
    const { harness: unheard } = harnessForTest([{ fails: new Error("model down") }], BASH_ALONE);
    const ended = new Promise<void>((resolve) => {
      streamHarness({
        harness: unheard,
        prompt: "go",
        onEvent: ({ type }) => type === "harness.turn.failed" && resolve(),
      });
    });
    await ended;
    // Rejections are told unhandled after the microtasks of the turn of the loop in which they happened.
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
  } finally {
    process.off("unhandledRejection", hear);
  }
});

test("a host that refuses the turn ends every stream with its error", async () => {
  const { harness } = harnessForTest(ANSWERS, BASH_ALONE, { sandbox: justBashSandbox() });
  const running = streamHarness({ harness, prompt: "go", session: "nobody" });
  for (const side of [
    readAll(running.fullStream),
    readAll(running.textStream),
    readAll(running.events),
    running.result,
  ]) {
    await expect(side).rejects.toMatchObject({ code: "SESSION_NOT_FOUND" });
  }
});
