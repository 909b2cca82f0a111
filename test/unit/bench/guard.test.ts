import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findWorse, type GuardNumber, parseBaseline, toText } from "../../../bench/guard/compare.ts";
import { root } from "../../../build/paths.ts";

const cold = (value: number): GuardNumber => ({ name: "cold", value, unit: "×", warnAt: 1.5 });

test("a number that is worse by as much as it may be is told, with what it was", () => {
  expect(findWorse({ cold: 2 }, [cold(3.1)])).toEqual(["warning: cold 3.1 × was 2 × (1.55 × worse)"]);
  expect(findWorse({ cold: 2 }, [cold(3)])).toHaveLength(1);
});

test("a number that is better, or worse by less, is not told", () => {
  expect(findWorse({ cold: 2 }, [cold(2.99)])).toEqual([]);
  expect(findWorse({ cold: 2 }, [cold(0.1)])).toEqual([]);
});

test("each number has a bound of its own", () => {
  const frames: GuardNumber = { name: "frames", value: 4, unit: "frames", warnAt: 1.1 };
  expect(findWorse({ cold: 3, frames: 3 }, [cold(4), frames])).toEqual([
    "warning: frames 4 frames was 3 frames (1.33 × worse)",
  ]);
});

test("a number that is none, or that was never stored, is told", () => {
  expect(findWorse({ cold: 2 }, [cold(Number.NaN)])).toHaveLength(1);
  expect(findWorse({}, [cold(1)])).toEqual(["warning: cold has no stored number"]);
  expect(findWorse({}, [{ ...cold(1), name: "constructor" }])).toHaveLength(1);
});

test("a file that is no baseline is refused by name", () => {
  const machine = { node: "v20.18.1", processor: "any" };
  for (const other of [null, {}, { values: {} }, { machine: {}, values: {} }, { machine, values: null }])
    expect(() => parseBaseline(JSON.stringify(other))).toThrow("bench/baseline.json");
  for (const value of [0, -1, "2", null])
    expect(() => parseBaseline(JSON.stringify({ machine, values: { cold: value } }))).toThrow('"cold"');
  expect(() => parseBaseline("{")).toThrow();
});

test("the stored baseline is one", () => {
  const { values } = parseBaseline(readFileSync(join(root, "bench/baseline.json"), "utf8"));
  expect(Object.keys(values).length).toBeGreaterThan(0);
});

test("numbers are printed with as many digits as count", () => {
  expect([2, 2.345, 23.45, 410_199.6].map((value) => toText(value, "×"))).toEqual([
    "2 ×",
    "2.35 ×",
    "23.5 ×",
    "410,200 ×",
  ]);
});
