/** A chain of events: every change to it is found, and named by the event's sequence. */
import { createHash } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { assertChain, findBreak } from "../../../src/session-log/check-chain.ts";
import { memorySessionLog } from "../../../src/session-log/memory-log.ts";
import type { SessionLogEvent } from "../../../src/shared/session-log.ts";

let events: readonly SessionLogEvent[] = [];

beforeAll(async () => {
  const log = memorySessionLog();
  for (let n = 1; n <= 5; n++)
    await log.append({ runId: "run", appendIdempotencyKey: `k/${n}`, type: "t", data: { n } });
  events = await log.read("run");
});

test("digest and hash are SHA-256 of the canonical JSON that the contract names", () => {
  const event = events[1];
  const sha256 = (value: unknown) => createHash("sha256").update(JSON.stringify(value)).digest("hex");
  const digest = sha256({ appendIdempotencyKey: "k/2", data: { n: 2 }, runId: "run", type: "t" });
  expect(event?.digest).toBe(digest);
  const { at, previousHash } = event as SessionLogEvent;
  expect(previousHash).toBe(events[0]?.hash);
  expect(event?.hash).toBe(
    sha256({
      appendIdempotencyKey: "k/2",
      at,
      data: { n: 2 },
      digest,
      previousHash,
      runId: "run",
      sequence: 2,
      type: "t",
    }),
  );
});

test("a whole run and any part of it is whole", () => {
  expect(findBreak("run", events)).toBeUndefined();
  expect(findBreak("run", [])).toBeUndefined();
  expect(findBreak("run", events.slice(2), { sequence: 2, hash: events[1]?.hash })).toBeUndefined();
  expect(findBreak("run", events.slice(2), { sequence: 2 })).toBeUndefined();
});

const without = (index: number) => events.filter((_, n) => n !== index);
const withChange = (index: number, change: object) =>
  events.map((event, n) => (n === index ? { ...event, ...change } : event));

test.each<[string, () => readonly unknown[], number, RegExp]>([
  ["an event is gone", () => without(1), 2, /sequence is 3/],
  ["the first is gone", () => without(0), 1, /sequence is 2/],
  ["two are swapped", () => [events[1], events[0]], 1, /sequence is 2/],
  ["one comes twice", () => [events[0], events[0]], 2, /sequence is 1/],
  ["data is another", () => withChange(2, { data: { n: 9 } }), 3, /digest/],
  ["the time is another", () => withChange(2, { at: "2020-01-01T00:00:00.000Z" }), 3, /hash is not/],
  ["the time is none", () => withChange(2, { at: "2020-13-01T00:00:00.000Z" }), 3, /time is none/],
  ["it is of another run", () => withChange(2, { runId: "other" }), 3, /another run/],
  ["a field is added", () => withChange(2, { more: 1 }), 3, /unknown field/],
  ["a hash is none", () => withChange(2, { digest: "x" }), 3, /a hash of it is none/],
  ["a link is another", () => withChange(2, { previousHash: "0".repeat(64) }), 3, /previousHash/],
  ["the hash is another", () => withChange(4, { hash: "f".repeat(64) }), 5, /hash is not/],
  ["it is no object", () => [...events.slice(0, 2), null], 3, /no object/],
  ["data is gone", () => withChange(0, { data: undefined }), 1, /"data"/],
])("when %s, the event is named", (_, changed, sequence, what) => {
  const found = findBreak("run", changed());
  expect(found?.sequence).toBe(sequence);
  expect(found?.what).toMatch(what);
});

test("a part that does not follow the known head is refused", () => {
  const start = { sequence: 2, hash: "f".repeat(64) };
  expect(findBreak("run", events.slice(2), start)).toMatchObject({ index: 0, sequence: 3 });
  expect(() => assertChain("run", events.slice(2), start, "the server")).toThrow(
    expect.objectContaining({ code: "SESSION_LOG_CORRUPT", data: { runId: "run", sequence: 3 } }),
  );
});
