/** What a writer leaves that is killed at a byte, for many bytes. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { fileSessionLog } from "../../src/session-log/file-log.ts";
import { appendOf, fillFileLog, readAll } from "../helpers/session-logs.ts";

const EVENTS = 200;

/** Checks the file cut at every length that `isWanted`; `record`: which line the cut is in, the header being 0. */
export async function checkPrefixes(
  directory: string,
  isWanted: (length: number, record: number, fromStart: number, toEnd: number) => boolean,
): Promise<number> {
  const whole = join(directory, "whole.ndjson");
  const events = await fillFileLog(whole, EVENTS);
  const bytes = readFileSync(whole);
  const ends = [...bytes.keys()].filter((at) => bytes[at] === 10).map((at) => at + 1);
  expect(ends.length).toBe(EVENTS + 1);
  const path = join(directory, "cut.ndjson");
  let checked = 0;
  let record = 0;
  for (let length = 0; length <= bytes.length; length++) {
    const end = ends[record] ?? 0;
    if (length > end) record += 1;
    if (!isWanted(length, record, length - (ends[record - 1] ?? 0), (ends[record] ?? 0) - length)) continue;
    checked += 1;
    writeFileSync(path, bytes.subarray(0, length));
    const kept = Math.max(0, ends.filter((one) => one <= length).length - 1);
    const log = fileSessionLog({ path, sync: false });
    // The same again, as a caller whose append was not answered does: and it goes on from there.
    const appended = await log.append(appendOf(kept));
    for (const runId of ["run-0", "run-1", "run-2"]) {
      const expected = events.slice(0, kept).filter((event) => event.runId === runId);
      if (appended.runId === runId) expected.push(appended);
      expect(await readAll(log, runId)).toEqual(expected);
    }
    await log.close();
  }
  return checked;
}
