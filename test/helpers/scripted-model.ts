/** A model that says what the test wrote down, step by step, streamed or not. */
import { MockLanguageModelV3 } from "ai/test";

type Options = NonNullable<ConstructorParameters<typeof MockLanguageModelV3>[0]>;
type DoGenerate = Extract<NonNullable<Options["doGenerate"]>, (...given: never[]) => unknown>;
type DoStream = Extract<NonNullable<Options["doStream"]>, (...given: never[]) => unknown>;
type Generated = Awaited<ReturnType<DoGenerate>>;
type StreamPart = Awaited<ReturnType<DoStream>>["stream"] extends ReadableStream<infer Part> ? Part : never;

/** One answer: text, calls of tools, or what happens in its place. */
export interface Answer {
  readonly text?: string;
  /** Name as the model says it, and input; a string is sent as it is. */
  readonly calls?: readonly (readonly [name: string, input: unknown])[];
  /** Thrown in place of an answer. */
  readonly fails?: Error;
  /** Called before the answer; the answer waits for what it returns. */
  readonly before?: (signal: AbortSignal | undefined) => unknown;
}

/** `calls` of `bash`, one per command. */
export function bash(...commands: readonly string[]): Answer {
  return { calls: commands.map((command) => ["bash", { command }] as const) };
}

/** Answers in order; the last one is repeated. */
export function scriptedModel(...answers: readonly Answer[]): MockLanguageModelV3 {
  let step = 0;
  const next = async (signal: AbortSignal | undefined): Promise<Generated> => {
    const answer = answers[Math.min(step, answers.length - 1)] ?? {};
    const number = ++step;
    await answer.before?.(signal);
    signal?.throwIfAborted();
    if (answer.fails !== undefined) throw answer.fails;
    return toGenerated(answer, number);
  };
  return new MockLanguageModelV3({
    doGenerate: ({ abortSignal }) => next(abortSignal),
    doStream: async ({ abortSignal }) => {
      const parts = toParts(await next(abortSignal));
      return {
        stream: new ReadableStream<StreamPart>({
          start(controller) {
            for (const part of parts) controller.enqueue(part);
            controller.close();
          },
        }),
      };
    },
  });
}

function toGenerated({ text, calls = [] }: Answer, step: number): Generated {
  return {
    content: [
      ...(text === undefined ? [] : [{ type: "text" as const, text }]),
      ...calls.map(([toolName, input], index) => ({
        type: "tool-call" as const,
        toolCallId: `call-${step}-${index + 1}`,
        toolName,
        input: typeof input === "string" ? input : JSON.stringify(input),
      })),
    ],
    finishReason: { unified: calls.length > 0 ? "tool-calls" : "stop", raw: undefined },
    usage: {
      inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 5, text: 5, reasoning: 0 },
    },
    warnings: [],
  };
}

// Text word by word, as providers send it.
function toParts({ content, finishReason, usage }: Generated): StreamPart[] {
  return [
    { type: "stream-start", warnings: [] },
    ...content.flatMap((part): StreamPart[] => {
      if (part.type === "tool-call") return [part];
      if (part.type !== "text") return [];
      const deltas = part.text
        .split(/(?<= )/)
        .map((delta) => ({ type: "text-delta" as const, id: "t", delta }));
      return [{ type: "text-start", id: "t" }, ...deltas, { type: "text-end", id: "t" }];
    }),
    { type: "finish", finishReason, usage },
  ];
}
