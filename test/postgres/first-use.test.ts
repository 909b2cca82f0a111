/** The tables of a schema: made once, by whoever comes first, and left alone by a version that does not know them. */
import { describe, expect, test } from "vitest";
import { logOver, newPlace, sqlOver, storeOver } from "../helpers/postgres-schema.ts";
import { WITHOUT_POSTGRES } from "../helpers/postgres-server.ts";

describe.skipIf(WITHOUT_POSTGRES !== "")(`tables in Postgres${WITHOUT_POSTGRES}`, () => {
  test("ten that come first at the same time make them once, whether they want a store or a log", async () => {
    const place = newPlace();
    await Promise.all(
      Array.from({ length: 10 }, async (_, index) => {
        if (index % 2 === 0) await storeOver(place).writeJson(`value-${index}`, index);
        else
          await logOver(place).append({
            runId: "run",
            appendIdempotencyKey: `${index}`,
            type: "t",
            data: null,
          });
      }),
    );
    expect(await sqlOver(place, "SELECT version FROM {}.migrations")).toEqual([{ version: 1 }]);
    expect(await storeOver(place).listDir("")).toHaveLength(5);
    expect(await logOver(place).read("run")).toHaveLength(5);
  });

  test("a schema that a newer version has made is refused by name, and nothing is written to it", async () => {
    const place = newPlace();
    await storeOver(place).writeJson("value", 1);
    await sqlOver(place, "INSERT INTO {}.migrations (version) VALUES (7)");
    const refusal = {
      code: "OPTION_INVALID",
      message: expect.stringContaining("has version 7"),
      data: { option: "schema" },
    };
    await expect(storeOver(place).writeJson("value", 2)).rejects.toMatchObject(refusal);
    await expect(logOver(place).read("run")).rejects.toMatchObject(refusal);
    expect(await sqlOver(place, "SELECT value FROM {}.store_values")).toEqual([{ value: "1" }]);
    // Looked at anew by each call, so that nothing has to be started again when it is set right.
    const store = storeOver(place);
    await expect(store.readJson("value")).rejects.toMatchObject(refusal);
    await sqlOver(place, "DELETE FROM {}.migrations WHERE version = 7");
    expect(await store.readJson("value")).toBe(1);
  });

  test("a schema of an administrator's is used by one who may make tables in it and no schemas", async () => {
    const place = newPlace();
    const role = `${place.schema}_role`;
    await sqlOver(
      place,
      `CREATE ROLE ${role} LOGIN`,
      "CREATE SCHEMA {}",
      `GRANT ALL ON SCHEMA {} TO ${role}`,
      "REVOKE CREATE ON DATABASE postgres FROM PUBLIC",
    );
    const mine = { ...place, connectionString: place.connectionString.replace("harness@", `${role}@`) };
    await storeOver(mine).writeJson("value", 1);
    const other = { ...newPlace(), connectionString: mine.connectionString };
    await expect(storeOver(other).writeJson("value", 1)).rejects.toMatchObject({
      code: "STORE_FAILED",
      data: { sqlState: "42501" },
    });
  });
});
