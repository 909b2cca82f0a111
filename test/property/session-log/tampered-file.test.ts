/**
 * Whatever is done to the file of a log: `verifySessionLog` finds it, or nothing that is read has changed. And a log
 * that is opened on it gives each run whole, or refuses it.
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { fileSessionLog } from "../../../src/session-log/file-log.ts";
import { verifySessionLog } from "../../../src/session-log/verify.ts";
import { isSandboxError } from "../../../src/shared/errors.ts";
import type { SessionLogEvent } from "../../../src/shared/session-log.ts";
import { fillFileLog, readAll } from "../../helpers/session-logs.ts";
import { tempDirForFile } from "../../helpers/temp-dir.ts";

const RUNS = ["run-0", "run-1", "run-2"];
const directory = tempDirForFile();
let events: SessionLogEvent[] = [];
let bytes = Buffer.alloc(0);

beforeAll(async () => {
  const path = join(directory, "whole.ndjson");
  events = await fillFileLog(path, 30);
  bytes = readFileSync(path);
});

/** Checks what is made of these bytes. @param isCut Whether events at the end may be gone unseen. */
async function check(changed: Buffer, isCut = false): Promise<void> {
  const path = join(directory, "changed.ndjson");
  for (const suffix of ["", ".heads"]) rmSync(path + suffix, { force: true });
  writeFileSync(path, changed);
  const report = await verifySessionLog({ path }).catch((error: unknown) => {
    expect(error).toMatchObject({ code: "SESSION_LOG_CORRUPT" });
    return { isWhole: false };
  });
  const log = fileSessionLog({ path, sync: false });
  try {
    for (const runId of RUNS) {
      const original = events.filter((event) => event.runId === runId);
      let read: SessionLogEvent[];
      try {
        read = await readAll(log, runId);
      } catch (error) {
        if (!isSandboxError(error)) throw error;
        expect(error.code).toBe("SESSION_LOG_CORRUPT");
        expect(error.message).toMatch(/changed\.ndjson, line \d+/);
        expect(report.isWhole).toBe(false);
        continue;
      }
      if (report.isWhole && !isCut) expect(read).toEqual(original);
      else expect(read).toEqual(original.slice(0, read.length));
    }
  } finally {
    await log.close();
  }
}

const lineAt = fc.nat({ max: 29 });
const lines = (): Buffer[] => {
  const ends = [...bytes.keys()].filter((at) => bytes[at] === 10).map((at) => at + 1);
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
};

test("another byte anywhere is found, or changes nothing that is read", async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 255 }), async (place, flip) => {
      const changed = Buffer.from(bytes);
      const at = place % changed.length;
      changed[at] = (changed[at] ?? 0) ^ flip;
      await check(changed);
    }),
    { numRuns: RUN_COUNT, interruptAfterTimeLimit: 20_000 },
  );
});

test("a byte more or less anywhere is found, or changes nothing that is read", async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.nat({ max: 255 }), fc.boolean(), async (place, value, isMore) => {
      const at = place % (bytes.length - 1);
      const more = isMore ? Buffer.of(value) : Buffer.alloc(0);
      await check(Buffer.concat([bytes.subarray(0, at), more, bytes.subarray(at + (isMore ? 0 : 1))]));
    }),
    { numRuns: RUN_COUNT, interruptAfterTimeLimit: 20_000 },
  );
});

test("a line that is gone, comes twice or changes its place with another is found", async () => {
  await fc.assert(
    fc.asyncProperty(
      lineAt,
      lineAt,
      fc.constantFrom("gone", "twice", "swapped", "moved"),
      async (a, b, how) => {
        const changed = lines();
        const [one, other] = [changed[a + 1], changed[b + 1]];
        if (one === undefined || other === undefined) throw new Error("no line");
        if (how === "gone") changed.splice(a + 1, 1);
        if (how === "twice") changed.splice(b + 1, 0, one);
        if (how === "swapped") {
          changed[a + 1] = other;
          changed[b + 1] = one;
        }
        if (how === "moved") {
          changed.splice(a + 1, 1);
          changed.splice(b + 1, 0, one);
        }
        // What is cut off at the end shows against a known head alone.
        await check(Buffer.concat(changed), how === "gone" && a === 29);
      },
    ),
    { numRuns: RUN_COUNT, interruptAfterTimeLimit: 20_000 },
  );
});

test("every line that is gone is found, but for the last, which shows against a known head", async () => {
  const path = join(directory, "short.ndjson");
  const heads = (await verifySessionLog({ path: join(directory, "whole.ndjson") })).heads;
  for (let gone = 1; gone <= 30; gone++) {
    writeFileSync(path, Buffer.concat(lines().filter((_, index) => index !== gone)));
    expect((await verifySessionLog({ path })).isWhole).toBe(gone === 30);
    expect((await verifySessionLog({ path, heads })).isWhole).toBe(false);
  }
});

const RUN_COUNT = Number(process.env.FC_NUM_RUNS ?? 25);
