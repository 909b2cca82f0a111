/** Session logs that tests fill and read. */
import { expect } from "vitest";
import { findBreak } from "../../src/session-log/check-chain.ts";
import { fileSessionLog } from "../../src/session-log/file-log.ts";
import { readRun } from "../../src/session-log/read-run.ts";
import type { HarnessSessionLog, SessionLogAppend, SessionLogEvent } from "../../src/shared/session-log.ts";

/** The nth append of a test, of one of three runs. */
export function appendOf(n: number, runId = `run-${n % 3}`): SessionLogAppend {
  const text = n % 7 === 0 ? "ü\n😀".repeat(n % 11) : "x";
  return { runId, appendIdempotencyKey: `key/${n}`, type: "test.event", data: { n, text } };
}

/** Every event of a run; fails where its chain is broken. */
export async function readAll(
  log: Pick<HarnessSessionLog, "read">,
  runId: string,
): Promise<SessionLogEvent[]> {
  const events: SessionLogEvent[] = [];
  for await (const event of readRun(log, runId)) events.push(event);
  expect(findBreak(runId, events)).toBeUndefined();
  return events;
}

/** A log with so many events in this order, closed. */
export async function fillFileLog(path: string, count: number): Promise<SessionLogEvent[]> {
  const log = fileSessionLog({ path, sync: false });
  const events: SessionLogEvent[] = [];
  for (let n = 0; n < count; n++) events.push(await log.append(appendOf(n)));
  await log.close();
  return events;
}
