/** A session log that answers no more, and a caller who does not want to wait. */
import { expect, test } from "vitest";
import { streamHarness } from "../../src/index.ts";
import type { HarnessSessionLog } from "../../src/shared/session-log.ts";
import { harnessForTest } from "../helpers/harness.ts";
import { failingLog, keysOf, runForReplay } from "../helpers/runs.ts";
import type { Answer } from "../helpers/scripted-model.ts";

const SAYS: readonly Answer[] = [{ text: "hello" }];
const IN_TIME = { code: "SESSION_LOG_FAILED", message: expect.stringContaining("in time") };

/** A log of which one method does not answer the first time; `onHang` is told. */
function hanging(log: HarnessSessionLog, method: "append" | "read", onHang: () => void): HarnessSessionLog {
  let hasHung = false;
  const hangsNow = (of: string): boolean => {
    if (of !== method || hasHung) return false;
    hasHung = true;
    onHang();
    return true;
  };
  const never = new Promise<never>(() => undefined);
  return {
    append: (event) => (hangsNow("append") ? never : log.append(event)),
    read: (runId, options) => (hangsNow("read") ? never : log.read(runId, options)),
    close: () => log.close(),
  };
}

test.concurrent("an abort is heard while the record of the run is read", async () => {
  const run = runForReplay(SAYS);
  const stop = new AbortController();
  const sessionLog = hanging(run.log, "read", () => stop.abort());
  await expect(run.go({ sessionLog, abortSignal: stop.signal })).rejects.toMatchObject(IN_TIME);
});

test.concurrent("a reader who leaves a stream is heard while the record of the run is read", async () => {
  const run = runForReplay(SAYS);
  const { harness } = harnessForTest(SAYS, { host: run.host });
  let onHang = (): void => undefined;
  const hangs = new Promise<void>((resolve) => {
    onHang = resolve;
  });
  const sessionLog = hanging(run.log, "read", () => onHang());
  const { fullStream, result } = streamHarness({ harness, prompt: "go", runId: "run-1", sessionLog });
  const parts = fullStream[Symbol.asyncIterator]();
  const first = parts.next();
  await hangs;
  await parts.return?.();
  await expect(result).rejects.toMatchObject(IN_TIME);
  await first.catch(() => undefined); // told by the result
});

test.concurrent("an abort is heard while the first append hangs, and the turn is released", async () => {
  const run = runForReplay(SAYS);
  const stop = new AbortController();
  const sessionLog = hanging(run.log, "append", () => stop.abort());
  const told: string[] = [];
  const going = run.go({ sessionLog, abortSignal: stop.signal, onEvent: ({ type }) => told.push(type) });
  await expect(going).rejects.toMatchObject(IN_TIME);
  expect(told).toEqual(["harness.turn.started", "harness.turn.failed"]);
  expect(keysOf(await run.events())).toEqual([]);
});

test("an abort is heard while it is recorded that a run was completed before", async () => {
  const run = runForReplay(SAYS);
  await expect(run.go({ sessionLog: failingLog(run.log, 3, "before") })).rejects.toThrow();
  const stop = new AbortController();
  const sessionLog = hanging(run.log, "append", () => stop.abort());
  await expect(run.go({ sessionLog, abortSignal: stop.signal })).rejects.toMatchObject(IN_TIME);
  expect((await run.go()).result.text).toBe("hello");
});
