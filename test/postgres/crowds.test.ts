/** As `ledgers.test.ts` and `appenders.test.ts`, with more processes, more deaths and longer histories. */
import { describe, test } from "vitest";
import { createDurableOrchestrationServices } from "../../src/orchestration/services.ts";
import { appendInCrowd } from "../helpers/append-crowd.ts";
import { newPlace, storeOver } from "../helpers/postgres-schema.ts";
import { WITHOUT_POSTGRES } from "../helpers/postgres-server.ts";
import { countInCrowd, workInCrowd } from "../process/orchestration-crowd.ts";
import { behavesAsModel, LEDGERS } from "../property/orchestration/work-ledgers.ts";

/** Each death is a start of Node.js, and a lease that runs out. */
const timeout = 600_000;

describe.skipIf(WITHOUT_POSTGRES !== "")(`crowds over Postgres${WITHOUT_POSTGRES}`, () => {
  test.each([
    { processes: 2, kills: 30, seed: 41 },
    { processes: 4, kills: 30, seed: 42 },
  ])("$processes processes count through $kills deaths", { timeout }, async (crowd) => {
    await countInCrowd({ ...crowd, place: newPlace() });
  });

  test.each([
    { processes: 2, kills: 20, seed: 51 },
    { processes: 4, kills: 30, seed: 52 },
  ])("$processes processes work through $kills deaths", { timeout }, async (crowd) => {
    await workInCrowd({ ...crowd, place: newPlace() });
  });

  test.each([
    { processes: 2, kills: 30, seed: 61 },
    { processes: 4, kills: 60, seed: 62 },
  ])("$processes processes append through $kills deaths", { timeout }, async (crowd) => {
    await appendInCrowd({ ...crowd, place: newPlace() });
  });

  test.each(LEDGERS)("%s, by %s, are as the model", { timeout }, async (...ledger) => {
    const store = storeOver(newPlace());
    let world = 0;
    const open = (now: () => number) =>
      createDurableOrchestrationServices({ store, rootDir: `${world++}`, now });
    await behavesAsModel(ledger, open, { numRuns: 15 });
  });
});
