/**
 * The scripts that classification is held to, run in tier 0 with the names of tier 1 as trip wires: what is said to be
 * innocent reaches none, and what only run time can tell ends there.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { justBashSandbox } from "../../src/index.ts";
import { TIER_ONE_COMMANDS } from "../../src/tiers/rules.ts";
import { classifyCases } from "../helpers/classify-cases.ts";
import { openForTest } from "../helpers/open.ts";

const tripWires = Object.keys(TIER_ONE_COMMANDS);

async function endingOf(script: string): Promise<unknown> {
  const factory = justBashSandbox();
  const { sandbox, directory } = await openForTest({
    sandbox: (options) => factory({ ...options, tripWires }),
  });
  mkdirSync(join(directory, ".git"));
  for (const file of ["build.sh", "env.sh", "commands.txt"])
    writeFileSync(join(directory, file), "git status\n");
  await sandbox.exec("chmod +x build.sh");
  const { ending } = await sandbox.exec(script, { timeoutMs: 10_000, env: { TOOL: "git", SUFFIX: "it" } });
  return ending;
}

const REFUSED = { kind: "refused", by: "tier" };
const zero = classifyCases.filter(({ tier }) => tier === 0);

test.each(zero.filter(({ isRunTime }) => isRunTime))("$name: ends at a trip wire", async ({ script }) => {
  expect(await endingOf(script)).toEqual(REFUSED);
});

test.each(zero.filter(({ isRunTime }) => !isRunTime))("$name: reaches no trip wire", async ({ script }) => {
  expect(await endingOf(script)).not.toEqual(REFUSED);
});
