import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { MountFs } from "../../../src/workspace/mount-fs.ts";
import { digestOf, failsWith, makeWorkspace } from "./helpers.ts";

/** Every mutating call, aimed at a directory that must not change; `/work/free` may. */
const doors: [string, (fs: MountFs, at: string) => Promise<unknown>, RegExp?][] = [
  ["writeFile over a file", (fs, at) => fs.writeFile(`${at}/file`, "x")],
  ["writeFile of a new file", (fs, at) => fs.writeFile(`${at}/new`, "x")],
  ["writeFile of nothing", (fs, at) => fs.writeFile(`${at}/file`, "")],
  ["appendFile", (fs, at) => fs.appendFile(`${at}/file`, "x")],
  ["appendFile of nothing to a new file", (fs, at) => fs.appendFile(`${at}/new`, "")],
  ["mkdir", (fs, at) => fs.mkdir(`${at}/new`)],
  ["mkdir -p", (fs, at) => fs.mkdir(`${at}/new/deep`, { recursive: true })],
  ["rm of a file", (fs, at) => fs.rm(`${at}/file`)],
  ["rm -f of a file", (fs, at) => fs.rm(`${at}/file`, { force: true })],
  ["rm -r of a directory", (fs, at) => fs.rm(`${at}/dir`, { recursive: true })],
  ["rmdir", (fs, at) => fs.rm(`${at}/empty`)],
  ["cp to a new name", (fs, at) => fs.cp("/work/free/a", `${at}/new`)],
  ["cp over a file", (fs, at) => fs.cp("/work/free/a", `${at}/file`)],
  ["cp -r", (fs, at) => fs.cp("/work/free/tree", `${at}/new`, { recursive: true })],
  ["cp -r onto it", (fs, at) => fs.cp("/work/free/tree", at, { recursive: true })],
  ["mv in", (fs, at) => fs.mv("/work/free/a", `${at}/new`)],
  ["mv over a file", (fs, at) => fs.mv("/work/free/a", `${at}/file`)],
  ["mv out", (fs, at) => fs.mv(`${at}/file`, "/work/free/new")],
  ["mv of a directory out", (fs, at) => fs.mv(`${at}/dir`, "/work/free/new")],
  ["mv within", (fs, at) => fs.mv(`${at}/file`, `${at}/new`)],
  ["chmod", (fs, at) => fs.chmod(`${at}/file`, 0o600)],
  ["chmod of the directory", (fs, at) => fs.chmod(at, 0o700)],
  ["symlink", (fs, at) => fs.symlink("x", `${at}/new`)],
  ["link in", (fs, at) => fs.link("/work/free/a", `${at}/new`)],
  ["link out", (fs, at) => fs.link(`${at}/file`, "/work/free/new"), /^(EROFS|EXDEV)$/],
  ["utimes", (fs, at) => fs.utimes(`${at}/file`, new Date(0), new Date(0))],
];

/** The same places under each kind of protection and each way to reach them. */
const walls: [string, string][] = [
  ["a read-only mount", "/docs"],
  ["a read-only mount through a link", "/work/to-docs"],
  ["a read-only prefix of a mount", "/work/fixed"],
  ["a read-only prefix through a link", "/work/to-fixed"],
  ["a read-only prefix by way of ..", "/work/free/../fixed"],
  ["a directory in a read-only prefix", "/work/fixed/sub"],
  ["a read-only prefix set later", "/work/later"],
  ["the place that a prefix which is a link leads to", "/work/behind"],
];

function makeProtected() {
  const place = makeWorkspace({}, { readOnlyPrefixes: ["/work/fixed", "/work/linked"] });
  for (const at of ["docs", "work/fixed", "work/fixed/sub", "work/later", "work/behind"]) {
    mkdirSync(join(place.root, at, "dir/inner"), { recursive: true });
    mkdirSync(join(place.root, at, "empty"));
    writeFileSync(join(place.root, at, "file"), "original");
    writeFileSync(join(place.root, at, "dir/inner/f"), "original");
  }
  symlinkSync("behind", join(place.work, "linked"));
  symlinkSync("/docs", join(place.work, "to-docs"));
  symlinkSync("fixed", join(place.work, "to-fixed"));
  mkdirSync(join(place.work, "free/tree"), { recursive: true });
  writeFileSync(join(place.work, "free/a"), "a");
  writeFileSync(join(place.work, "free/tree/file"), "b");
  const fs = place.open();
  fs.setReadOnlyPrefixes(["/work/later"]);
  return { ...place, fs };
}

describe.each(walls)("%s", (_wall, at) => {
  test.each(doors)("is closed to %s, and nothing on disk changes", async (_door, call, code = /^EROFS$/) => {
    const { root, fs } = makeProtected();
    const before = digestOf(root);
    await expect(call(fs, at)).rejects.toMatchObject({ code: expect.stringMatching(code) });
    expect(digestOf(root)).toBe(before);
  });

  test("can be read, listed and copied from", async () => {
    const { fs } = makeProtected();
    expect(await fs.readFile(`${at}/file`)).toBe("original");
    expect(await fs.readdir(`${at}/dir`)).toEqual(["inner"]);
    await fs.cp(`${at}/dir`, "/work/free/copy", { recursive: true });
    expect(await fs.readFile("/work/free/copy/inner/f")).toBe("original");
  });
});

test("the same calls work where writing is allowed", async () => {
  for (const [, call] of doors) {
    const { fs } = makeProtected();
    await fs.cp("/work/later", "/work/open", { recursive: true });
    await call(fs, "/work/open");
  }
});

test("prefixes set later replace those set before; those of the mount stay", async () => {
  const { fs } = makeProtected();
  fs.setReadOnlyPrefixes(["/work/free"]);
  await fs.writeFile("/work/later/file", "x");
  await failsWith(fs.writeFile("/work/free/a", "x"), "EROFS");
  await failsWith(fs.writeFile("/work/fixed/file", "x"), "EROFS");
});

test("mkdir -p of what is there already succeeds on a read-only mount, mkdir says it exists", async () => {
  const { fs } = makeProtected();
  await fs.mkdir("/docs/dir/inner", { recursive: true });
  await failsWith(fs.mkdir("/docs/dir"), "EEXIST");
  await failsWith(fs.mkdir("/docs/file", { recursive: true }), "EEXIST");
});

describe("what holds a mount point or a prefix in place", () => {
  function makeNested() {
    const place = makeWorkspace();
    for (const name of ["inner", "work/a/b/kept", "work/p/q"])
      mkdirSync(join(place.root, name), { recursive: true });
    writeFileSync(join(place.work, "a/file"), "1");
    writeFileSync(join(place.work, "p/file"), "1");
    const fs = place.open({
      mounts: [
        {
          path: "/work",
          backingPath: place.work,
          access: "rw",
          tracked: true,
          readOnlyPrefixes: ["/work/p/q"],
        },
        { path: "/work/a/b/m", backingPath: join(place.root, "inner"), access: "rw", tracked: true },
      ],
    });
    return { ...place, fs };
  }

  test.each<[string, (fs: MountFs) => Promise<unknown>]>([
    ["rm -r above a mount point", (fs) => fs.rm("/work/a", { recursive: true })],
    ["rm -rf of a mount with another in it", (fs) => fs.rm("/work", { recursive: true, force: true })],
    ["rm -r above a prefix", (fs) => fs.rm("/work/p", { recursive: true })],
    ["rm -rf of the root", (fs) => fs.rm("/", { recursive: true, force: true })],
    ["rmdir of a mount point", (fs) => fs.rm("/work/a/b/m")],
    ["mv of a directory above a mount point", (fs) => fs.mv("/work/a", "/work/z")],
    ["mv of a directory above a prefix", (fs) => fs.mv("/work/p", "/work/z")],
    ["mv of a mount point", (fs) => fs.mv("/work/a/b/m", "/work/z")],
    ["mv onto a mount point", (fs) => fs.mv("/work/a/file", "/work/a/b/m")],
  ])("%s is EBUSY and changes nothing", async (_name, call) => {
    const { root, fs } = makeNested();
    const before = digestOf(root);
    await failsWith(call(fs), "EBUSY");
    expect(digestOf(root)).toBe(before);
  });

  test("no link can be put above a prefix that does not exist yet", async () => {
    const { open } = makeWorkspace({}, { readOnlyPrefixes: ["/work/x/.agents"] });
    const fs = open();
    await fs.mkdir("/work/evil");
    await failsWith(fs.symlink("evil", "/work/x"), "EBUSY");
    await fs.symlink("evil", "/work/l");
    await failsWith(fs.mv("/work/l", "/work/x"), "EBUSY");
    await fs.mkdir("/work/x");
    await failsWith(fs.mkdir("/work/x/.agents"), "EROFS");
  });

  test("rm -r of a writable mount's root empties it and says that it is busy", async () => {
    const { work, open } = makeWorkspace();
    const fs = open();
    mkdirSync(join(work, "d"));
    writeFileSync(join(work, "d/f"), "");
    await failsWith(fs.rm("/work", { recursive: true, force: true }), "EBUSY");
    expect(await fs.readdir("/work")).toEqual([]);
    await fs.writeFile("/work/x", "back");
    expect(readFileSync(join(work, "x"), "utf8")).toBe("back");
  });
});

test("everything outside the mounts is read-only", async () => {
  const { open } = makeWorkspace();
  const fs = open();
  for (const at of ["/etc/new", "/new", "/tmp/new", "/home/user/new", "/etc/passwd"]) {
    await failsWith(fs.writeFile(at, "x"), "EROFS");
  }
  await failsWith(fs.mkdir("/new"), "EROFS");
  await failsWith(fs.rm("/etc/passwd"), "EROFS");
  await failsWith(fs.chmod("/etc/passwd", 0o777), "EROFS");
  await failsWith(fs.mv("/etc/passwd", "/work/p"), "EROFS");
  await failsWith(fs.symlink("x", "/l"), "EROFS");
  await fs.cp("/etc/passwd", "/work/passwd");
  expect(await fs.readFile("/work/passwd")).toContain("user:x:1000:1000");
});

test("a file with a protected name gets a copy of its own before it changes under another", async () => {
  const place = makeWorkspace({}, { readOnlyPrefixes: ["/work/fixed"] });
  mkdirSync(join(place.work, "fixed"));
  const free = place.open({
    mounts: [{ path: "/all", backingPath: place.work, access: "rw", tracked: true }],
  });
  await free.writeFile("/all/fixed/a", "protected");
  await free.link("/all/fixed/a", "/all/twin");
  const fs = place.open();
  await fs.writeFile("/work/twin", "changed");
  expect(await fs.readFile("/work/fixed/a")).toBe("protected");
});
