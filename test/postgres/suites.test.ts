/** The store and the session log in a database keep every promise of their suites. */
import { describe, test } from "vitest";
import { sessionLogSuite, storeSuite } from "../../src/conformance.ts";
import { logOver, newPlace, storeOver } from "../helpers/postgres-schema.ts";
import { WITHOUT_POSTGRES } from "../helpers/postgres-server.ts";

const SUITES = [
  storeSuite(() => {
    const place = newPlace();
    return { store: storeOver(place), other: storeOver(place) };
  }),
  sessionLogSuite(() => {
    const place = newPlace();
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
