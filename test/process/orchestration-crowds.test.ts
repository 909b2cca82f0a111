/** As `orchestration.test.ts`, with more processes and more deaths. */
import { test } from "vitest";
import { countInCrowd, workInCrowd } from "./orchestration-crowd.ts";

/** Each death is a start of Node.js. */
const MINUTES_MS = 300_000;

test.each([
  { processes: 2, kills: 30, seed: 11 },
  { processes: 4, kills: 30, seed: 12 },
])("$processes processes count through $kills deaths", { timeout: MINUTES_MS }, async (crowd) => {
  await countInCrowd(crowd);
});

test.each([
  { processes: 2, kills: 20, seed: 21 },
  { processes: 4, kills: 30, seed: 22 },
])("$processes processes work through $kills deaths", { timeout: MINUTES_MS }, async (crowd) => {
  await workInCrowd(crowd);
});
