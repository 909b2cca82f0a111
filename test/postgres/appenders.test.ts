/** Several processes that append to the same and to different runs, and die at it. */
import { describe, test } from "vitest";
import { appendInCrowd } from "../helpers/append-crowd.ts";
import { newPlace } from "../helpers/postgres-schema.ts";
import { WITHOUT_POSTGRES } from "../helpers/postgres-server.ts";

describe.skipIf(WITHOUT_POSTGRES !== "")(`processes that append to one database${WITHOUT_POSTGRES}`, () => {
  test("and are killed at it lose nothing that was acknowledged and write nothing twice", async () => {
    await appendInCrowd({ processes: 2, kills: 2, seed: 71, place: newPlace() });
  });
});
