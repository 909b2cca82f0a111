/** Ledgers over a database: as the model says, and right through deaths. `crowds.test.ts` has more of it. */
import { afterAll, describe, test } from "vitest";
import { createDurableOrchestrationServices } from "../../src/orchestration/services.ts";
import { postgresJsonStore } from "../../src/postgres/json-store.ts";
import { newPlace } from "../helpers/postgres-schema.ts";
import { WITHOUT_POSTGRES } from "../helpers/postgres-server.ts";
import { stopInTheMiddle, workInCrowd } from "../process/orchestration-crowd.ts";
import { behavesAsModel, LEDGERS } from "../property/orchestration/work-ledgers.ts";

/** One of each order: between the ledger and the store all are the same. */
const SHORT = ["tasks", "workflowQueues"];

describe.skipIf(WITHOUT_POSTGRES !== "")(`ledgers in Postgres${WITHOUT_POSTGRES}`, () => {
  const place = newPlace();
  const store = WITHOUT_POSTGRES === "" ? postgresJsonStore({ ...place, maxConnections: 4 }) : undefined;
  afterAll(() => store?.close());

  test.each(LEDGERS.filter(([name]) => SHORT.includes(name)))(
    "%s, by %s, are as the model",
    async (...ledger) => {
      let world = 0;
      const open = (now: () => number) =>
        createDurableOrchestrationServices({ store, rootDir: `${ledger[0]}/${world++}`, now });
      await behavesAsModel(ledger, open, { numRuns: 2, maxCommands: 25 });
    },
  );

  test("a process that was stopped in the middle of a change writes nothing when it goes on after its lease", async () => {
    await stopInTheMiddle(newPlace());
  });

  test("two processes that are killed while they work end every row once", async () => {
    await workInCrowd({ processes: 2, kills: 1, seed: 32, rowsAtOnce: 4, place: newPlace() });
  });
});
