/** The store and the session log in a database keep every promise of their suites. */
import { describe, test } from "vitest";
import { sessionLogSuite, storeSuite } from "../../src/conformance.ts";
import { logOver, newPlace, sqlOver, storeOver } from "../helpers/postgres-schema.ts";
import { WITHOUT_POSTGRES } from "../helpers/postgres-server.ts";

// One schema for all cases, emptied before each: to make the tables takes longer than most of them.
const place = newPlace();
let areTablesThere = false;

async function empty(): Promise<void> {
  if (areTablesThere)
    await sqlOver(place, "TRUNCATE {}.store_values, {}.store_locks, {}.log_runs, {}.log_events");
  else await storeOver(place).readJson("value");
  areTablesThere = true;
}

const SUITES = [
  storeSuite(async () => {
    await empty();
    return { store: storeOver(place), other: storeOver(place) };
  }),
  sessionLogSuite(async () => {
    await empty();
    const log = logOver(place);
    return {
      log,
      other: logOver(place),
      reopen: async () => {
        await log.close();
        return logOver(place);
      },
    };
  }),
];

describe.skipIf(WITHOUT_POSTGRES !== "").each(SUITES)(
  `the $name in Postgres${WITHOUT_POSTGRES}`,
  ({ cases }) => {
    for (const { name, run } of cases) test(name, run);
  },
);
