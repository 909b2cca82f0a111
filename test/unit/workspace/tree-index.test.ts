/** What an index finds, one promise after another, hence the length. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  linkSync,
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
import type { HarnessMount } from "../../../src/shared/workspace-spec.ts";
import { diffTrees, type Tree } from "../../../src/workspace/file-changes.ts";
import type { Difference, TreeEntry } from "../../../src/workspace/tree-entry.ts";
import { type Reading, TreeIndex } from "../../../src/workspace/tree-index.ts";
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

/** An index, and the tree that its differences add up to. */
class Walker {
  readonly index: TreeIndex;
  readonly #tree = new Map<string, TreeEntry>();

  constructor(mounts: readonly HarnessMount[]) {
    this.index = new TreeIndex(mounts);
  }

  get filesRead(): number {
    return this.index.filesRead;
  }

  look(paths: readonly string[], reading: Reading): Difference[] {
    const differences: Difference[] = [];
    for (const look = this.index.look(paths, reading, differences); !look.next().done; );
    for (const { path, before, after } of differences) {
      expect(this.#tree.get(path)).toBe(before);
      if (after === undefined) this.#tree.delete(path);
      else this.#tree.set(path, after);
    }
    return differences;
  }

  walk(): Tree {
    this.look(
      this.index.places.roots.map(({ path }) => path),
      "all",
    );
    return new Map(this.#tree);
  }

  walkBelow(paths: readonly string[]): Tree {
    this.look(paths, "new");
    return new Map(this.#tree);
  }
}

function makeIndex() {
  const place = makeWorkspace();
  return { ...place, index: new Walker(place.mounts) };
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
  const index = new Walker([
    { path: "/work", backingPath: work, access: "rw", tracked: true },
    { path: "/work/sub", backingPath: join(root, "inner"), access: "rw", tracked: true },
    { path: "/work/quiet", backingPath: join(root, "silent"), access: "rw", tracked: false },
    { path: "/again", backingPath: join(root, "inner"), access: "ro", tracked: true },
    { path: "/docs", backingPath: docs, access: "ro", tracked: false },
  ]);
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
  const index = new Walker([
    { path: "/work", backingPath: work, access: "rw", tracked: true },
    { path: "/view", backingPath: join(root, "work/a"), access: "ro", tracked: true },
  ]);
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
});

test("learning reads nothing; what is learnt is known, and a changed file is then found and read", () => {
  const { work, index } = makeIndex();
  for (const name of ["a", "b"]) writeFileSync(join(work, name), name);
  settle(work);
  for (const look = index.index.learn(); !look.next().done; );
  expect(index.filesRead).toBe(0);
  const differences: Difference[] = [];
  writeFileSync(join(work, "b"), "B");
  for (const look = index.index.look(["/work"], "new", differences); !look.next().done; );
  expect(differences).toMatchObject([
    { path: "/work/b", before: { sha256: undefined }, after: { sha256: sha256("B") } },
  ]);
  expect(index.filesRead).toBe(1);
});

test("a look at one path visits nothing else", () => {
  const { work, index } = makeIndex();
  mkdirSync(join(work, "d"));
  for (const name of ["d/a", "d/b", "c"]) writeFileSync(join(work, name), name);
  index.walk();
  for (const name of ["d/a", "d/b", "c"]) writeFileSync(join(work, name), "new");
  expect(index.look(["/work/d/a"], "new").map(({ path }) => path)).toEqual(["/work/d/a"]);
});

test("a look starts at the first directory that is not what it was", () => {
  const { root, work, index } = makeIndex();
  mkdirSync(join(work, "d/e"), { recursive: true });
  writeFileSync(join(work, "d/e/f"), "f");
  writeFileSync(join(root, "outside-file"), "secret");
  index.walk();
  rmSync(join(work, "d"), { recursive: true });
  mkdirSync(join(root, "e"));
  writeFileSync(join(root, "e/f"), "secret");
  symlinkSync(root, join(work, "d"));
  // Through the link it would be a file outside the mount.
  const found = index.look(["/work/d/e/f"], "all").map(({ path, after }) => [path, after?.kind]);
  expect(found.sort()).toEqual([
    ["/work/d", "symlink"],
    ["/work/d/e", undefined],
    ["/work/d/e/f", undefined],
  ]);
});

test("a change of a file with several names shows under each of them", () => {
  const { work, index } = makeIndex();
  writeFileSync(join(work, "a"), "1");
  linkSync(join(work, "a"), join(work, "b"));
  index.walk();
  settle(work);
  writeFileSync(join(work, "a"), "2");
  expect(
    index
      .look(["/work/a"], "new")
      .map(({ path }) => path)
      .sort(),
  ).toEqual(["/work/a", "/work/b"]);
});

test("what is renamed with its directory is not read again", () => {
  const { work, index } = makeIndex();
  mkdirSync(join(work, "d"));
  for (let count = 0; count < 10; count++) writeFileSync(join(work, `d/${count}`), `${count}`);
  settle(work);
  index.walk();
  renameSync(join(work, "d"), join(work, "e"));
  const differences = index.look(["/work/d", "/work/e"], "new");
  expect(differences).toHaveLength(22);
  expect(differences.find(({ path }) => path === "/work/e/7")?.after?.sha256).toBe(sha256("7"));
  expect(index.filesRead).toBe(10);
});

test("a look pauses, and one that is given up has told what it brought into the index", () => {
  const { work, index } = makeIndex();
  for (let count = 0; count < 1_200; count++) writeFileSync(join(work, `f${count}`), "");
  const differences: Difference[] = [];
  const look = index.index.look(["/work"], "new", differences);
  expect(look.next().done).toBe(false);
  look.return();
  expect(differences.length).toBeGreaterThan(0);
  const rest: Difference[] = [];
  let pauses = 0;
  for (const next = index.index.look(["/work"], "new", rest); !next.next().done; ) pauses++;
  expect(pauses).toBe(2);
  expect(new Set([...differences, ...rest].map(({ path }) => path)).size).toBe(1_200);
});

test.runIf(process.getuid?.() === 0)("a directory that cannot be listed stays as it was known", () => {
  const { root, work, index } = makeIndex();
  for (const directory of [root, work]) chmodSync(directory, 0o755);
  mkdirSync(join(work, "d"));
  writeFileSync(join(work, "d/f"), "f");
  index.walk();
  chmodSync(join(work, "d"), 0o700);
  process.seteuid?.(65534);
  try {
    expect(index.look(["/work/d"], "new")).toEqual([]);
  } finally {
    process.seteuid?.(0);
  }
});

test("a file that is not read in time has no digest, and gets one later", () => {
  const { work, index } = makeIndex();
  writeFileSync(join(work, "f"), "1");
  const late: Difference[] = [];
  for (const look = index.index.look(["/work"], "new", late, performance.now() - 1); !look.next().done; );
  expect(late.map(({ after }) => [after?.kind, after?.size, after?.sha256])).toEqual([
    ["file", 1, undefined],
  ]);
  const later: Difference[] = [];
  for (const look = index.index.look(["/work"], "new", later); !look.next().done; );
  expect(later.map(({ after }) => after?.sha256)).toEqual([sha256("1")]);
});
