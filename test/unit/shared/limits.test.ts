import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../../../src/shared/limits.ts";

const page = readFileSync(new URL("../../../docs/limits.md", import.meta.url), "utf8");
const source = readFileSync(new URL("../../../src/shared/limits.ts", import.meta.url), "utf8");

test.each(Object.entries(DEFAULT_LIMITS))(
  "the page on limits says what %s is, with its default and a test of it",
  (name, value) => {
    const row = page.split("\n").find((line) => line.startsWith(`| \`${name}\``)) ?? "";
    expect(row).toContain(` ${value.toLocaleString("en-US")} `);
    const [, file = ""] = /`(test\/[\w/.-]+)`/.exec(row) ?? [];
    expect(readFileSync(new URL(`../../../${file}`, import.meta.url), "utf8")).toContain(name);
  },
);

test("the doc comment of each limit names its default", () => {
  const documented = [...source.matchAll(/@default (\d+)\s*\n?\s*\*\/\n {2}readonly (\w+)/g)];
  expect(Object.fromEntries(documented.map(([, value, name]) => [name, Number(value)]))).toEqual(
    DEFAULT_LIMITS,
  );
});
