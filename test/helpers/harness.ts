import {
  createHarness,
  generateHarness,
  type Harness,
  type HarnessOptions,
  type HarnessResult,
  type HarnessTurnEvent,
  type HarnessTurnOptions,
  type LocalHostOptions,
} from "../../src/index.ts";
import { hostForTest } from "./hosts.ts";
import { type Answer, scriptedModel } from "./scripted-model.ts";

/** A harness over a scripted model and a host of its own, which is closed after the test. */
export function harnessForTest(
  answers: readonly Answer[],
  options: Partial<HarnessOptions> = {},
  hostOptions: LocalHostOptions = {},
) {
  const model = scriptedModel(...answers);
  const host = hostForTest(hostOptions);
  const harness: Harness = createHarness({ host, model, maxRetries: 0, ...options });
  return { harness, model, host };
}

/** Runs one turn and keeps its events. */
export async function runForTest(
  harness: Harness,
  options: Partial<HarnessTurnOptions> = {},
): Promise<{ result: HarnessResult; events: HarnessTurnEvent[] }> {
  const events: HarnessTurnEvent[] = [];
  const result = await generateHarness({
    harness,
    prompt: "go",
    onEvent: (event) => events.push(event),
    ...options,
  });
  return { result, events };
}

/** One line per event, without what differs from run to run. */
export function tell(events: readonly HarnessTurnEvent[]): string[] {
  return events.map((event) => {
    const type = event.type.replace("harness.", "");
    if ("tool" in event) return `${type} ${event.tool}${"step" in event ? ` of step ${event.step}` : ""}`;
    if ("step" in event) return `${type} ${event.step}`;
    return "path" in event ? `${type} ${event.path}` : type;
  });
}

/** What the tools answered to the model, in the order of its calls. */
export function outputsOf({ steps }: HarnessResult): unknown[] {
  return steps.flatMap(({ toolResults }) => toolResults.map(({ output }) => output));
}

/** The messages of tools that failed, as the model reads them. */
export function errorsOf({ messages }: HarnessResult): string[] {
  return messages
    .filter(({ role }) => role === "tool")
    .flatMap(({ content }) => content as readonly { output: { type: string; value: unknown } }[])
    .filter(({ output }) => output.type === "error-text")
    .map(({ output }) => String(output.value));
}
