import { type LanguageModel, type ModelMessage, type TextStreamPart, type ToolSet, tool } from "ai";
import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import {
  createHarness,
  generateHarness,
  type Harness,
  type HarnessHost,
  type HarnessMessage,
  type HarnessModel,
  type HarnessResult,
  type HarnessTools,
  type LocalHost,
  streamHarness,
  type ToolCallOptions,
} from "../../src/index.ts";
import { memorySessionLog } from "../../src/remote-session.ts";

declare const harness: Harness;
declare const payments: { charge(cents: number, options: { idempotencyKey?: string }): Promise<string> };

test("what the AI SDK gives is taken: models, messages and tools", () => {
  expectTypeOf<LanguageModel>().toExtend<HarnessModel>();
  expectTypeOf<ModelMessage>().toExtend<HarnessMessage>();
  const tools = { find: tool({ inputSchema: z.object({ id: z.string() }), execute: async ({ id }) => id }) };
  expectTypeOf(tools).toExtend<HarnessTools>();
});

test("a local host is a host, and a harness gives results", () => {
  expectTypeOf<LocalHost>().toExtend<HarnessHost>();
  expectTypeOf(createHarness).returns.toEqualTypeOf<Harness>();
  expectTypeOf(generateHarness).returns.resolves.toEqualTypeOf<HarnessResult>();
  expectTypeOf(generateHarness({ harness, prompt: "go" }))
    .resolves.toHaveProperty("text")
    .toBeString();
});

test("the messages of a result go into the next turn", () => {
  expectTypeOf<HarnessResult["messages"]>().toExtend<readonly HarnessMessage[]>();
});

test("a stream has the AI SDK's own parts for who says so", () => {
  const stream = streamHarness<TextStreamPart<ToolSet>>({ harness, prompt: "go" });
  expectTypeOf(stream.fullStream).toEqualTypeOf<AsyncIterable<TextStreamPart<ToolSet>>>();
  expectTypeOf(streamHarness({ harness, prompt: "go" }).textStream).toEqualTypeOf<AsyncIterable<string>>();
});

test("a run has any session log, and its tools a key and a word about unknown outcomes", () => {
  const tools = {
    charge: {
      inputSchema: z.object({ cents: z.number() }),
      onUnknownOutcome: "repeat",
      execute: async ({ cents }: { cents: number }, { idempotencyKey }: ToolCallOptions) =>
        await payments.charge(cents, idempotencyKey === undefined ? {} : { idempotencyKey }),
    },
  } as const;
  expectTypeOf(tools).toExtend<HarnessTools>();
  const sessionLog = memorySessionLog();
  expectTypeOf(generateHarness({ harness, messages: [], runId: "run_123", sessionLog, tools }))
    .resolves.toHaveProperty("runId")
    .toEqualTypeOf<string | undefined>();
});
