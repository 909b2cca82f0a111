import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isSandboxError } from "../../../src/shared/errors.ts";
import { hostFiles } from "../../../src/workspace/host-files.ts";
import { compileNamePattern, matchesName } from "../../../src/workspace/name-pattern.ts";
import { makeWorkspace } from "./helpers.ts";

describe("host files", () => {
  test("every method works on paths relative to the cwd", async () => {
    const { open } = makeWorkspace();
    const files = hostFiles(open(), "/work/d");
    await files.mkdir("/work/d/e", { recursive: true });
    await files.writeFile("f", "é");
    await files.appendFile("f", new Uint8Array([0x21]));
    expect(await files.readFile("f")).toBe("é!");
    expect(Buffer.from(await files.readFileBuffer("./f")).length).toBe(3);
    expect(Object.keys(await files.stat("f")).sort()).toEqual(
      ["isDirectory", "isFile", "isSymbolicLink", "mode", "mtime", "size"].sort(),
    );
    await files.symlink("f", "l");
    expect((await files.lstat("l")).isSymbolicLink).toBe(true);
    expect(await files.readlink("l")).toBe("f");
    expect(await files.realpath("l")).toBe("/work/d/f");
    await files.chmod("f", 0o600);
    expect((await files.stat("f")).mode).toBe(0o600);
    await files.cp("f", "../g");
    await files.mv("../g", "h");
    expect(await files.readdir(".")).toEqual(["e", "f", "h", "l"]);
    expect(
      (await files.readdirWithFileTypes(".")).filter((entry) => entry.isFile).map(({ name }) => name),
    ).toEqual(["f", "h"]);
    await files.rm("e", { recursive: true });
    expect(await files.exists("e")).toBe(false);
  });

  test("a failure is a SandboxError FS_ERROR with errno and path", async () => {
    const files = hostFiles(makeWorkspace().open(), "/work");
    for (const [call, errno, path] of [
      [files.readFile("none"), "ENOENT", "/work/none"],
      [files.writeFile("/docs/x", ""), "EROFS", "/docs/x"],
      [files.readdir("/etc/passwd"), "ENOTDIR", "/etc/passwd"],
    ] as const) {
      const error: unknown = await call.catch((reason: unknown) => reason);
      expect(isSandboxError(error)).toBe(true);
      expect(error).toMatchObject({ code: "FS_ERROR", data: { errno, path } });
    }
    const notText: unknown = 7;
    await expect(files.readFile(notText as string)).rejects.toMatchObject({
      code: "FS_ERROR",
      data: { errno: "EINVAL" },
    });
  });
});

describe("glob", () => {
  function makeFiles() {
    const { work, open } = makeWorkspace();
    for (const name of ["src/lib/deep", "src/.hidden", "docs"])
      mkdirSync(join(work, name), { recursive: true });
    for (const name of [
      "a.ts",
      "b.js",
      ".dot.ts",
      "src/c.ts",
      "src/lib/d.ts",
      "src/lib/deep/e.ts",
      "src/.hidden/f.ts",
      "docs/x[1].md",
    ]) {
      writeFileSync(join(work, name), "");
    }
    symlinkSync("lib", join(work, "src/link"));
    return hostFiles(open(), "/work");
  }

  test.each<[string, string[]]>([
    ["*.ts", ["a.ts"]],
    [".*.ts", [".dot.ts"]],
    ["[ab].*", ["a.ts", "b.js"]],
    ["[!a].*", ["b.js"]],
    ["?.ts", ["a.ts"]],
    ["src/*/d.ts", ["src/lib/d.ts", "src/link/d.ts"]],
    ["**/*.ts", ["a.ts", "src/c.ts", "src/lib/d.ts", "src/lib/deep/e.ts"]],
    ["src/**/e.ts", ["src/lib/deep/e.ts"]],
    ["src/lib/**", ["src/lib", "src/lib/d.ts", "src/lib/deep", "src/lib/deep/e.ts"]],
    ["/work/*.js", ["/work/b.js"]],
    ["docs/x\\[1\\].md", ["docs/x[1].md"]],
    ["a.ts", ["a.ts"]],
    ["none", []],
    ["none/*", []],
    ["a.ts/*", []],
    ["../docs/*", []],
    ["/etc/host*", ["/etc/hostname", "/etc/hosts"]],
  ])("%s gives %j", async (pattern, expected) => {
    expect(await makeFiles().glob(pattern)).toEqual(expected);
  });

  test("a cwd of its own is relative to the sandbox's", async () => {
    expect(await makeFiles().glob("*.ts", { cwd: "src" })).toEqual(["c.ts"]);
  });

  test("stars multiply no work: a name that almost matches is refused at once", () => {
    const pattern = compileNamePattern(`${"*a".repeat(50)}b`);
    expect(matchesName(pattern, "a".repeat(255))).toBe(false);
    expect(matchesName(pattern, `${"a".repeat(254)}b`)).toBe(true);
  });
});
