/** What holds of the events of every turn, however it ended. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { HarnessTurnEvent, LocalHost } from "../../src/index.ts";

/** Begun by the one type, ended by exactly one of the others with the same id. */
const PAIRS: ReadonlyArray<readonly [begun: string, ended: readonly string[]]> = [
  ["harness.turn.started", ["harness.turn.completed", "harness.turn.failed"]],
  ["harness.model.step.started", ["harness.model.step.completed", "harness.model.step.failed"]],
  [
    "harness.runtime.command.started",
    ["harness.runtime.command.completed", "harness.runtime.command.failed"],
  ],
  ["harness.tool_call.started", ["harness.tool_call.completed", "harness.tool_call.failed"]],
];

/** Checks the stream of a session's one turn, as it was told and as it lies on disk; gives what `turn.json` holds. */
export function checkStream(
  host: LocalHost,
  session: string,
  events: readonly HarnessTurnEvent[],
): { record: Record<string, unknown> } {
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  expect(events[0]?.type).toBe("harness.turn.started");
  expect(events.at(-1)?.type).toMatch(/^harness\.turn\.(?:completed|failed)$/);
  const times = events.map(({ at }) => at);
  expect(times).toEqual([...times].sort());
  for (const [begun, ended] of PAIRS) {
    const open = new Map<string, number>();
    for (const event of events) {
      const key = keyOf(event);
      if (event.type === begun) open.set(key, (open.get(key) ?? 0) + 1);
      if (ended.includes(event.type)) open.set(key, (open.get(key) ?? 0) - 1);
      // Never ended before it began.
      expect(open.get(key) ?? 0, `${event.type} ${key}`).toBeGreaterThanOrEqual(0);
    }
    expect(
      [...open.values()].every((count) => count === 0),
      `an end for each ${begun}`,
    ).toBe(true);
  }
  const directory = join(host.dataDir, "sessions", session, "turns");
  const [turn = "", ...others] = readdirSync(directory);
  expect(others).toEqual([]);
  const written = readFileSync(join(directory, turn, "events.ndjson"), "utf8");
  expect(
    written
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line)),
  ).toEqual(JSON.parse(JSON.stringify(events)));
  return { record: JSON.parse(readFileSync(join(directory, turn, "turn.json"), "utf8")) };
}

function keyOf(event: HarnessTurnEvent): string {
  if (event.type.startsWith("harness.turn.")) return "turn";
  if ("step" in event && event.type.startsWith("harness.model.step.")) return `step ${event.step}`;
  return event.occurrenceId;
}
