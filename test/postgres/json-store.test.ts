/** What the suite of stores cannot see of one in a database: locks between statements, lost answers, damaged rows. */
import { describe, expect, test } from "vitest";
import { lossyProxy } from "../helpers/postgres-proxy.ts";
import { newPlace, sqlOver, storeOver } from "../helpers/postgres-schema.ts";
import { WITHOUT_POSTGRES } from "../helpers/postgres-server.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const nothing = async (): Promise<void> => undefined;

describe.skipIf(WITHOUT_POSTGRES !== "")(`a store in Postgres${WITHOUT_POSTGRES}`, () => {
  test("an owner that is gone without a word is followed after its lease, by the database's clock alone", async () => {
    const place = newPlace();
    const [gone, next] = [storeOver(place), storeOver(place)];
    await gone.withLock("lock", {}, async (lock) => {
      await expect(next.withLock("lock", { waitMs: 30 }, nothing)).rejects.toMatchObject({
        code: "STORE_CONFLICT",
      });
      // The clock of this process says nothing; that of the database has passed the lease.
      await sqlOver(place, "UPDATE {}.store_locks SET lease_until = clock_timestamp()");
      const token = await next.withLock("lock", { waitMs: 5_000 }, async (held) => held.token);
      expect(token).toBe(lock.token + 1);
      await expect(gone.writeJson("value", "late", { lock })).rejects.toMatchObject({ code: "LOCK_LOST" });
      expect(lock.lost.aborted).toBe(true);
    });
    expect(await next.readJson("value")).toBeUndefined();
  });

  test("a write that a takeover overtakes while it waits for the lock's row is refused", async () => {
    const place = newPlace();
    const store = storeOver(place);
    await store.withLock("lock", { renew: false }, async (lock) => {
      const taker = sqlOver(
        place,
        "BEGIN",
        "UPDATE {}.store_locks SET token = token + 1, owner = 'other'",
        // Until the write waits for this transaction.
        `DO $$ BEGIN
          FOR attempt IN 1..500 LOOP
            PERFORM pg_stat_clear_snapshot();
            EXIT WHEN EXISTS (SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%"{}".store_values%' AND pid <> pg_backend_pid());
            PERFORM pg_sleep(0.01);
          END LOOP;
        END $$`,
        "COMMIT",
      );
      await expect
        .poll(() => sqlOver(place, "SELECT 1 FROM pg_stat_activity WHERE query LIKE 'DO %{}%'"))
        .toHaveLength(1);
      await expect(store.writeJson("value", "late", { lock })).rejects.toMatchObject({ code: "LOCK_LOST" });
      await taker;
    });
    expect(await store.readJson("value")).toBeUndefined();
  });

  test("a token never comes again, though its lock was given back and the rows of values are gone", async () => {
    const place = newPlace();
    const tokens: number[] = [];
    for (let round = 0; round < 3; round++) {
      const store = storeOver(place);
      await store.withLock("lock", {}, async (lock) => {
        tokens.push(lock.token);
        await store.writeJson("value", round, { lock });
        await store.remove("value", { lock });
      });
      await store.close();
    }
    expect(tokens).toEqual([1, 2, 3]);
  });

  test("an answer that was lost: a write says so and is done, a lock is had all the same and given back", async () => {
    const place = newPlace();
    const proxy = await lossyProxy(place.connectionString, tempDir());
    const store = storeOver({ ...place, connectionString: proxy.connectionString });
    await store.writeJson("value", 1);
    proxy.loseAnswerOf("INSERT INTO");
    await expect(store.writeJson("value", 2)).rejects.toMatchObject({ code: "STORE_FAILED" });
    await expect.poll(() => store.readJson("value")).toBe(2);
    proxy.loseAnswerOf("INSERT INTO");
    const token = await store.withLock("lock", {}, async (lock) => {
      await store.writeJson("value", 3, { lock });
      proxy.loseAnswerOf("SET owner = NULL");
      return lock.token;
    });
    expect(token).toBeGreaterThan(0);
    proxy.cut();
    expect(await store.withLock("lock", { waitMs: 5_000 }, () => store.readJson("value"))).toBe(3);
  });

  test("many locks at once need no more connections than there are", async () => {
    const place = newPlace();
    const store = storeOver({ ...place, maxConnections: 2 });
    const inside: (() => void)[] = [];
    const all = Array.from({ length: 20 }, (_, index) =>
      store.withLock(`lock-${index}`, {}, async (lock) => {
        await new Promise<void>((resolve) => {
          inside.push(resolve);
          // All are held at the same time before the first goes on.
          if (inside.length === 20) for (const go of inside) go();
        });
        await store.writeJson(`value-${index}`, index, { lock });
      }),
    );
    await Promise.all(all);
    expect(await store.listDir("")).toHaveLength(20);
  });

  test("a path that is too long for a database is refused, and a value that is no JSON is told", async () => {
    const place = newPlace();
    const store = storeOver(place);
    const long = Array.from({ length: 17 }, () => "x".repeat(120)).join("/");
    await expect(store.writeJson(long, 1)).rejects.toMatchObject({ code: "LEDGER_INVALID" });
    await store.writeJson(long.slice(0, 2_000), 1);
    expect(await store.readJson(long.slice(0, 2_000))).toBe(1);
    await store.writeJson("value", 1);
    await sqlOver(place, "UPDATE {}.store_values SET value = '{'");
    await expect(store.readJson("value")).rejects.toMatchObject({
      code: "STORE_FAILED",
      message: expect.stringContaining("value"),
    });
  });

  test("after close every call says so, and closing twice is as once", async () => {
    const store = storeOver(newPlace());
    const writing = store.writeJson("value", 1);
    await Promise.all([store.close(), store.close()]);
    await writing;
    await expect(store.readJson("value")).rejects.toMatchObject({
      code: "STORE_FAILED",
      message: expect.stringContaining("closed"),
    });
  });
});
