/**
 * The table beside a log: with it, opening reads little; and whatever is in it, or nothing, what is read of the log is
 * the same.
 */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { FileLog, fileSessionLog } from "../../../src/session-log/file-log.ts";
import { type LogFile, type LogFiles, systemFiles } from "../../../src/session-log/log-files.ts";
import type { SessionLogEvent } from "../../../src/shared/session-log.ts";
import { appendOf, readAll } from "../../helpers/session-logs.ts";
import { tempDir, tempDirForFile } from "../../helpers/temp-dir.ts";

const directory = tempDirForFile();
const whole = join(directory, "whole.ndjson");
const events = new Map<string, SessionLogEvent[]>();
/** The table of the log as it was when it had half of its events. */
const early = join(directory, "early.heads");

beforeAll(async () => {
  for (const half of [0, 1]) {
    const log = fileSessionLog({ path: whole, sync: false });
    // Runs that have ended, a run in both halves, and runs that begin in the second.
    for (let n = 0; n < 2; n++)
      await log.append({ ...appendOf(n, `large-${half}`), data: "x".repeat(1_000_000) });
    for (let n = 0; n < 30; n++)
      for (const runId of [`run-${half}-${n % 10}`, "both"]) {
        const event = await log.append({ ...appendOf(n, runId), appendIdempotencyKey: `${half}/${n}` });
        events.set(runId, [...(events.get(runId) ?? []), event]);
      }
    await log.close();
    if (half === 0) copyFileSync(`${whole}.heads`, early);
  }
});

function copyOf(name: string): string {
  const path = join(tempDir(), `${name}.ndjson`);
  copyFileSync(whole, path);
  copyFileSync(`${whole}.heads`, `${path}.heads`);
  return path;
}

async function checkAll(path: string): Promise<void> {
  const log = fileSessionLog({ path, sync: false });
  for (const [runId, expected] of events) expect(await readAll(log, runId)).toEqual(expected);
  expect(await log.read("no-such-run")).toEqual([]);
  expect((await log.append(appendOf(1, "both"))).sequence).toBe(61);
  expect((await log.append(appendOf(1, "run-0-3"))).sequence).toBe(4);
  expect((await log.append(appendOf(1, "new"))).sequence).toBe(1);
  await log.close();
  const again = fileSessionLog({ path, sync: false });
  expect((await readAll(again, "both")).length).toBe(61);
  expect((await readAll(again, "run-1-3")).length).toBe(3);
  expect((await readAll(again, "run-0-3")).length).toBe(4);
  await again.close();
}

/** Files that count what is read of them. */
function countingFiles(): { files: LogFiles; bytes: () => number } {
  let bytes = 0;
  const open: LogFiles["open"] = async (path, flags, mode) => {
    const file = await systemFiles.open(path, flags, mode);
    const read = async (buffer: Uint8Array, offset: number, length: number, position: number) => {
      const done = await file.read(buffer, offset, length, position);
      bytes += done.bytesRead;
      return done;
    };
    return {
      read: read as LogFile["read"],
      write: file.write.bind(file) as LogFile["write"],
      stat: file.stat.bind(file) as LogFile["stat"],
      sync: () => file.sync(),
      datasync: () => file.datasync(),
      truncate: (length) => file.truncate(length),
      close: () => file.close(),
    };
  };
  return { files: { ...systemFiles, open }, bytes: () => bytes };
}

test("a run of few events is read without a look at the others", async () => {
  const path = copyOf("small");
  const { files, bytes } = countingFiles();
  const log = new FileLog({ path, sync: false }, files);
  expect(await log.read("run-0-3")).toEqual(events.get("run-0-3"));
  await log.close();
  expect(readFileSync(path).length).toBeGreaterThan(3_000_000);
  expect(bytes()).toBeLessThan(150_000);
});

test("the table is written when much was added, and is the log's own", async () => {
  const path = copyOf("grown");
  const before = readFileSync(`${path}.heads`);
  const log = fileSessionLog({ path, sync: false });
  for (let n = 0; n < 12; n++) await log.append({ ...appendOf(n, "more"), data: "x".repeat(1_000_000) });
  await log.close();
  expect(readFileSync(`${path}.heads`).equals(before)).toBe(false);
  const { files, bytes } = countingFiles();
  const again = new FileLog({ path, sync: false }, files);
  expect((await again.read("run-0-3")).length).toBe(3);
  await again.close();
  // Of 15 MB: a table that was being written when the last events came does not cover those.
  expect(bytes()).toBeLessThan(4_000_000);
});

const CHANGES: [string, (heads: string) => void][] = [
  ["is as it was written", () => undefined],
  ["is missing", (heads) => rmSync(heads)],
  ["is empty", (heads) => truncateSync(heads)],
  ["was cut", (heads) => truncateSync(heads, 20_000)],
  ["is a directory", (heads) => [rmSync(heads), mkdirSync(heads)]],
  ["is of the log's first half", (heads) => copyFileSync(early, heads)],
  ["is another file", (heads) => writeFileSync(heads, "x".repeat(40_000))],
  ["has zeros for its slots", (heads) => writeFileSync(heads, readFileSync(heads).fill(0, 128))],
];

test.each(CHANGES)("when the table %s, what is read of the log is the same", async (_, change) => {
  const path = copyOf("changed");
  change(`${path}.heads`);
  await checkAll(path);
});

test("a byte of the table that is another is noticed where it counts", async () => {
  const original = readFileSync(`${whole}.heads`);
  const used = [...original.keys()].filter((at) => original[at] !== 0);
  for (let n = 0; n < 4; n++) {
    const path = copyOf(`flipped-${n}`);
    const changed = Buffer.from(original);
    const at = used[(n * 7919) % used.length] ?? 0;
    changed[at] = (changed[at] ?? 0) ^ (1 << (n % 8));
    writeFileSync(`${path}.heads`, changed);
    await checkAll(path);
  }
});

test("the table of a log that was put back to an earlier state is void", async () => {
  const path = copyOf("back");
  const half = readFileSync(whole).length / 2;
  const end = readFileSync(whole).indexOf(10, half) + 1;
  truncateSync(path, end);
  const log = fileSessionLog({ path, sync: false });
  const kept = await readAll(log, "both");
  expect(kept).toEqual(events.get("both")?.slice(0, kept.length));
  expect((await log.append(appendOf(1, "both"))).sequence).toBe(kept.length + 1);
  await log.close();
  expect(existsSync(`${path}.heads`)).toBe(true);
});
