import { expect, test } from "vitest";
import { toModelNames } from "../../../src/harness/tool-names.ts";

test("a name keeps letters, digits, _ and -, and everything else becomes _", () => {
  expect([...toModelNames(["orders.find", "a-b_C9", "grüße 🙂"], true)]).toEqual([
    ["orders.find", "orders_find"],
    ["a-b_C9", "a-b_C9"],
    ["grüße 🙂", "gr__e__"],
  ]);
});

test("two tools that a model could not tell apart are an error that names both", () => {
  expect(() => toModelNames(["a.b", "a_b"], true)).toThrow(/"a_b".*"a_b", as the tool "a\.b"/);
});

test("a tool named bash is an error while the loop has one, and fine without", () => {
  expect(() => toModelNames(["bash"], true)).toThrow(/bash: false/);
  expect([...toModelNames(["bash"], false).values()]).toEqual(["bash"]);
});

test("a name that providers refuse for its length is an error", () => {
  expect([...toModelNames(["x".repeat(64)], true).values()]).toEqual(["x".repeat(64)]);
  expect(() => toModelNames(["x".repeat(65)], true)).toThrow(/at most 64/);
});
