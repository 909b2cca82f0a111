import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { areas, corpus } from "../fixtures/corpus/corpus.ts";

const shellPage = readFileSync(new URL("../../docs/shell.md", import.meta.url), "utf8");

test("the corpus has cases for everything that the package promises to compare", () => {
  expect(corpus.length).toBeGreaterThanOrEqual(200);
  for (const cases of Object.values(areas)) expect(cases.length).toBeGreaterThanOrEqual(8);
});

test("every known fault is listed in docs/shell.md, and nothing else is", () => {
  const listed = [...shellPage.matchAll(/^- (.*)$/gm)].map(([, reason]) => reason);
  const known = corpus.flatMap(({ known: reason }) => (reason === undefined ? [] : [reason]));
  expect(listed.sort()).toEqual(known.sort());
});
