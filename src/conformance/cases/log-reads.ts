/** Reads of a session log: pages, copies, and the end of it. */
import { readRun } from "../../session-log/read-run.ts";
import type { SessionLogEvent, SessionLogReadOptions } from "../../shared/session-log.ts";
import { appendOf, type SessionLogCase } from "../log-stage.ts";

export const logReadCases: readonly SessionLogCase[] = [
  {
    name: "a run that has no events is empty",
    async run({ log, check }) {
      await log.append(appendOf("other", "key"));
      check.equal("read", await log.read("run"), []);
      check.equal("read of a run whose name begins as another's", await log.read("othe"), []);
      check.equal("read after an event that is not there", await log.read("other", { after: 7 }), []);
    },
  },
  {
    name: "a page begins after the event that is named, and has at most as many as were asked for",
    async run({ log, other, check }) {
      const events: SessionLogEvent[] = [];
      for (let n = 0; n < 7; n++) events.push(await log.append(appendOf("run", `key/${n}`)));
      check.equal("after 3", await other.read("run", { after: 3 }), events.slice(3));
      check.equal("limit 2", await log.read("run", { limit: 2 }), events.slice(0, 2));
      check.equal("after 5, limit 1", await log.read("run", { after: 5, limit: 1 }), events.slice(5, 6));
      check.equal("after 7", await log.read("run", { after: 7 }), []);
      check.equal("undefined options", await log.read("run", { after: undefined, limit: undefined }), events);
    },
  },
  {
    name: "a run of more events than one page has is read page by page, none twice and none left out",
    async run({ log, check }) {
      const count = 1_050;
      await Promise.all(Array.from({ length: count }, (_, n) => log.append(appendOf("run", `key/${n}`))));
      const first = await log.read("run");
      check.that(first.length > 0 && first.length <= 1_000, "events of a page", first.length, "1 to 1000");
      const sequences: number[] = [];
      for await (const event of readRun(log, "run")) sequences.push(event.sequence);
      check.equal(
        "sequences",
        sequences,
        Array.from({ length: count }, (_, n) => n + 1),
      );
    },
  },
  {
    name: "a page of large events may be shorter, but is empty only at the end",
    async run({ log, check }) {
      const data = "x".repeat(1_000_000);
      for (let n = 0; n < 12; n++) await log.append(appendOf("run", `key/${n}`, { data }));
      const sequences: number[] = [];
      for await (const event of readRun(log, "run")) sequences.push(event.sequence);
      check.equal(
        "sequences",
        sequences,
        Array.from({ length: 12 }, (_, n) => n + 1),
      );
    },
  },
  {
    name: "options that are none are refused by name",
    async run({ log, check }) {
      const bad: [string, unknown][] = [
        ["after", { after: -1 }],
        ["after", { after: 1.5 }],
        ["after", { after: "1" }],
        ["limit", { limit: 0 }],
        ["limit", { limit: 1_001 }],
        ["limit", { limit: null }],
        ["before", { before: 1 }],
      ];
      for (const [name, options] of bad) {
        const error = await check.rejectsWith("SESSION_LOG_INVALID", JSON.stringify(options), () =>
          log.read("run", options as SessionLogReadOptions),
        );
        const { message } = error as Error;
        check.that(message.includes(`"${name}"`), "the message", message, `one that names "${name}"`);
      }
      for (const runId of ["", "a/b", ".", "ü", 7 as unknown as string])
        await check.rejectsWith("SESSION_LOG_INVALID", `run ${runId}`, () => log.read(runId));
    },
  },
  {
    name: "who reads or appends has a copy",
    async run({ log, check }) {
      const data = { list: [1] };
      const appended = await log.append(appendOf("run", "key", { data }));
      data.list.push(2);
      (appended.data as typeof data).list.push(3);
      const [read = appended] = await log.read("run");
      check.equal("data, when what was given and what was returned has changed", read.data, { list: [1] });
      (read.data as typeof data).list.push(4);
      check.equal("data, when what was read has changed", (await log.read("run"))[0]?.data, { list: [1] });
      const again = await log.append(appendOf("run", "key", { data: { list: [1] } }));
      check.equal("data of the same append again", again.data, { list: [1] });
    },
  },
  {
    name: "close lets what is under way settle, and after it nothing is appended or read",
    async run({ log, check }) {
      const underWay = Promise.allSettled([
        log.append(appendOf("run", "a")),
        log.append(appendOf("run", "b")),
      ]);
      await log.close();
      for (const one of await underWay)
        if (one.status === "rejected") check.equal("the code", one.reason.code, "SESSION_LOG_CLOSED");
      await log.close();
      await check.rejectsWith("SESSION_LOG_CLOSED", "append", () => log.append(appendOf("run", "c")));
      await check.rejectsWith("SESSION_LOG_CLOSED", "read", () => log.read("run"));
    },
  },
];
