/** Options of what is kept in Postgres, and what its errors may hold: checked without a server. */
import { createServer } from "node:net";
import { describe, expect, test } from "vitest";
import { toFailure } from "../../../src/postgres/failure.ts";
import { postgresJsonStore } from "../../../src/postgres/json-store.ts";
import { postgresSessionLog } from "../../../src/postgres/session-log.ts";
import { peerMissing } from "../../../src/shared/peer-missing.ts";

const connectionString = "postgresql://ada:s3cr%21t@127.0.0.1:1/ledgers";

test.each([
  [undefined, "options"],
  [{}, "connectionString"],
  [{ connectionString: "" }, "connectionString"],
  [{ connectionString, schema: "Upper" }, "schema"],
  [{ connectionString, schema: 'a"; DROP SCHEMA public; --' }, "schema"],
  [{ connectionString, schema: "pg_mine" }, "schema"],
  [{ connectionString, schema: "a".repeat(64) }, "schema"],
  [{ connectionString, maxConnections: 0 }, "maxConnections"],
  [{ connectionString, maxConnections: 1.5 }, "maxConnections"],
  [{ connectionString, connections: 1 }, 'Unknown option "connections"'],
])("%j is refused by name, by store and log alike", (options, named) => {
  for (const open of [postgresJsonStore, postgresSessionLog]) {
    const call = () => open(options as never);
    expect(call).toThrow(expect.objectContaining({ code: "OPTION_INVALID" }));
    expect(call).toThrow(named);
  }
});

describe("errors", () => {
  const show = (error: unknown) =>
    JSON.stringify([error, String(error), (error as Error).stack, (error as Error).cause]);

  test("what a call rejects with has no part of the connection string", async () => {
    const store = postgresJsonStore({ connectionString });
    const log = postgresSessionLog({ connectionString: "postgresql://ada:s3cr%21t@[bad/ledgers" });
    const append = { runId: "r", appendIdempotencyKey: "k", type: "t", data: 1 };
    const [stored, logged] = await Promise.allSettled([store.readJson("a"), log.append(append)]);
    expect(stored).toMatchObject({ status: "rejected", reason: { code: "STORE_FAILED" } });
    expect(logged).toMatchObject({ status: "rejected", reason: { code: "SESSION_LOG_FAILED" } });
    for (const one of [stored, logged]) {
      const shown = show(one.status === "rejected" ? one.reason : undefined);
      expect(shown).not.toMatch(/s3cr|postgresql:\/\//);
    }
    await Promise.all([store.close(), log.close()]);
  });

  test("a message that repeats the connection string or the password loses them, and keeps the server's code", () => {
    for (const said of [
      `bad ${connectionString}`,
      "password s3cr!t is wrong",
      "password s3cr%21t is wrong",
    ]) {
      const cause = Object.assign(new Error(said), { severity: "FATAL", code: "28P01" });
      const error = toFailure("STORE_FAILED", cause, connectionString);
      expect(show(error)).not.toContain("s3cr");
      expect(error).toMatchObject({ data: { sqlState: "28P01" }, message: expect.stringContaining("***") });
    }
  });

  test("one that says nothing is told by its code", () => {
    const cause = Object.assign(new AggregateError([], ""), { code: "ECONNREFUSED" });
    expect(toFailure("STORE_FAILED", cause, connectionString).message).toContain("ECONNREFUSED");
  });

  test("a server that accepts and says nothing more, then goes, is a failure and no crash", async () => {
    const server = createServer((socket) => socket.once("data", () => socket.destroy()));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const store = postgresJsonStore({ connectionString: `postgresql://ada@127.0.0.1:${port}/ledgers` });
    await expect(store.writeJson("a", 1)).rejects.toMatchObject({ code: "STORE_FAILED" });
    await store.close();
    server.close();
  });

  test("a pg that is missing is told with what to install", () => {
    const error = peerMissing(
      "pg",
      "A database needs the package pg",
      new Error("Cannot find package 'pg' imported from x"),
    );
    expect(error).toMatchObject({
      code: "PEER_MISSING",
      data: { peer: "pg" },
      message: expect.stringContaining("npm install pg"),
    });
    const other = peerMissing(
      "pg",
      "A database needs the package pg",
      new Error("Cannot find package 'pg-pool' imported from x"),
    );
    expect(other.message).toContain("failed to load");
  });
});
