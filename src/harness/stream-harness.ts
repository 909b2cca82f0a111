import type { HarnessTurnEvent } from "../shared/turn-events.ts";
import type { SdkPart } from "./ai-sdk.ts";
import { checkTurnOptions } from "./check-options.ts";
import type { HarnessTurnOptions } from "./harness-options.ts";
import type { HarnessResult, HarnessStream, HarnessStreamPart } from "./harness-result.ts";
import type { TurnDriver } from "./run-turn.ts";
import { StreamView } from "./stream-view.ts";
import { TurnStop } from "./turn-stop.ts";

/**
 * As `generateHarness`, with the model's answer as it comes. The turn runs whether or not anybody reads; a failure
 * that nobody waits for is no unhandled rejection. `Part` may be the AI SDK's `TextStreamPart<ToolSet>`.
 *
 * @throws SandboxError `OPTION_INVALID`, `TOOL_INVALID`, at once; everything else comes by `result` and the streams.
 */
export function streamHarness<Part = HarnessStreamPart>(options: HarnessTurnOptions): HarnessStream<Part> {
  checkTurnOptions("streamHarness", options);
  const stop = new TurnStop(options.abortSignal);
  const onLeave = (): void => {
    if (!parts.isReading && !texts.isReading) stop.stop(new Error("the reader of the stream left"));
  };
  const parts = new StreamView<SdkPart>("fullStream", onLeave);
  const texts = new StreamView<string>("textStream", onLeave);
  const events = new StreamView<HarnessTurnEvent>("events", () => undefined);

  const drive: TurnDriver["drive"] = async (sdk, request) => {
    let failure: { readonly error: unknown } | undefined;
    // Without an `onError` of ours the AI SDK writes errors to the console.
    const { fullStream } = sdk.streamText({ ...request, onError: () => undefined });
    for await (const part of fullStream) {
      parts.push(part);
      if (part.type === "text-delta" && typeof part.text === "string") texts.push(part.text);
      if (part.type === "error") failure ??= { error: part.error };
    }
    if (failure !== undefined) throw failure.error;
  };
  const onEvent = (event: HarnessTurnEvent): unknown => {
    events.push(event);
    return options.onEvent?.(event);
  };
  const onRecorded = ({ text, finishReason, usage }: HarnessResult): void => {
    const id = "recorded";
    parts.push({ type: "start" });
    if (text !== "") {
      parts.push({ type: "text-start", id });
      parts.push({ type: "text-delta", id, text });
      parts.push({ type: "text-end", id });
      texts.push(text);
    }
    parts.push({ type: "finish", finishReason, totalUsage: usage });
  };
  const driver = { drive, onEvent, onRecorded };
  const result = import("./run-turn.ts").then(({ runTurn }) => runTurn(options, stop, driver));
  const views = [parts, texts, events];
  // Handles the rejection too: whoever reads a stream alone hears of it there.
  result.then(
    () => {
      for (const view of views) view.end();
    },
    (error: unknown) => {
      for (const view of views) view.fail(error);
    },
  );
  return {
    fullStream: parts as unknown as AsyncIterable<Part>,
    textStream: texts,
    events,
    result,
  };
}
