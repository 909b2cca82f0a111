import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { toPairs } from "../../../bench/measure.ts";
import { toReport, toTable, writeBetweenMarkers } from "../../../bench/report.ts";
import { keepsGoal, type MeasuredRow, measureRow } from "../../../bench/row.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

const text = { what: "a command", against: "another" };
const measured = async (values: number[], bases: number[], rest = {}) =>
  (await measureRow({ ...text, ...rest }, async () => toPairs(values, bases))) as MeasuredRow;

/** The cells of the row that a table of one row has. */
const cellsOf = (table: string): string[] =>
  (table.split("\n")[2] ?? "")
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());

test("the ratio is the median of the pairs, not the ratio of the medians", async () => {
  const { pairs } = await measured([10, 20, 30], [1, 10, 30]);
  expect(pairs.ratio.p50).toBe(2);
  expect(pairs.extra.p50).toBe(9);
  expect(pairs.value).toEqual({ p50: 20, p95: 29, p99: 29.8 });
});

test("a row shows both sides, their ratio, how many pairs there were and whether its goal is kept", async () => {
  const row = await measured([2, 4, 6], [1, 2, 3], { goal: { maxRatio: 1.5 } });
  expect(cellsOf(toTable([row]))).toEqual([
    "a command",
    "4.0 / 5.8 / – ms",
    "another",
    "2.0 / 2.9 / – ms",
    "2.0 × (2.0 ×)",
    "3",
    "≤ 1.5 ×",
    "no",
  ]);
});

test("a 99th percentile is shown from a hundred samples on", async () => {
  const samples = Array.from({ length: 100 }, (_, index) => index + 1);
  const row = await measured(samples, samples, { unit: "MB" });
  expect(cellsOf(toTable([row]))[1]).toBe("51 / 95 / 99 MB");
});

test("a goal in milliseconds is held against what a pair differs by", async () => {
  const row = await measured([12, 14, 16], [10, 10, 10], { goal: { maxExtraMs: 5 } });
  expect(keepsGoal(row)).toBe(true);
  expect(cellsOf(toTable([row])).slice(-2)).toEqual(["≤ +5 ms", "yes, +4.0 ms"]);
  const faster = await measured([6, 6, 6], [10, 10, 10], { goal: { maxExtraMs: 5 } });
  expect(cellsOf(toTable([faster])).slice(-2)).toEqual(["≤ +5 ms", "yes, -4.0 ms"]);
});

test("a row that fails says why and ends nothing else", async () => {
  const row = await measureRow(text, () => Promise.reject(new Error("It broke. At once.")));
  expect(row).toEqual({ what: "a command", failure: "It broke." });
  expect(cellsOf(toTable([row]))[1]).toBe("failed: It broke.");
});

test("a row that this machine cannot give says so", () => {
  expect(cellsOf(toTable([{ what: "a jail", reason: "there is no bwrap" }]))[1]).toBe(
    "not available: there is no bwrap",
  );
});

test("a report has each group with its notes, and what was not measured", async () => {
  const row = await measured([2], [1], { note: () => "told afterwards" });
  const report = toReport("a machine", [{ name: "warm", rows: [row] }]);
  expect(report).toMatch(/^a machine\n\n### warm\n\n\| what /);
  expect(report).toContain("\n\n- a command: told afterwards.\n\n### Not measured\n\n- ");
});

test("a report goes between the markers of a document, which keeps the rest", () => {
  const file = join(tempDir(), "page.md");
  writeFileSync(file, "before\n<!-- bench:start -->\nold\n<!-- bench:end -->\nafter\n");
  writeBetweenMarkers(file, "new");
  expect(readFileSync(file, "utf8")).toBe(
    "before\n<!-- bench:start -->\n\nnew\n\n<!-- bench:end -->\nafter\n",
  );
  writeFileSync(file, "no markers");
  expect(() => writeBetweenMarkers(file, "new")).toThrow("has no place");
});
