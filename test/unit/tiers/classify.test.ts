import { expect, test } from "vitest";
import { classifyParsed } from "../../../src/tiers/classify-parsed.ts";
import { classifyCases } from "../../helpers/classify-cases.ts";
import { buildParser } from "../../helpers/script-parser.ts";

const parser = await buildParser();
const classify = (script: string) => classifyParsed(script, parser);

test.each(classifyCases)("$name", ({ script, tier, commands }) => {
  const found = classify(script);
  expect({ tier: found.tier, commands: found.commands }).toEqual({ tier, commands });
});

test("the corpus has scripts of every kind, each of its own", () => {
  expect(classifyCases.length).toBeGreaterThanOrEqual(300);
  expect(new Set(classifyCases.map(({ script }) => script)).size).toBe(classifyCases.length);
  expect(classifyCases.filter(({ tier }) => tier === 1).length).toBeGreaterThan(100);
  expect(classifyCases.filter(({ tier, isRunTime }) => tier === 0 && !isRunTime).length).toBeGreaterThan(100);
  expect(classifyCases.filter(({ isRunTime }) => isRunTime).length).toBeGreaterThan(15);
});
