import {
  accessSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { failsWith, makeWorkspace } from "./helpers.ts";

describe("cp", () => {
  test("keeps modes of new files and directories, also of those that nobody may write", async () => {
    const { work, open } = makeWorkspace();
    const fs = open();
    mkdirSync(join(work, "d"));
    writeFileSync(join(work, "d/run"), "#!", { mode: 0o755 });
    writeFileSync(join(work, "d/only"), "r", { mode: 0o440 });
    await fs.chmod("/work/d", 0o550);
    await fs.cp("/work/d", "/work/e", { recursive: true });
    const modes = ["e", "e/run", "e/only"].map((name) => statSync(join(work, name)).mode & 0o777);
    expect(modes).toEqual([0o550, 0o755, 0o440]);
    await fs.chmod("/work/d", 0o750);
    await fs.chmod("/work/e", 0o750);
  });

  test("over a file keeps that file's mode and inode", async () => {
    const { work, open } = makeWorkspace();
    const fs = open();
    writeFileSync(join(work, "a"), "new", { mode: 0o755 });
    writeFileSync(join(work, "b"), "longer old content", { mode: 0o600 });
    const { ino } = statSync(join(work, "b"));
    await fs.cp("/work/a", "/work/b");
    expect(statSync(join(work, "b"))).toMatchObject({ ino, size: 3 });
    expect(statSync(join(work, "b")).mode & 0o777).toBe(0o600);
  });

  test("merges a directory into one that is there", async () => {
    const { work, open } = makeWorkspace();
    const fs = open();
    for (const name of ["a/s", "b/s"]) mkdirSync(join(work, name), { recursive: true });
    writeFileSync(join(work, "a/s/x"), "ax");
    writeFileSync(join(work, "b/s/x"), "bx");
    writeFileSync(join(work, "b/s/y"), "by");
    await fs.cp("/work/a", "/work/b", { recursive: true });
    expect(await fs.readFile("/work/b/s/x")).toBe("ax");
    expect(await fs.readFile("/work/b/s/y")).toBe("by");
  });

  test("refuses a directory without recursive, itself as destination, and a clash of kinds", async () => {
    const { work, open } = makeWorkspace();
    const fs = open();
    mkdirSync(join(work, "d/e"), { recursive: true });
    writeFileSync(join(work, "f"), "f");
    await failsWith(fs.cp("/work/d", "/work/x"), "EISDIR");
    await failsWith(fs.cp("/work/d", "/work/d/e/x", { recursive: true }), "EINVAL");
    await failsWith(fs.cp("/work/d", "/work/d", { recursive: true }), "EINVAL");
    await failsWith(fs.cp("/work/f", "/work/f"), "EINVAL");
    await failsWith(fs.cp("/work/f", "/work/d"), "EISDIR");
    await failsWith(fs.cp("/work/d", "/work/f", { recursive: true }), "ENOTDIR");
    await failsWith(fs.cp("/work/none", "/work/x"), "ENOENT");
    await failsWith(fs.cp("/work/f", "/work/none/x"), "ENOENT");
    expect(await fs.readFile("/work/f")).toBe("f");
  });

  test("takes along what nested mounts show", async () => {
    const { root, work, open } = makeWorkspace();
    mkdirSync(join(root, "inner"));
    writeFileSync(join(root, "inner/i"), "nested");
    mkdirSync(join(work, "a"));
    const fs = open({
      mounts: [
        { path: "/work", backingPath: work, access: "rw", tracked: true },
        { path: "/work/a/m", backingPath: join(root, "inner"), access: "ro", tracked: true },
      ],
    });
    await fs.cp("/work/a", "/work/b", { recursive: true });
    expect(await fs.readFile("/work/b/m/i")).toBe("nested");
  });

  test("a tree 400 levels deep is made, copied and removed", async () => {
    const { open } = makeWorkspace();
    const fs = open();
    const deep = "b/".repeat(400);
    await fs.mkdir(`/work/${deep}`, { recursive: true });
    await fs.writeFile(`/work/${deep}f`, "x");
    await fs.cp("/work/b", "/work/e", { recursive: true });
    expect(await fs.readFile(`/work/e/${deep.slice(2)}f`)).toBe("x");
    await fs.rm("/work/b", { recursive: true });
    await fs.rm("/work/e", { recursive: true });
    expect(await fs.readdir("/work")).toEqual([]);
  });
});

describe("rm", () => {
  test("takes empty directories as rmdir does, and full ones only when recursive", async () => {
    const { work, open } = makeWorkspace();
    const fs = open();
    mkdirSync(join(work, "empty"));
    mkdirSync(join(work, "full/sub"), { recursive: true });
    await fs.rm("/work/empty");
    await failsWith(fs.rm("/work/full"), "ENOTEMPTY");
    await fs.rm("/work/full", { recursive: true });
    expect(await fs.readdir("/work")).toEqual([]);
    await failsWith(fs.rm("/work/none"), "ENOENT");
    await failsWith(fs.rm("/work/none", { recursive: true }), "ENOENT");
    await fs.rm("/work/none/deep", { force: true });
  });
});

const sharedMemory = "/dev/shm";
const hasOtherDevice = (() => {
  try {
    accessSync(sharedMemory);
    return lstatSync(sharedMemory).dev !== lstatSync("/tmp").dev;
  } catch {
    return false;
  }
})();
let onOtherDevice: string | undefined;

afterEach(() => {
  if (onOtherDevice !== undefined) rmSync(onOtherDevice, { recursive: true });
  onOtherDevice = undefined;
});

describe.each(["one mount", "two mounts", ...(hasOtherDevice ? ["two devices"] : [])])(
  "mv within %s",
  (kind) => {
    function makePair() {
      const { root, work, open } = makeWorkspace();
      if (kind === "one mount") return { fs: open(), work, to: "/work/to", host: join(work, "to") };
      if (kind === "two devices") onOtherDevice = mkdtempSync(join(sharedMemory, "workspace-"));
      const host = onOtherDevice ?? join(root, "other");
      mkdirSync(host, { recursive: true });
      const mounts = [
        { path: "/work", backingPath: work, access: "rw", tracked: true },
        { path: "/to", backingPath: host, access: "rw", tracked: true },
      ] as const;
      return { fs: open({ mounts }), work, to: "/to", host };
    }

    test("moves trees with content, links, modes and times", async () => {
      const { fs, work, to, host } = makePair();
      mkdirSync(host, { recursive: true });
      mkdirSync(join(work, "d"));
      writeFileSync(join(work, "d/run"), "#!", { mode: 0o750 });
      utimesSync(join(work, "d/run"), 1000, 2000);
      symlinkSync("run", join(work, "d/l"));
      await fs.mv("/work/d", `${to}/e`);
      expect(await fs.exists("/work/d")).toBe(false);
      expect(readFileSync(join(host, "e/run"), "utf8")).toBe("#!");
      const { mode, mtimeMs } = statSync(join(host, "e/run"));
      expect([mode & 0o777, mtimeMs]).toEqual([0o750, 2_000_000]);
      expect(await fs.readlink(`${to}/e/l`)).toBe("run");
      expect(await fs.readdir(to)).toEqual(["e"]);
    });

    test("replaces what rename(2) replaces and refuses the rest, changing nothing", async () => {
      const { fs, work, to, host } = makePair();
      mkdirSync(host, { recursive: true });
      for (const name of ["d", "d2"]) mkdirSync(join(work, name));
      for (const name of ["empty", "full/x"]) mkdirSync(join(host, name), { recursive: true });
      writeFileSync(join(work, "d/in"), "in");
      writeFileSync(join(work, "f"), "new");
      writeFileSync(join(host, "f"), "old");
      await failsWith(fs.mv("/work/f", `${to}/empty`), "EISDIR");
      await failsWith(fs.mv("/work/d", `${to}/f`), "ENOTDIR");
      await failsWith(fs.mv("/work/d", `${to}/full`), "ENOTEMPTY");
      await failsWith(fs.mv("/work/none", `${to}/x`), "ENOENT");
      await failsWith(fs.mv("/work/f", `${to}/none/x`), "ENOENT");
      expect(readFileSync(join(host, "f"), "utf8")).toBe("old");
      await fs.mv("/work/f", `${to}/f`);
      await fs.mv("/work/d", `${to}/empty`);
      expect(await fs.readFile(`${to}/f`)).toBe("new");
      expect(await fs.readFile(`${to}/empty/in`)).toBe("in");
      expect(await fs.readdir(to)).toEqual(["empty", "f", "full"]);
      expect((await fs.readdir("/work")).filter((name) => name !== "to")).toEqual(["d2"]);
    });

    test("a link is moved as a link", async () => {
      const { fs, work, to, host } = makePair();
      mkdirSync(host, { recursive: true });
      symlinkSync("/nowhere", join(work, "l"));
      writeFileSync(join(host, "x"), "");
      await fs.mv("/work/l", `${to}/x`);
      expect(await fs.readlink(`${to}/x`)).toBe("/nowhere");
    });
  },
);

test("a directory cannot be moved into itself, and a move to itself is nothing", async () => {
  const { work, open } = makeWorkspace();
  const fs = open();
  mkdirSync(join(work, "d/e"), { recursive: true });
  await failsWith(fs.mv("/work/d", "/work/d/e/x"), "EINVAL");
  await fs.mv("/work/d", "/work/./d");
  expect(await fs.readdir("/work/d")).toEqual(["e"]);
});
