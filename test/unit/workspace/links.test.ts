import { lstatSync, mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { MountFs } from "../../../src/workspace/mount-fs.ts";
import { digestOf, failsWith, makeWorkspace } from "./helpers.ts";

let place: ReturnType<typeof makeWorkspace>;
let fs: MountFs;

beforeEach(() => {
  place = makeWorkspace();
  fs = place.open();
  writeFileSync(join(place.outside, "secret"), "CANARY");
  mkdirSync(join(place.outside, "dir"));
  writeFileSync(join(place.docs, "page"), "docs page");
  writeFileSync(join(place.work, "f"), "inside");
  mkdirSync(join(place.work, "d"));
  writeFileSync(join(place.work, "d/g"), "deeper");
});

/** Ways to point at the directory outside from /work/…; each is planted on the host or made by a script. */
const ways: [string, () => string][] = [
  ["an absolute host path", () => join(place.outside, "secret")],
  ["a relative path over the mount's parent", () => "../outside/secret"],
  ["many ..", () => `${"../".repeat(30)}${join(place.outside, "secret").slice(1)}`],
  ["a path through a mount and out again", () => `${place.work}/../outside/secret`],
  ["a host path with doubled slashes", () => `/${join(place.outside, "secret")}`],
  ["/proc/self/root", () => `/proc/self/root${join(place.outside, "secret")}`],
];

describe.each(ways)("a link by %s", (_name, target) => {
  test.each(["planted", "made inside"])("%s leads nowhere through any door", async (maker) => {
    if (maker === "planted") symlinkSync(target(), join(place.work, "l"));
    else await fs.symlink(target(), "/work/l");
    symlinkSync("l", join(place.work, "chain"));
    const before = digestOf(place.outside);
    for (const path of ["/work/l", "/work/chain"]) {
      for (const call of [
        () => fs.readFile(path),
        () => fs.readFileBuffer(path),
        () => fs.stat(path),
        () => fs.realpath(path),
        () => fs.chmod(path, 0o777),
        () => fs.utimes(path, new Date(0), new Date(0)),
        () => fs.cp(path, "/work/copy"),
        () => fs.readdir(path),
      ]) {
        await expect(call()).rejects.toMatchObject({
          code: expect.stringMatching(/^(ENOENT|EROFS|ENOTDIR)$/),
        });
      }
      await expect(fs.writeFile(path, "pwn")).rejects.toMatchObject({
        code: expect.stringMatching(/ENOENT|EROFS/),
      });
      await expect(fs.appendFile(path, "pwn")).rejects.toMatchObject({
        code: expect.stringMatching(/ENOENT|EROFS/),
      });
      expect(await fs.exists(path)).toBe(false);
    }
    expect(digestOf(place.outside)).toBe(before);
    expect(await fs.exists("/work/copy")).toBe(false);
    await fs.rm("/work/l");
    expect(lstatSync(join(place.work, "l"), { throwIfNoEntry: false })).toBeUndefined();
  });
});

test.each<[string, (path: string) => Promise<unknown>]>([
  ["listed", (path) => fs.readdir(path)],
  ["written into", (path) => fs.writeFile(`${path}/new`, "x")],
  ["given a directory", (path) => fs.mkdir(`${path}/new`, { recursive: true })],
  ["emptied", (path) => fs.rm(`${path}/dir`, { recursive: true })],
  ["moved into", (path) => fs.mv("/work/f", `${path}/f`)],
  ["copied into", (path) => fs.cp("/work/d", `${path}/d`, { recursive: true })],
  ["linked into", (path) => fs.link("/work/f", `${path}/f`)],
  ["given a link", (path) => fs.symlink("x", `${path}/l`)],
])("a directory outside is not %s through a link", async (_name, call) => {
  symlinkSync(place.outside, join(place.work, "out"));
  const before = digestOf(place.outside);
  await expect(call("/work/out")).rejects.toMatchObject({ code: expect.stringMatching(/^E/) });
  expect(digestOf(place.outside)).toBe(before);
  expect(readFileSync(join(place.work, "f"), "utf8")).toBe("inside");
});

test("removing a tree removes the links in it and nothing behind them", async () => {
  symlinkSync(place.outside, join(place.work, "d/out"));
  symlinkSync("../f", join(place.work, "d/in"));
  const before = digestOf(place.outside);
  await fs.rm("/work/d", { recursive: true });
  expect(digestOf(place.outside)).toBe(before);
  expect(await fs.readdir("/work")).toEqual(["f"]);
});

test("links inside the mounts work: relative, absolute, to a sibling mount, in the middle of a path", async () => {
  await fs.symlink("f", "/work/rel");
  await fs.symlink("/work/d", "/work/abs");
  await fs.symlink("../docs/page", "/work/sibling");
  await fs.symlink("../f", "/work/d/up");
  expect(await fs.readFile("/work/rel")).toBe("inside");
  expect(await fs.readFile("/work/abs/g")).toBe("deeper");
  expect(await fs.readFile("/work/sibling")).toBe("docs page");
  expect(await fs.readFile("/work/abs/up")).toBe("inside");
  expect(await fs.realpath("/work/abs/up")).toBe("/work/f");
  expect(await fs.readlink("/work/abs")).toBe("/work/d");
  expect(readlinkSync(join(place.work, "abs"))).toBe("/work/d");
  await failsWith(fs.writeFile("/work/sibling", "x"), "EROFS");
});

test("a host path below a mount's directory means that place of the mount, and is shown as such", async () => {
  symlinkSync(join(place.work, "d/g"), join(place.work, "l"));
  symlinkSync(join(place.docs, "page"), join(place.work, "p"));
  symlinkSync(place.work, join(place.work, "root"));
  expect(await fs.readFile("/work/l")).toBe("deeper");
  expect(await fs.readlink("/work/l")).toBe("/work/d/g");
  expect(await fs.readFile("/work/p")).toBe("docs page");
  expect(await fs.readlink("/work/p")).toBe("/docs/page");
  expect(await fs.realpath("/work/root/root/f")).toBe("/work/f");
});

test(".. after a link is the parent of where the link leads", async () => {
  await fs.symlink("/work/d", "/work/abs");
  mkdirSync(join(place.work, "d/sub"));
  await fs.symlink("/work/d/sub", "/work/s");
  expect(await fs.readFile("/work/s/../g")).toBe("deeper");
  await failsWith(fs.readFile("/work/s/../f"), "ENOENT");
  expect(await fs.realpath("/work/../../../work/d/..")).toBe("/work");
  await failsWith(fs.readFile("/work/f/../f"), "ENOTDIR");
});

test("a loop, and a chain of more than 40 links, end in ELOOP; 40 are followed", async () => {
  await fs.symlink("b", "/work/a");
  await fs.symlink("a", "/work/b");
  await failsWith(fs.readFile("/work/a"), "ELOOP");
  await failsWith(fs.writeFile("/work/a", ""), "ELOOP");
  await fs.symlink("f", "/work/l1");
  for (let index = 2; index <= 41; index++) await fs.symlink(`l${index - 1}`, `/work/l${index}`);
  expect(await fs.readFile("/work/l40")).toBe("inside");
  await failsWith(fs.readFile("/work/l41"), "ELOOP");
});

test("a write through a link to nothing makes the file that the link names", async () => {
  await fs.symlink("d/new", "/work/l");
  await fs.writeFile("/work/l", "made");
  expect(readFileSync(join(place.work, "d/new"), "utf8")).toBe("made");
});

test("lstat, readlink, rm and mv mean the link; a trailing slash means what is behind it", async () => {
  await fs.symlink("d", "/work/l");
  expect((await fs.lstat("/work/l")).isSymbolicLink).toBe(true);
  expect((await fs.lstat("/work/l/")).isDirectory).toBe(true);
  await fs.mv("/work/l", "/work/m");
  expect(await fs.readlink("/work/m")).toBe("d");
  await fs.rm("/work/m", { recursive: true });
  expect(await fs.readdir("/work/d")).toEqual(["g"]);
});

test("a copy of a tree has its links as links; the file behind a named link is copied", async () => {
  await fs.symlink("g", "/work/d/l");
  await fs.symlink("/work/none", "/work/d/dangling");
  await fs.cp("/work/d", "/work/e", { recursive: true });
  expect(await fs.readlink("/work/e/l")).toBe("g");
  expect(await fs.readlink("/work/e/dangling")).toBe("/work/none");
  await fs.cp("/work/d/l", "/work/plain");
  expect((await fs.lstat("/work/plain")).isFile).toBe(true);
  expect(await fs.readFile("/work/plain")).toBe("deeper");
});

test("an existing name is not taken by a link, and an empty target is none", async () => {
  await failsWith(fs.symlink("x", "/work/f"), "EEXIST");
  await failsWith(fs.link("/work/f", "/work/d"), "EEXIST");
  await failsWith(fs.symlink("", "/work/l"), "ENOENT");
  await failsWith(fs.symlink("a\0b", "/work/l"), "ENOENT");
});

describe("far down in a mount", () => {
  const deep = "1/2/3/4/5/6/7/8/9/10";

  beforeEach(async () => {
    await fs.mkdir(`/work/${deep}`, { recursive: true });
    await fs.writeFile(`/work/${deep}/f`, "deep");
  });

  test("files are found, made and missed as elsewhere", async () => {
    expect(await fs.readFile(`/work/${deep}/f`)).toBe("deep");
    await fs.writeFile(`/work/${deep}/new`, "");
    expect(await fs.readdir(`/work/${deep}`)).toEqual(["f", "new"]);
    await failsWith(fs.readFile(`/work/${deep}/none`), "ENOENT");
    await failsWith(fs.readFile(`/work/${deep}/none/x`), "ENOENT");
    await failsWith(fs.readFile(`/work/${deep}/f/x`), "ENOTDIR");
    expect(await fs.realpath(`/work/${deep}/f`)).toBe(`/work/${deep}/f`);
  });

  test("links on the way and at the end mean what they mean elsewhere", async () => {
    await fs.symlink("f", `/work/${deep}/rel`);
    await fs.symlink("/work/f", `/work/${deep}/abs`);
    await fs.symlink(place.outside, `/work/1/2/out`);
    await fs.symlink("3", "/work/1/2/three");
    expect(await fs.readFile(`/work/${deep}/rel`)).toBe("deep");
    expect(await fs.readFile(`/work/${deep}/abs`)).toBe("inside");
    expect(await fs.readlink(`/work/${deep}/rel`)).toBe("f");
    expect(await fs.realpath(`/work/1/2/three/4/5/6/7/8/9/10/f`)).toBe(`/work/${deep}/f`);
    mkdirSync(join(place.outside, deep), { recursive: true });
    writeFileSync(join(place.outside, deep, "secret"), "CANARY");
    await failsWith(fs.readFile(`/work/1/2/out/${deep}/secret`), "ENOENT");
    await failsWith(fs.writeFile(`/work/1/2/out/${deep}/new`, ""), "ENOENT");
  });

  test("mounts and rights hold there too", async () => {
    mkdirSync(join(place.docs, "1/2/3/4/5/6/7/8/9"), { recursive: true });
    await failsWith(fs.writeFile("/docs/1/2/3/4/5/6/7/8/9/new", ""), "EROFS");
    fs.setReadOnlyPrefixes(["/work/1/2/3"]);
    await failsWith(fs.writeFile(`/work/${deep}/f`, ""), "EROFS");
    const nested = place.open({
      mounts: [
        ...place.mounts,
        { path: `/work/${deep}`, backingPath: place.outside, access: "ro", tracked: false },
      ],
    });
    expect(await nested.readFile(`/work/${deep}/secret`)).toBe("CANARY");
    await failsWith(nested.rm("/work/1", { recursive: true }), "EBUSY");
  });
});
