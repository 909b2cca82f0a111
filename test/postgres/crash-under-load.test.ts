/** A server that crashes while many write: what was acknowledged is there, once, and everybody goes on by itself. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SessionLogAppend, SessionLogEvent } from "../../src/shared/session-log.ts";
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

  test("under load loses nothing that was acknowledged and has nothing twice", async () => {
    const place = { connectionString: server.connectionString, schema: "load", maxConnections: 3 };
    const logs = [logOver(place), logOver(place)];
    const stores = [storeOver(place), storeOver(place)];
    const acknowledged: SessionLogEvent[] = [];
    const counted: number[] = [];
    let isOver = false;
    let failures = 0;
    const again = async <T>(call: () => Promise<T>): Promise<T> => {
      for (;;) {
        try {
          return await call();
        } catch (error) {
          failures += 1;
          expect(["SESSION_LOG_FAILED", "STORE_FAILED", "LOCK_LOST"]).toContain(
            (error as { code?: string }).code,
          );
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      }
    };
    const writer = async (index: number) => {
      for (let round = 0; !isOver; round++) {
        const append: SessionLogAppend = {
          runId: `run-${(index + round) % 3}`,
          appendIdempotencyKey: `${index}/${round}`,
          type: "t",
          data: { index, round },
        };
        acknowledged.push(
          await again(async () => (logs[round % 2] ?? logs[0])?.append(append) as Promise<SessionLogEvent>),
        );
      }
    };
    const counter = async (index: number) => {
      const store = stores[index % 2] ?? storeOver(place);
      while (!isOver)
        counted.push(
          await again(() =>
            store.withLock("count", { leaseMs: 500 }, async (lock) => {
              const next = Number((await store.readJson("count")) ?? 0) + 1;
              await store.writeJson("count", next, { lock });
              return next;
            }),
          ),
        );
    };
    const crashes = async () => {
      for (let crash = 1; crash <= 2; crash++) {
        const [events, counts] = [acknowledged.length, counted.length];
        // Something of each kind is acknowledged before the next one.
        await expect
          .poll(() => acknowledged.length > events + 30 && counted.length > counts, { timeout: 20_000 })
          .toBe(true);
        await server.crash();
        await server.start();
      }
      const [events, counts] = [acknowledged.length, counted.length];
      await expect
        .poll(() => acknowledged.length > events + 10 && counted.length > counts, { timeout: 20_000 })
        .toBe(true);
      isOver = true;
    };
    await Promise.all([
      crashes().finally(() => {
        isOver = true;
      }),
      ...[0, 1, 2, 3].map(writer),
      ...[0, 1].map(counter),
    ]);
    expect(failures).toBeGreaterThan(0);
    const kept = new Map<string, SessionLogEvent>();
    for (const run of ["run-0", "run-1", "run-2"])
      for (const event of await (logs[0] ?? logOver(place)).read(run)) {
        expect(kept.has(event.appendIdempotencyKey)).toBe(false);
        kept.set(event.appendIdempotencyKey, event);
      }
    for (const event of acknowledged) expect(kept.get(event.appendIdempotencyKey)).toEqual(event);
    expect(kept.size).toBe(acknowledged.length);
    expect(new Set(counted).size).toBe(counted.length);
    expect(await stores[0]?.readJson("count")).toBeGreaterThanOrEqual(Math.max(...counted));
  });
});
