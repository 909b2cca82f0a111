import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { allTasks, areas, corpus } from "../fixtures/corpus/corpus.ts";

const shellPage = readFileSync(new URL("../../docs/shell.md", import.meta.url), "utf8");

test("the corpus has cases for everything that the package promises to compare", () => {
  expect(corpus.length).toBeGreaterThanOrEqual(200);
  for (const [area, cases] of Object.entries(areas)) expect(cases.length, area).toBeGreaterThanOrEqual(1);
  expect(corpus.length + allTasks.length).toBeGreaterThanOrEqual(600);
});

test("every known fault is listed in docs/shell.md, and nothing else is", () => {
  const listed = [...shellPage.matchAll(/^- (.*)$/gm)].map(([, reason]) => reason);
  const known = [...corpus, ...allTasks].flatMap(({ known: reason }) =>
    reason === undefined ? [] : [reason],
  );
  expect(listed.sort()).toEqual(known.sort());
});
