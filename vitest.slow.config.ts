/**
 * The tests that `npm test` leaves out because they take minutes: `npm run test:slow`. They repeat on other rungs and
 * other versions of Node.js what the others prove on one, or break a thing in many ways that is not often changed.
 */
import { defineConfig } from "vitest/config";
import base, { SLOW } from "./vitest.config.ts";

export default defineConfig({
  ...base,
  test: {
    ...base.test,
    projects: [
      {
        extends: true,
        test: {
          name: "slow",
          include: SLOW,
          globalSetup: ["build/build-for-tests.ts", "test/helpers/postgres-for-tests.ts"],
          // Each takes its time from the others.
          testTimeout: 60_000,
        },
      },
    ],
  },
});
