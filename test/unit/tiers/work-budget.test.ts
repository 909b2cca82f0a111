import { expect, test } from "vitest";
import {
  isReadable,
  MOST_LEVELS,
  MOST_SCRIPT_LENGTH,
  spend,
  startWork,
  WorkSpent,
} from "../../../src/tiers/work-budget.ts";
import { buildClassifier } from "../../helpers/built-classifier.ts";

const { classify } = await buildClassifier();

test("a script that is too long or too deep is not read: it is for tier 0 and its trip wires", () => {
  const deep = (levels: number) => `git log; echo ${'"$(echo '.repeat(levels)}x${')"'.repeat(levels)}`;
  expect(classify(deep(MOST_LEVELS)).commands).toEqual(["git"]);
  expect(classify(deep(MOST_LEVELS + 1)).tier).toBe(0);
  expect(classify(`git log #${"x".repeat(MOST_SCRIPT_LENGTH - 9)}`).commands).toEqual(["git"]);
  expect(classify(`git log #${"x".repeat(MOST_SCRIPT_LENGTH - 8)}`).tier).toBe(0);
  expect(isReadable(`${"(".repeat(20)}${"x".repeat(60_000)}`)).toBe(false);
});

test("work is counted with the length of what it is done on, and ends", () => {
  startWork();
  expect(() => {
    for (;;) spend(64);
  }).toThrow(WorkSpent);
  startWork();
  expect(() => spend(10_000_000)).toThrow(WorkSpent);
});

test.each([
  ["text that grows", "x=$x$(echo b)\n".repeat(4_000)],
  ["words of a long text", `x='${"a ".repeat(9_000)}'\n${"f $x\n".repeat(5_000)}`],
  ["text that is run again and again", `x='${"a;".repeat(9_000)}'\n${'eval "$x"\n'.repeat(4_000)}`],
])("%s: what stands before is found, what stands behind so much work is not", (_, work) => {
  expect(classify(`git log\n${work}\nnpm ci`).commands).toEqual(["git"]);
});
