/** What must hold of several processes that append to the same runs of one log, of which some are killed at any moment. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "vitest";
import { root } from "../../build/paths.ts";
import { readRun } from "../../src/session-log/read-run.ts";
import type { SessionLogEvent } from "../../src/shared/session-log.ts";
import { runCrowd, seeded, startNode } from "./killed-processes.ts";
import { logOver } from "./postgres-schema.ts";

export interface AppendCrowd {
  readonly processes: number;
  /** Deaths that must be survived before it ends. */
  readonly kills: number;
  readonly seed: number;
  readonly place: { readonly connectionString: string; readonly schema: string };
}

const FIXTURE = join(root, "test/fixtures/postgres/appender.mjs");
const ENTRY = pathToFileURL(join(root, "dist/remote-session.js")).href;

/** Every acknowledged event is there, as it was told, and nothing is there twice. */
export async function appendInCrowd({ processes, kills: wanted, seed, place }: AppendCrowd): Promise<void> {
  const { said } = await runCrowd({
    processes,
    start: () => startNode(FIXTURE, ENTRY, JSON.stringify(place)),
    random: seeded(seed),
    isOver: (_, killed) => killed >= wanted,
  });
  const log = logOver(place);
  const byRun = new Map<string, Map<string, SessionLogEvent>>();
  for (const runId of new Set(said.map((line) => String(line.runId)))) {
    const events = new Map<string, SessionLogEvent>();
    // The log checks the chain and that no sequence is missing.
    for await (const event of readRun(log, runId)) {
      expect(events.has(event.appendIdempotencyKey)).toBe(false);
      events.set(event.appendIdempotencyKey, event);
    }
    byRun.set(runId, events);
  }
  expect(said.length).toBeGreaterThan(wanted);
  for (const { runId, key, hash, sequence } of said)
    expect(byRun.get(String(runId))?.get(String(key))).toMatchObject({ hash, sequence });
  // Keys that all processes append are one event each, whoever came first.
  const shared = [...(byRun.get("run-3")?.keys() ?? [])];
  expect(shared.sort()).toEqual(shared.map((_, index) => `shared/${index}`).sort());
}
