import { expect, test } from "vitest";
import { memorySessionLog } from "../../../src/session-log/memory-log.ts";
import { readRun } from "../../../src/session-log/read-run.ts";
import type { SessionLogEvent } from "../../../src/shared/session-log.ts";

async function eventsOf(...data: string[]): Promise<readonly SessionLogEvent[]> {
  const log = memorySessionLog();
  for (const [n, text] of data.entries())
    await log.append({ runId: "run", appendIdempotencyKey: `${n}`, type: "test", data: text });
  return log.read("run");
}

/** The events that are given before the error with this code. */
async function readUntil(code: string, read: (after: number) => unknown): Promise<number[]> {
  const sequences: number[] = [];
  const reading = async () => {
    const log = { read: async (_: string, { after = 0 } = {}) => read(after) as readonly SessionLogEvent[] };
    for await (const { sequence } of readRun(log, "run")) sequences.push(sequence);
  };
  await expect(reading()).rejects.toMatchObject({ name: "SandboxError", code });
  return sequences;
}

test("a log that gives the same page again is refused, and not read without end", async () => {
  const page = await eventsOf("a", "b");
  expect(await readUntil("SESSION_LOG_CORRUPT", () => page)).toEqual([1, 2]);
});

test("a page that does not follow the one before by its hash is refused", async () => {
  const real = await eventsOf("a", "b", "c", "d");
  const forged = await eventsOf("a", "forged");
  const read = (after: number) => (after === 0 ? forged : real.slice(after));
  expect(await readUntil("SESSION_LOG_CORRUPT", read)).toEqual([1, 2]);
  const [, second] = real;
  expect(await readUntil("SESSION_LOG_CORRUPT", () => [{ ...second, sequence: 1 }])).toEqual([]);
});

test.each([undefined, null, "abc", {}])("a log that gives %j for a page is refused", async (page) => {
  expect(await readUntil("SESSION_LOG_FAILED", () => page)).toEqual([]);
});

test("a run is read on from an event whose hash is not known", async () => {
  const real = await eventsOf("a", "b", "c");
  const read = async (_: string, { after = 0 } = {}) => real.slice(after);
  const sequences: number[] = [];
  for await (const { sequence } of readRun({ read }, "run", 1)) sequences.push(sequence);
  expect(sequences).toEqual([2, 3]);
});
