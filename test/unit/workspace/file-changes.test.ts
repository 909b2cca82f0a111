import { expect, test } from "vitest";
import { diffTrees, type Tree } from "../../../src/workspace/file-changes.ts";
import type { TreeEntry } from "../../../src/workspace/tree-entry.ts";

const base = {
  size: 1,
  mode: 0o644,
  mtimeMs: 1,
  ctimeMs: 1,
  dev: 1,
  ino: 1,
  nlink: 1,
  sha256: undefined,
  racy: false,
  linkTarget: undefined,
};
const file = (sha256: string, over: Partial<TreeEntry> = {}): TreeEntry => ({
  ...base,
  kind: "file",
  sha256,
  ...over,
});
const directory = (over: Partial<TreeEntry> = {}): TreeEntry => ({ ...base, kind: "directory", ...over });
const link = (linkTarget: string): TreeEntry => ({ ...base, kind: "symlink", linkTarget });
const tree = (entries: Record<string, TreeEntry>): Tree => new Map(Object.entries(entries));

test("each path is reported once, sorted, with size and digest of what is there after", () => {
  const before = tree({ "/w/gone": file("g"), "/w/same": file("s"), "/w/mod": file("a") });
  const after = tree({
    "/w/same": file("s"),
    "/w/mod": file("b", { size: 2 }),
    "/w/a": file("n"),
    "/w/d": directory(),
  });
  expect(diffTrees(before, after)).toEqual([
    { change: "created", path: "/w/a", kind: "file", size: 1, sha256: "n" },
    { change: "created", path: "/w/d", kind: "directory" },
    { change: "deleted", path: "/w/gone", kind: "file" },
    { change: "modified", path: "/w/mod", kind: "file", size: 2, sha256: "b" },
  ]);
});

test("equal content under new times, inode or name count is no change", () => {
  const before = tree({ "/w/f": file("a"), "/w/d": directory(), "/w/l": link("x") });
  const touched = { mtimeMs: 9, ctimeMs: 9, ino: 9 };
  const after = tree({
    "/w/f": file("a", touched),
    "/w/d": directory(touched),
    "/w/l": { ...link("x"), ...touched },
  });
  expect(diffTrees(before, after)).toEqual([]);
});

test("permission bits alone are a change only when asked for", () => {
  const before = tree({ "/w/f": file("a"), "/w/d": directory() });
  const after = tree({ "/w/f": file("a", { mode: 0o755 }), "/w/d": directory({ mode: 0o700 }) });
  expect(diffTrees(before, after)).toEqual([]);
  expect(diffTrees(before, after, { modes: true }).map(({ change, path }) => `${change} ${path}`)).toEqual([
    "modified /w/d",
    "modified /w/f",
  ]);
});

test("one kind in the place of another is a deletion, then a creation", () => {
  expect(diffTrees(tree({ "/w/x": file("a") }), tree({ "/w/x": directory(), "/w/x/y": file("b") }))).toEqual([
    { change: "deleted", path: "/w/x", kind: "file" },
    { change: "created", path: "/w/x", kind: "directory" },
    { change: "created", path: "/w/x/y", kind: "file", size: 1, sha256: "b" },
  ]);
});

test("a link is modified when its target is another", () => {
  expect(diffTrees(tree({ "/w/l": link("a") }), tree({ "/w/l": link("b") }))).toEqual([
    { change: "modified", path: "/w/l", kind: "symlink" },
  ]);
});

test("special files are never reported, what takes their place is", () => {
  const other: TreeEntry = { ...base, kind: "other" };
  expect(
    diffTrees(tree({ "/w/a": other, "/w/b": other }), tree({ "/w/b": file("x"), "/w/c": other })),
  ).toEqual([{ change: "created", path: "/w/b", kind: "file", size: 1, sha256: "x" }]);
});
