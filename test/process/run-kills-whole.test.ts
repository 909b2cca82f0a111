/** Runs whose process is killed at each point in turn, and at several points from a seed. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { seeded } from "../helpers/killed-processes.ts";
import { expectEachOnce, runWithKills } from "../helpers/killed-runs.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const SEEDS = Number(process.env.RUN_SEEDS ?? 12);
const SHAPES = [
  { how: "generate", bash: true },
  { how: "stream", bash: false },
] as const;

test.each(SHAPES)("killed at each point in turn ($how, bash: $bash)", { timeout: 600_000 }, async (shape) => {
  const directory = tempDir();
  const whole = await runWithKills(join(directory, "whole"), shape, []);
  let told = 0;
  for (let at = 1; at <= whole.end.points; at++) {
    const run = await runWithKills(join(directory, `at-${at}`), shape, [at]);
    expectEachOnce(run, whole, `killed at point ${at}`);
    told += run.end.outputs.filter((output) => typeof output === "string").length;
  }
  // From the record of a payment's beginning to that of its end; both payments of the first shape begin alone.
  expect(told).toBeGreaterThanOrEqual(4);
});

test("killed again and again, at points from a seed", { timeout: 600_000 }, async () => {
  const shape = { how: "generate", bash: true } as const;
  const directory = tempDir();
  const whole = await runWithKills(join(directory, "whole"), shape, []);
  for (let seed = 1; seed <= SEEDS; seed++) {
    const random = seeded(seed);
    const kills = Array.from({ length: 4 }, () => 1 + Math.floor(random() * 20));
    const run = await runWithKills(join(directory, `seed-${seed}`), shape, kills);
    expectEachOnce(run, whole, `seed ${seed}, killed at ${kills}`);
  }
});
