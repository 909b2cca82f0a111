import { expect, test } from "vitest";
import { buildClassifier } from "../../helpers/built-classifier.ts";
import { classifyCases } from "../../helpers/classify-cases.ts";

const { classify } = await buildClassifier();

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
