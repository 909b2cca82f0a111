import { expect, test } from "vitest";
import { tellChanges } from "../../../src/harness/tell-changes.ts";
import type { FileChange } from "../../../src/shared/file-change.ts";

function created(...paths: string[]): FileChange[] {
  return paths.map((path) => ({ path, change: "created" }) as FileChange);
}

test("what git keeps is one line at the end, and takes no other path's place", () => {
  const objects = Array.from({ length: 30 }, (_, at) => `/session/.git/objects/${at}`);
  expect(tellChanges(created("/session/.git", ...objects, "/session/a", "/session/.gitignore"))).toEqual([
    "created /session/a",
    "created /session/.gitignore",
    ".git: 31 changes",
  ]);
  expect(tellChanges(created("/session/sub/.git/HEAD"))).toEqual([".git: 1 change"]);
});

test("beyond twenty paths the rest is counted, without what git keeps", () => {
  const paths = Array.from({ length: 22 }, (_, at) => `/session/${at}`);
  const told = tellChanges(created("/session/.git/HEAD", ...paths));
  expect(told).toHaveLength(22);
  expect(told.slice(19)).toEqual(["created /session/19", "and 2 more", ".git: 1 change"]);
});

test("no change, no line", () => {
  expect(tellChanges([])).toEqual([]);
});
