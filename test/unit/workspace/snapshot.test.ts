import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { diffTrees } from "../../../src/workspace/file-changes.ts";
import { TreeIndex, trackedMounts } from "../../../src/workspace/snapshot.ts";
import { makeWorkspace } from "./helpers.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** Waits until the clock of the file system has left the tick of the last write behind. */
function settle(directory: string): void {
  const probe = join(directory, "..", "clock");
  writeFileSync(probe, "");
  const start = statSync(probe).ctimeMs;
  do writeFileSync(probe, "");
  while (statSync(probe).ctimeMs < start + 30);
}

function makeIndex() {
  const place = makeWorkspace();
  return { ...place, index: new TreeIndex(trackedMounts(place.mounts)) };
}

test("an entry tells kind, size, mode and digest or target; mount points are not in the tree", () => {
  const { work, docs, index } = makeIndex();
  mkdirSync(join(work, "d"));
  writeFileSync(join(work, "d/f"), "text", { mode: 0o640 });
  symlinkSync("/else/where", join(work, "l"));
  writeFileSync(join(docs, "page"), "p");
  const tree = index.walk();
  expect([...tree.keys()].sort()).toEqual(["/docs/page", "/work/d", "/work/d/f", "/work/l"]);
  expect(tree.get("/work/d/f")).toMatchObject({ kind: "file", size: 4, mode: 0o640, sha256: sha256("text") });
  expect(tree.get("/work/l")).toMatchObject({ kind: "symlink", linkTarget: "/else/where" });
  expect(tree.get("/work/d")).toMatchObject({ kind: "directory" });
});

test("a walk of an unchanged tree reads no file, and gives the same entries", () => {
  const { work, index } = makeIndex();
  for (let count = 0; count < 50; count++) writeFileSync(join(work, `f${count}`), `${count}`);
  settle(work);
  const first = index.walk();
  const read = index.filesRead;
  const second = index.walk();
  expect(read).toBe(50);
  expect(index.filesRead).toBe(read);
  expect([...second].every(([path, entry]) => first.get(path) === entry)).toBe(true);
});

test("only files that changed are read again", () => {
  const { work, index } = makeIndex();
  for (let count = 0; count < 50; count++) writeFileSync(join(work, `f${count}`), `${count}`);
  settle(work);
  index.walk();
  writeFileSync(join(work, "f7"), "new");
  index.walk();
  expect(index.filesRead).toBe(51);
});

test("a rewrite of the same size with its time put back is found, even within one clock tick", () => {
  const { work, index } = makeIndex();
  const path = join(work, "f");
  for (let round = 0; round < 20; round++) {
    writeFileSync(path, "aaaa");
    utimesSync(path, 1000, 1000);
    const before = index.walk();
    writeFileSync(path, "bbbb");
    utimesSync(path, 1000, 1000);
    expect(diffTrees(before, index.walk())).toEqual([
      { change: "modified", path: "/work/f", kind: "file", size: 4, sha256: sha256("bbbb") },
    ]);
  }
});

test("what nested mounts cover belongs to them alone, and untracked mounts to nobody", () => {
  const { root, work, docs } = makeWorkspace();
  for (const name of ["inner", "silent", "work/sub", "work/quiet"]) mkdirSync(join(root, name));
  for (const name of ["inner/i", "silent/s", "work/sub/covered", "work/quiet/covered", "work/w"]) {
    writeFileSync(join(root, name), name);
  }
  const index = new TreeIndex(
    trackedMounts([
      { path: "/work", backingPath: work, access: "rw", tracked: true },
      { path: "/work/sub", backingPath: join(root, "inner"), access: "rw", tracked: true },
      { path: "/work/quiet", backingPath: join(root, "silent"), access: "rw", tracked: false },
      { path: "/again", backingPath: join(root, "inner"), access: "ro", tracked: true },
      { path: "/docs", backingPath: docs, access: "ro", tracked: false },
    ]),
  );
  const before = index.walk();
  expect([...before.keys()].sort()).toEqual(["/again/i", "/work/sub/i", "/work/w"]);
  writeFileSync(join(root, "inner/i"), "changed");
  writeFileSync(join(root, "silent/s"), "changed");
  expect(diffTrees(before, index.walk()).map(({ path }) => path)).toEqual(["/again/i", "/work/sub/i"]);
});

test.runIf(process.platform !== "win32")("FIFOs are not opened, links not followed, gone roots empty", () => {
  const { work, docs, outside, index } = makeIndex();
  execFileSync("mkfifo", [join(work, "p")]);
  writeFileSync(join(outside, "secret"), "s");
  symlinkSync(outside, join(work, "out"));
  rmSync(docs, { recursive: true });
  const tree = index.walk();
  expect([...tree.keys()].sort()).toEqual(["/work/out", "/work/p"]);
  expect(tree.get("/work/p")?.kind).toBe("other");
});

test.runIf(process.platform === "linux")("names that are not UTF-8 stay apart", () => {
  const { work, index } = makeIndex();
  for (const byte of [0xfe, 0xff])
    writeFileSync(Buffer.concat([Buffer.from(`${work}/n`), Buffer.from([byte])]), "x");
  expect([...index.walk().keys()].sort()).toEqual(["/work/n\udcfe", "/work/n\udcff"]);
});

test.runIf(process.getuid?.() === 0 && process.platform === "linux")(
  "a file that cannot be read is compared by size and ctime",
  () => {
    const { root, work, index } = makeIndex();
    const path = join(work, "f");
    for (const directory of [root, work]) chmodSync(directory, 0o755);
    writeFileSync(path, "one", { mode: 0o600 });
    const walkAsNobody = () => {
      process.seteuid?.(65534);
      try {
        return index.walk();
      } finally {
        process.seteuid?.(0);
      }
    };
    const before = walkAsNobody();
    expect(before.get("/work/f")).toMatchObject({ kind: "file", size: 3 });
    expect(before.get("/work/f")?.sha256).toBeUndefined();
    expect(diffTrees(before, walkAsNobody())).toEqual([]);
    settle(work);
    writeFileSync(path, "two");
    expect(diffTrees(before, walkAsNobody())).toEqual([
      { change: "modified", path: "/work/f", kind: "file", size: 3 },
    ]);
  },
);

test("a partial walk finds what lies at and below the paths given, under every mount that shows it", () => {
  const { root, work } = makeWorkspace();
  mkdirSync(join(work, "a/b"), { recursive: true });
  writeFileSync(join(work, "a/b/f"), "1");
  writeFileSync(join(work, "other"), "1");
  const index = new TreeIndex(
    trackedMounts([
      { path: "/work", backingPath: work, access: "rw", tracked: true },
      { path: "/view", backingPath: join(root, "work/a"), access: "ro", tracked: true },
    ]),
  );
  const before = index.walk();
  writeFileSync(join(work, "a/b/f"), "22");
  writeFileSync(join(work, "other"), "22");
  const after = index.walkBelow(["/work/a/b"]);
  expect(diffTrees(before, after).map(({ path }) => path)).toEqual(["/view/b/f", "/work/a/b/f"]);
  renameSync(join(work, "a"), join(work, "z"));
  const moved = index.walkBelow(["/work/a", "/work/z"]);
  expect(diffTrees(after, moved).map(({ change, path }) => `${change} ${path}`)).toEqual([
    "deleted /view/b",
    "deleted /view/b/f",
    "deleted /work/a",
    "deleted /work/a/b",
    "deleted /work/a/b/f",
    "created /work/z",
    "created /work/z/b",
    "created /work/z/b/f",
  ]);
  expect(moved).toBe(index.tree);
});

test("a walk in pieces gives the same tree and lets others run in between", async () => {
  const { work, index } = makeIndex();
  for (let count = 0; count < 20; count++) writeFileSync(join(work, `f${count}`), `${count}`);
  let turns = 0;
  const counting = setInterval(() => turns++, 0);
  const tree = await index.walkInPieces();
  clearInterval(counting);
  expect(diffTrees(tree, index.walk())).toEqual([]);
  expect(tree.size).toBe(20);
  expect(turns).toBeGreaterThan(0);
});
