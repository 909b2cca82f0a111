/** A run whose process is killed and begun again, at two of its points; `run-kills-whole.test.ts` has all of them. */
import { expect, test } from "vitest";
import { expectEachOnce, runWithKills } from "../helpers/killed-runs.ts";
import { tempDir } from "../helpers/temp-dir.ts";

test("a run that is killed twice comes to its end, with each effect as often as its tool allows", async () => {
  // Point 9 lies behind the effects of the first two calls; the second process gets to the third.
  const run = await runWithKills(tempDir(), { how: "stream", bash: false }, [9, 14]);
  const outputs = [1, 2, 3].map((n) => ({ n, done: true }));
  expectEachOnce(run, { ...run, end: { ...run.end, outputs } }, "killed twice");
  expect(run.modelCalls).toBeGreaterThan(3);
});
