/** Appends to a session log: once each, in one order per run, by several at once. */
import { checkAppend } from "../../session-log/check-append.ts";
import { findBreak } from "../../session-log/check-chain.ts";
import { readRun } from "../../session-log/read-run.ts";
import type { JsonValue } from "../../shared/json.ts";
import type { HarnessSessionLog, SessionLogEvent } from "../../shared/session-log.ts";
import { appendOf, type SessionLogCase } from "../log-stage.ts";

async function all(log: HarnessSessionLog, runId: string): Promise<SessionLogEvent[]> {
  const events: SessionLogEvent[] = [];
  for await (const event of readRun(log, runId)) events.push(event);
  return events;
}

export const logAppendCases: readonly SessionLogCase[] = [
  {
    name: "an event comes back as it was appended, with its place, its time and its hashes",
    async run({ log, check, reopen }) {
      const append = appendOf("run", "step/1", {
        occurrenceId: "call/1",
        data: { b: [1, null], a: "ü😀\n" },
      });
      const before = Date.now();
      const event = await log.append(append);
      const { sequence, at, digest, previousHash, hash, ...rest } = event;
      check.equal("what was appended", rest, append);
      check.equal("sequence", sequence, 1);
      // Another machine's clock may be minutes off.
      const isNear = Math.abs(Date.parse(at) - before) < 3_600_000 && new Date(at).toISOString() === at;
      check.that(isNear, "at", at, "the time, in ISO 8601 with milliseconds");
      check.equal("digest", digest, checkAppend(append).digest);
      check.equal("previousHash of the first event", previousHash, "0".repeat(64));
      check.equal("the chain's break", findBreak("run", [event]), undefined);
      check.equal("read", await log.read("run"), [event]);
      const second = await log.append(appendOf("run", "step/2"));
      check.equal("previousHash of the second event", second.previousHash, hash);
      check.equal("read after it was opened again", await (await reopen()).read("run"), [event, second]);
    },
  },
  {
    name: "an append under a key that is there gives the event that is there, and adds nothing",
    async run({ log, other, check, reopen }) {
      const append = appendOf("run", "key", { occurrenceId: "group", data: { a: 1, b: [2] } });
      const first = await log.append(append);
      await log.append(appendOf("run", "between"));
      check.equal("the same again", await log.append(append), first);
      const reordered = { ...append, data: { b: [2], a: 1 } };
      check.equal("with its fields in another order", await other.append(reordered), first);
      const again = await reopen();
      check.equal("the same after it was opened again", await again.append(append), first);
      check.equal("events of the run", (await again.read("run")).length, 2);
    },
  },
  {
    name: "other content under a key that is there is a conflict, and changes nothing",
    async run({ log, other, check, reopen }) {
      const append = appendOf("run", "key", { occurrenceId: "group", data: { a: 1 } });
      const first = await log.append(append);
      const changes = [{ data: { a: 2 } }, { data: {} }, { type: "other" }, { occurrenceId: "other" }];
      for (const change of changes)
        await check.rejectsWith("SESSION_LOG_CONFLICT", JSON.stringify(change), () =>
          other.append({ ...append, ...change }),
        );
      const { occurrenceId: _, ...without } = append;
      await check.rejectsWith("SESSION_LOG_CONFLICT", "without a group", () => log.append(without));
      const again = await reopen();
      await check.rejectsWith("SESSION_LOG_CONFLICT", "after it was opened again", () =>
        again.append({ ...append, data: 3 }),
      );
      check.equal("read", await again.read("run"), [first]);
      check.equal("the next event's sequence", (await again.append(appendOf("run", "next"))).sequence, 2);
    },
  },
  {
    name: "a key is of its run alone, and a group is no key",
    async run({ log, check }) {
      const one = await log.append(appendOf("one", "key", { occurrenceId: "group" }));
      const two = await log.append(appendOf("two", "key", { occurrenceId: "group", data: 2 }));
      const three = await log.append(appendOf("one", "other", { occurrenceId: "group" }));
      check.equal("sequences", [one.sequence, two.sequence, three.sequence], [1, 1, 2]);
      check.equal("the group of the third", three.occurrenceId, "group");
      check.equal("the first hash of each run differs", one.hash === two.hash, false);
    },
  },
  {
    name: "appends to one run at once have one order without gaps, the same for all who read",
    async run({ log, other, check, reopen }) {
      const count = 60;
      const events = await Promise.all(
        Array.from({ length: count }, (_, n) => (n % 2 ? other : log).append(appendOf("run", `key/${n}`))),
      );
      const sorted = [...events].sort((a, b) => a.sequence - b.sequence);
      const sequences = sorted.map(({ sequence }) => sequence);
      check.equal(
        "sequences",
        sequences,
        Array.from({ length: count }, (_, n) => n + 1),
      );
      check.equal("read", await all(log, "run"), sorted);
      check.equal("read by the other", await all(other, "run"), sorted);
      check.equal("the chain's break", findBreak("run", sorted), undefined);
      check.equal("read after it was opened again", await all(await reopen(), "run"), sorted);
    },
  },
  {
    name: "the same append many times at once is one event",
    async run({ log, other, check }) {
      const append = appendOf("run", "key");
      const events = await Promise.all(
        Array.from({ length: 20 }, (_, n) => (n % 2 ? other : log).append(append)),
      );
      for (const event of events) check.equal("each append's event", event, events[0]);
      check.equal("read", await log.read("run"), [events[0]]);
    },
  },
  {
    name: "of different contents under one key at once exactly one is kept",
    async run({ log, other, check }) {
      const settled = await Promise.allSettled(
        Array.from({ length: 10 }, (_, n) =>
          (n % 2 ? other : log).append(appendOf("run", "key", { data: n })),
        ),
      );
      const kept = settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
      const codes = settled.flatMap((one) => (one.status === "rejected" ? [one.reason.code] : []));
      check.equal(
        "codes",
        codes,
        Array.from({ length: 9 }, () => "SESSION_LOG_CONFLICT"),
      );
      check.equal("read", await log.read("run"), kept);
    },
  },
  {
    name: "many runs at once have each its own order",
    async run({ log, other, check }) {
      const runs = Array.from({ length: 20 }, (_, n) => `run-${n}`);
      await Promise.all(
        runs.flatMap((runId) =>
          Array.from({ length: 10 }, (_, n) => (n % 2 ? other : log).append(appendOf(runId, `key/${n}`))),
        ),
      );
      for (const runId of runs) {
        const events = await all(log, runId);
        check.equal(`events of ${runId}`, events.length, 10);
        check.equal(`the break in ${runId}`, findBreak(runId, events), undefined);
      }
    },
  },
  {
    name: "every JSON value comes back as it was, up to a mebibyte and a hundred levels",
    async run({ log, check, reopen }) {
      const deep = JSON.parse(`${"[".repeat(100)}${"]".repeat(100)}`) as JsonValue;
      const values: JsonValue[] = [
        null,
        false,
        true,
        0,
        -1.5e-7,
        1e21,
        5e-324,
        "",
        "ü😀\u0000\u2028\n",
        [],
        {},
      ];
      values.push([[], [null]], deep, "x".repeat(1024 * 1024 - 2));
      values.push(JSON.parse('{"__proto__":{"x":1},"constructor":1,"":null,"10":1,"9":2}') as JsonValue);
      for (const [n, data] of values.entries()) {
        const event = await log.append(appendOf("run", `key/${n}`, { data }));
        check.equal("data", event.data, data);
      }
      check.equal("-0", (await log.append(appendOf("run", "zero", { data: -0 }))).data, 0);
      const read = await all(await reopen(), "run");
      check.equal(
        "read",
        read.map(({ data }) => data),
        [...values, 0],
      );
      check.equal("the chain's break", findBreak("run", read), undefined);
    },
  },
  {
    name: "what is no event is refused by the name of its field, and leaves nothing",
    async run({ log, check }) {
      const deep = JSON.parse(`${"[".repeat(101)}${"]".repeat(101)}`) as unknown;
      const bad: [field: string, change: Record<string, unknown>][] = [
        ["runId", { runId: "" }],
        ["runId", { runId: "a/b" }],
        ["runId", { runId: ".." }],
        ["runId", { runId: "x".repeat(201) }],
        ["runId", { runId: 1 }],
        ["appendIdempotencyKey", { appendIdempotencyKey: undefined }],
        ["appendIdempotencyKey", { appendIdempotencyKey: "a b" }],
        ["occurrenceId", { occurrenceId: null }],
        ["type", { type: "a\n" }],
        ["data", { data: undefined }],
        ["data", { data: Number.NaN }],
        ["data.a[1]", { data: { a: [1, () => 1] } }],
        ["data.a", { data: { a: 1n } }],
        ["data.when", { data: { when: new Date(0) } }],
        ["data.text", { data: { text: "\ud800" } }],
        ["data", { data: "x".repeat(1024 * 1024 - 1) }],
        ["data", { data: deep }],
        ["sequence", { sequence: 1 }],
      ];
      for (const [field, change] of bad) {
        const event = { ...appendOf("run", "key"), ...change } as ReturnType<typeof appendOf>;
        const error = await check.rejectsWith("SESSION_LOG_INVALID", field, () => log.append(event));
        const { message } = error as Error;
        check.that(message.includes(`"${field}`), "the message", message, `one that names "${field}"`);
      }
      check.equal("read", await log.read("run"), []);
    },
  },
];
