import { expect, test } from "vitest";
import { Changes } from "../../../src/harness/record/changes.ts";
import { RunLog } from "../../../src/harness/record/run-log.ts";
import { memorySessionLog } from "../../../src/session-log/memory-log.ts";
import { readRun } from "../../../src/session-log/read-run.ts";
import type { HarnessTurnEvent } from "../../../src/shared/turn-events.ts";

test.each([
  ["long names", 480, "d".repeat(4_000)],
  ["names that JSON makes six times as long", 100, "\u0001".repeat(4_000)],
  ["many names", 1_234, "d"],
])("a command that changes %s is on record with all of them", async (_, count, name) => {
  const log = memorySessionLog();
  const changes = new Changes(await RunLog.read(log, "run", () => undefined));
  const paths = Array.from({ length: count }, (_, at) => `/session/${name}/${at}`);
  const end = { type: "harness.runtime.command.completed", occurrenceId: "c", exitCode: 0 };
  for (const event of [
    end,
    ...paths.map((path) => ({ type: "harness.file.created", path, kind: "file", commandId: "c" })),
    ...paths.map((path) => ({ type: "harness.file.deleted", path, kind: "file", source: "unknown" })),
  ])
    changes.hear(event as unknown as HarnessTurnEvent);
  await changes.flush({ step: 1 });
  const told: { readonly change: string; readonly path: string }[] = [];
  for await (const { data } of readRun(log, "run"))
    told.push(...(data as unknown as { changes: typeof told }).changes);
  expect(told.map(({ change, path }) => `${change} ${path}`)).toEqual([
    ...paths.map((path) => `created ${path}`),
    ...paths.map((path) => `deleted ${path}`),
  ]);
});
