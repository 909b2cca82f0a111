/** What the suite of session logs cannot see of one in a database: lost answers, damaged rows, who waits for whom. */
import { describe, expect, test } from "vitest";
import type { SessionLogAppend } from "../../src/shared/session-log.ts";
import { lossyProxy } from "../helpers/postgres-proxy.ts";
import { logOver, newPlace, sessionOver, sqlOver } from "../helpers/postgres-schema.ts";
import { WITHOUT_POSTGRES } from "../helpers/postgres-server.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const appendOf = (key: string, runId = "run"): SessionLogAppend => ({
  runId,
  appendIdempotencyKey: key,
  type: "test.happened",
  data: { key, text: "ü\u0000😀", z: 1, a: [1e21, -0.5] },
});

interface Damage {
  /** Up to which run it is done to. */
  readonly sql: string;
  /** The event that is told. */
  readonly where: number;
  /** An append looks at the end of its run alone. */
  readonly isContinued?: boolean;
}

const PUT_BACK =
  "UPDATE {}.log_runs AS run SET sequence = 2, hash = (SELECT hash FROM {}.log_events WHERE run_id = run.run_id AND sequence = 2) WHERE";

const DAMAGES: Readonly<Record<string, Damage>> = {
  changed: {
    sql: "UPDATE {}.log_events SET event = replace(event, 'happened', 'hoppened') WHERE sequence = 2 AND",
    where: 2,
    isContinued: true,
  },
  removed: { sql: "DELETE FROM {}.log_events WHERE sequence = 2 AND", where: 2, isContinued: true },
  swapped: {
    sql: "UPDATE {}.log_events AS a SET event = (SELECT event FROM {}.log_events AS b WHERE b.run_id = a.run_id AND b.sequence = 3 - a.sequence) WHERE sequence < 3 AND",
    where: 1,
    isContinued: true,
  },
  "no-json": {
    sql: "UPDATE {}.log_events SET event = '{' WHERE sequence = 2 AND",
    where: 2,
    isContinued: true,
  },
  "key-changed": {
    sql: "UPDATE {}.log_events SET idempotency_key = 'other' WHERE sequence = 2 AND",
    where: 2,
    isContinued: true,
  },
  "hash-changed": {
    sql: "UPDATE {}.log_events SET hash = repeat('0', 64) WHERE sequence = 2 AND",
    where: 2,
    isContinued: true,
  },
  "last-removed": { sql: "DELETE FROM {}.log_events WHERE sequence = 3 AND", where: 3 },
  "head-put-back": { sql: PUT_BACK, where: 3 },
  "head-removed": { sql: "DELETE FROM {}.log_runs WHERE", where: 3 },
};

describe.skipIf(WITHOUT_POSTGRES !== "")(`a session log in Postgres${WITHOUT_POSTGRES}`, () => {
  test("a commit whose answer is lost is told as unknown, and the same append again gives the original", async () => {
    const place = newPlace();
    const proxy = await lossyProxy(place.connectionString, tempDir());
    const log = logOver({ ...place, connectionString: proxy.connectionString });
    await log.append(appendOf("1"));
    proxy.loseAnswerOf("COMMIT\0");
    await expect(log.append(appendOf("2"))).rejects.toMatchObject({ code: "SESSION_LOG_FAILED" });
    await expect.poll(async () => (await log.read("run")).length).toBe(2);
    const [, second] = await log.read("run");
    expect(await log.append(appendOf("2"))).toEqual(second);
    expect((await log.append(appendOf("3"))).sequence).toBe(3);
  });

  test("an append whose statement was lost before the commit leaves nothing", async () => {
    const place = newPlace();
    const proxy = await lossyProxy(place.connectionString, tempDir());
    const log = logOver({ ...place, connectionString: proxy.connectionString });
    await log.append(appendOf("1"));
    proxy.loseAnswerOf("INSERT INTO");
    await expect(log.append(appendOf("2"))).rejects.toMatchObject({ code: "SESSION_LOG_FAILED" });
    expect((await log.append(appendOf("3"))).sequence).toBe(2);
  });

  test("sessions that the server ends fail what they were at, and the next call has a new one", async () => {
    const place = newPlace();
    const log = logOver(place);
    await log.append(appendOf("1"));
    const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%{}%' AND pid <> pg_backend_pid()`;
    await sqlOver(place, "BEGIN", "LOCK TABLE {}.log_runs", end);
    const appends = await Promise.allSettled(
      Array.from({ length: 20 }, async (_, index) => {
        if (index === 10) await sqlOver(place, end);
        return log.append(appendOf(`many-${index}`, `run-${index % 4}`));
      }),
    );
    for (const one of appends)
      if (one.status === "rejected") expect(one.reason).toMatchObject({ code: "SESSION_LOG_FAILED" });
    const again = await Promise.all(
      Array.from({ length: 20 }, (_, index) => log.append(appendOf(`many-${index}`, `run-${index % 4}`))),
    );
    for (const [index, one] of appends.entries())
      if (one.status === "fulfilled") expect(again[index]).toEqual(one.value);
    for (let run = 0; run < 4; run++) expect(await log.read(`run-${run}`)).toHaveLength(5);
  });

  test("what was changed, removed or put back is found when its run is read or continued, and holds up no other", async () => {
    const place = newPlace();
    const log = logOver(place);
    const keys = ["1", "2", "3"];
    for (const run of [...Object.keys(DAMAGES), "whole"])
      await Promise.all(keys.map((key) => log.append(appendOf(key, run))));
    // Who damages rows on purpose takes this away first; a schema may also be older than it.
    await sqlOver(place, "ALTER TABLE {}.log_events DROP CONSTRAINT IF EXISTS log_events_say_the_same");
    await sqlOver(place, ...Object.entries(DAMAGES).map(([run, { sql }]) => `${sql} run_id = '${run}'`));
    for (const [run, { where, isContinued = false }] of Object.entries(DAMAGES)) {
      const corrupt = {
        code: "SESSION_LOG_CORRUPT",
        message: expect.stringContaining(`${run}, event ${where}`),
      };
      await expect(log.read(run), run).rejects.toMatchObject(corrupt);
      const inPages = async () => {
        for (let after = 0; after < 3; )
          after = (await log.read(run, { after, limit: 1 })).at(-1)?.sequence ?? 3;
      };
      await expect(inPages(), run).rejects.toMatchObject({ code: "SESSION_LOG_CORRUPT" });
      if (isContinued) continue;
      const appending = log.append(appendOf("4", run));
      await expect(appending, run).rejects.toMatchObject({ code: "SESSION_LOG_CORRUPT" });
    }
    await log.append(appendOf("4", "whole"));
    expect(await log.read("whole")).toHaveLength(4);
  });

  test("an edit of a column that does not fit the event, or of the event's, is refused by the table", async () => {
    const place = newPlace();
    const log = logOver(place);
    await log.append(appendOf("1"));
    for (const edit of ["idempotency_key = 'other'", "run_id = 'other'", "sequence = 2", "event = '{'"]) {
      const editing = sqlOver(place, `UPDATE {}.log_events SET ${edit}`);
      await expect(editing, edit).rejects.toMatchObject({ constraint: "log_events_say_the_same" });
    }
    expect((await log.append(appendOf("1"))).sequence).toBe(1);
    expect(await log.read("run")).toHaveLength(1);
  });

  test("a run that is busy has one connection, and no other run waits for it", async () => {
    const place = newPlace();
    const log = logOver({ ...place, maxConnections: 2 });
    await log.append(appendOf("0", "busy"));
    const other = await sessionOver(place);
    await other.run("BEGIN", "SELECT 1 FROM {}.log_runs WHERE run_id = 'busy' FOR UPDATE");
    const keys = Array.from({ length: 30 }, (_, index) => `${index + 1}`);
    const busy = Promise.all(keys.map((key) => log.append(appendOf(key, "busy"))));
    await log.append(appendOf("1", "free"));
    expect(await log.read("busy")).toHaveLength(1);
    await other.run("COMMIT");
    await other.end();
    await busy;
    expect((await log.read("busy")).map((event) => event.appendIdempotencyKey)).toEqual(["0", ...keys]);
  });

  test("what was asked for before close is answered, what comes after is refused", async () => {
    const log = logOver(newPlace());
    const before = Promise.all(Array.from({ length: 10 }, (_, index) => log.append(appendOf(`${index}`))));
    await log.close();
    expect((await before).map(({ sequence }) => sequence).sort((a, b) => a - b)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
    ]);
    await expect(log.append(appendOf("late"))).rejects.toMatchObject({ code: "SESSION_LOG_CLOSED" });
    await expect(log.read("run")).rejects.toMatchObject({ code: "SESSION_LOG_CLOSED" });
    await log.close();
  });
});
