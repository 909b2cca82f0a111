/**
 * A log in a file whose writer dies at any byte, or whose system fails at any call: every event that was acknowledged
 * is there afterwards, none is there twice, and the order is kept.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FileLog, fileSessionLog } from "../../src/session-log/file-log.ts";
import type { SessionLogEvent } from "../../src/shared/session-log.ts";
import { FailingFiles, type FaultKind } from "../helpers/failing-files.ts";
import { appendOf, fillFileLog, readAll } from "../helpers/session-logs.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { checkPrefixes } from "./session-log-prefixes.ts";

test("a writer that is killed at a byte of 200 events leaves every whole line, and the next goes on from there", async () => {
  // In the first lines, around some newlines and in the last line.
  const isWanted = (length: number, record: number, fromStart: number, toEnd: number) =>
    record < 1 || (record < 2 && length % 10 === 0) || (record % 40 === 0 && (fromStart < 2 || toEnd < 2));
  expect(await checkPrefixes(tempDir(), isWanted)).toBeGreaterThan(100);
});

interface Played {
  readonly acknowledged: SessionLogEvent[];
  readonly calls: readonly string[];
}

/** Opens a log, appends four events, two of them at once, and closes it; or as far as that goes. */
async function play(failing: FailingFiles, path: string): Promise<Played> {
  const log = new FileLog({ path }, failing.files);
  const acknowledged: SessionLogEvent[] = [];
  const append = async (n: number) => {
    try {
      acknowledged.push(await log.append(appendOf(n)));
    } catch (error) {
      expect((error as { code: string }).code).toBe("SESSION_LOG_FAILED");
    }
  };
  const all = async () => {
    await append(10);
    await Promise.all([append(13), append(16)]);
    await append(19);
    await log.close();
  };
  await Promise.race([all(), failing.death]);
  return { acknowledged, calls: failing.calls };
}

/** What is there is what was acknowledged, in its order, and perhaps what was not; the same appends again make it whole. */
async function checkAfter(path: string, before: SessionLogEvent[], acknowledged: SessionLogEvent[]) {
  // The dead process of the play is this one, so its lock is not that of a dead one.
  rmSync(`${path}.lock`, { force: true });
  const log = fileSessionLog({ path, sync: false });
  const read = await readAll(log, "run-1");
  const known = [...before.filter(({ runId }) => runId === "run-1"), ...acknowledged];
  const ofKnown = read.filter(({ digest }) => known.some((event) => event.digest === digest));
  expect(ofKnown.map(({ hash }) => hash)).toEqual(
    known.sort((a, b) => a.sequence - b.sequence).map(({ hash }) => hash),
  );
  for (const n of [10, 13, 16, 19]) await log.append(appendOf(n));
  const after = await readAll(log, "run-1");
  expect(new Set(after.map(({ appendIdempotencyKey }) => appendIdempotencyKey)).size).toBe(after.length);
  expect(after.length).toBe(before.filter(({ runId }) => runId === "run-1").length + 4);
  expect(await readAll(log, "run-0")).toEqual(before.filter(({ runId }) => runId === "run-0"));
  await log.close();
}

const KINDS: FaultKind[] = ["fail", "short", "die before", "die after"];

test.each(KINDS.flatMap((kind) => [[kind, "a new file"] as const, [kind, "a file"] as const]))(
  "a call that does this: %s, in %s, loses nothing that was acknowledged",
  async (kind, where) => {
    const directory = tempDir();
    const prepare = async (name: string) => {
      const path = join(directory, name);
      return { path, before: where === "a file" ? await fillFileLog(path, 7) : [] };
    };
    const { path } = await prepare("plain");
    const plain = await play(new FailingFiles(path), path);
    expect(plain.acknowledged.length).toBe(4);
    expect(plain.calls).toEqual(expect.arrayContaining(["write", "sync directory", "datasync file"]));
    for (let number = 0; number < plain.calls.length; number++) {
      for (const power of ["stays", "goes"]) {
        const { path: one, before } = await prepare(`${number}-${power}`);
        const failing = new FailingFiles(one);
        failing.arm(number, kind);
        const { acknowledged } = await play(failing, one);
        await failing.closeAll();
        if (power === "goes") failing.losePower();
        // What was there before was synced by nobody in this test.
        const isLost = power === "goes" && acknowledged.length === 0;
        if (!isLost || where === "a new file") await checkAfter(one, before, acknowledged);
      }
    }
  },
);

test.each(["EIO", "EINVAL", "ENOTSUP"])(
  "after a sync that failed with %s nothing is acknowledged by that log",
  async (code) => {
    const path = join(tempDir(), "log.ndjson");
    const failing = new FailingFiles(path);
    const log = new FileLog({ path }, failing.files);
    const first = await log.append(appendOf(0));
    failing.arm(2, "fail", code); // The call after a look at the file and the write.
    for (const n of [3, 6, 0])
      await expect(log.append(appendOf(n))).rejects.toMatchObject({ code: "SESSION_LOG_FAILED" });
    expect(await log.read("run-0")).toEqual([first]);
    await log.close();
    const again = fileSessionLog({ path });
    expect((await again.append(appendOf(3))).sequence).toBe(2);
    await again.close();
  },
);

test.each(["sync file", "open", "sync directory"])(
  "where the %s that opening needs is not to be had, nothing is acknowledged",
  async (name) => {
    const directory = tempDir();
    const plain = new FailingFiles(join(directory, "plain"));
    await play(plain, join(directory, "plain"));
    const path = join(directory, "log.ndjson");
    const failing = new FailingFiles(path);
    failing.arm(plain.calls.lastIndexOf(name, plain.calls.indexOf("sync directory")), "fail", "EINVAL");
    const log = new FileLog({ path }, failing.files);
    for (let n = 0; n < 3; n++)
      await expect(log.append(appendOf(n))).rejects.toMatchObject({
        code: "SESSION_LOG_FAILED",
        message: expect.stringMatching(/cannot be synced \(EINVAL\)/),
      });
    await log.close();
  },
);

test("a disk that is full and has room again goes on after the events that it refused", async () => {
  const path = join(tempDir(), "log.ndjson");
  const failing = new FailingFiles(path);
  const log = new FileLog({ path }, failing.files);
  const first = await log.append(appendOf(0));
  failing.arm(1, "short"); // The call after a look at the file.
  const refused = await Promise.allSettled([log.append(appendOf(3)), log.append(appendOf(6))]);
  expect(refused.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  const next = await log.append(appendOf(6));
  expect(next.sequence).toBe(2);
  expect(await log.read("run-0")).toEqual([first, next]);
  await log.close();
  const again = fileSessionLog({ path });
  expect(await readAll(again, "run-0")).toEqual([first, next]);
  await again.close();
});
