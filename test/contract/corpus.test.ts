import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { allTasks, areas, corpus, tasks } from "../fixtures/corpus/corpus.ts";

const shellPage = readFileSync(new URL("../../docs/shell.md", import.meta.url), "utf8");
const knownTasks = allTasks.filter(({ known }) => known !== undefined);

test("the corpus has cases for everything that the package promises to compare", () => {
  expect(corpus.length).toBeGreaterThanOrEqual(200);
  for (const [area, cases] of Object.entries(areas)) expect(cases.length, area).toBeGreaterThanOrEqual(1);
});

test("the corpus has scripts of every kind that models write", () => {
  expect(allTasks.length).toBeGreaterThanOrEqual(420);
  for (const [kind, cases] of Object.entries(tasks)) expect(cases.length, kind).toBeGreaterThanOrEqual(50);
});

test("every known fault is listed in docs/shell.md, and nothing else is", () => {
  const [, faults = ""] = shellPage.split("\n## Known faults\n");
  const listed = [...faults.matchAll(/^- (.*)$/gm)].map(([, reason]) => reason);
  const known = [...corpus, ...allTasks].flatMap(({ known: reason }) => reason ?? []);
  expect(listed.sort()).toEqual([...new Set(known)].sort());
});

test("docs/shell.md says how many scripts there are and how many come out right", () => {
  const right = allTasks.length - knownTasks.length;
  const percent = ((100 * right) / allTasks.length).toFixed(1);
  expect(shellPage).toContain(
    `${right} of ${allTasks.length} scripts give the real programs' stdout, exit code and files: ${percent} %`,
  );
});
