/** A server that crashes and comes back: what was acknowledged is there. `crash-under-load.test.ts` has more of it. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { logOver, storeOver } from "../helpers/postgres-schema.ts";
import { type PostgresServer, startPostgres, WITHOUT_POSTGRES } from "../helpers/postgres-server.ts";

/** Commits are not waited for by default, and reach the disk seconds later. */
const LAZY = ["fsync=off", "synchronous_commit=off", "wal_writer_delay=10000", "autovacuum=off"];

describe.skipIf(WITHOUT_POSTGRES !== "")(`a server that crashes${WITHOUT_POSTGRES}`, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres(LAZY);
  }, 60_000);
  afterAll(() => server?.remove(), 60_000);

  test("has all that was acknowledged, though by default it acknowledges before it has it", async () => {
    const place = { connectionString: server.connectionString, schema: "lazy" };
    const [log, store] = [logOver(place), storeOver(place)];
    const event = await log.append({ runId: "run", appendIdempotencyKey: "1", type: "t", data: 1 });
    await server.crash();
    await server.start();
    expect(await log.read("run")).toEqual([event]);
    await store.writeJson("unlocked", 1);
    const tokens: number[] = [];
    await store.withLock("lock", { leaseMs: 1 }, async (lock) => {
      tokens.push(lock.token);
      await server.crash();
      await server.start();
    });
    expect(await store.readJson("unlocked")).toBe(1);
    await store.withLock("lock", {}, async (lock) => {
      tokens.push(lock.token);
      await store.writeJson("locked", 2, { lock });
      await store.remove("unlocked", { lock });
      await server.crash();
      await server.start();
    });
    expect(tokens[1]).toBeGreaterThan(tokens[0] ?? 0);
    expect([await store.readJson("locked"), await store.readJson("unlocked")]).toEqual([2, undefined]);
  });
});
