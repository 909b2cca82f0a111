/** Session logs of others, which may answer and throw anything. */
import { expect, test } from "vitest";
import { RunLog } from "../../../src/harness/record/run-log.ts";
import { memorySessionLog } from "../../../src/session-log/memory-log.ts";
import type { HarnessSessionLog, SessionLogEvent } from "../../../src/shared/session-log.ts";

const unreadable = (): unknown => {
  const refuse = (): never => {
    throw unreadable();
  };
  return new Proxy({}, { get: refuse, has: refuse, getPrototypeOf: refuse });
};

function logWith(methods: Partial<Record<keyof HarnessSessionLog, () => Promise<unknown>>>) {
  const log = memorySessionLog();
  return {
    append: (event) => log.append(event),
    read: (runId, options) => log.read(runId, options),
    close: () => log.close(),
    ...methods,
  } as HarnessSessionLog;
}

const eventOf = async (change: object): Promise<SessionLogEvent> => {
  const event = { runId: "run", appendIdempotencyKey: "attempt/1", type: "t", data: null };
  return { ...(await memorySessionLog().append(event)), ...change };
};

test.each<[string, () => Promise<unknown>]>([
  ["nothing", async () => undefined],
  ["null", async () => null],
  ["a text", async () => "kept"],
  ["an event without a sequence", () => eventOf({ sequence: undefined })],
  ["an event of another key", () => eventOf({ appendIdempotencyKey: "attempt/2" })],
  ["an event of another run", () => eventOf({ runId: "other" })],
  [
    "what cannot be read",
    () =>
      eventOf({}).then(() => ({
        get sequence() {
          throw unreadable();
        },
      })),
  ],
])("a log that answers an append with %s has kept nothing, and the run is broken", async (_, append) => {
  const broken: unknown[] = [];
  const run = await RunLog.read(logWith({ append }), "run", (error) => broken.push(error));
  await expect(run.claim("t", {})).rejects.toMatchObject({ code: "SESSION_LOG_FAILED" });
  expect(broken).toMatchObject([{ code: "SESSION_LOG_FAILED" }]);
});

test("what cannot be read and is thrown by a log is told as a failure of the log", async () => {
  const fails = async (): Promise<never> => {
    throw unreadable();
  };
  const reading = RunLog.read(logWith({ read: fails }), "run", () => undefined);
  await expect(reading).rejects.toMatchObject({ code: "SESSION_LOG_FAILED" });
  const run = await RunLog.read(logWith({ append: fails }), "run", () => undefined);
  await expect(run.claim("t", {})).rejects.toMatchObject({ code: "SESSION_LOG_FAILED" });
});
