import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openForTest } from "../helpers/open.ts";
import { tempDir } from "../helpers/temp-dir.ts";

describe.each(["subprocess", "just-bash"] as const)("fs of a %s sandbox", (kind) => {
  test("works before the first command, on the same files that scripts see", async () => {
    const { sandbox, directory } = await openForTest({ sandbox: kind });
    await sandbox.fs.mkdir("/w/a/b", { recursive: true });
    await sandbox.fs.writeFile("/w/a/b/f", "é\n");
    await sandbox.fs.appendFile("a/b/f", "more\n");
    expect(readFileSync(join(directory, "a/b/f"), "utf8")).toBe("é\nmore\n");
    expect((await sandbox.exec("cat a/b/f")).stdout).toBe("é\nmore\n");
    expect(await sandbox.fs.readFile("/w/a/b/f")).toBe("é\nmore\n");
    expect(await sandbox.fs.stat("/w/a/b/f")).toMatchObject({ isFile: true, size: 8 });
    expect(await sandbox.fs.readdir("/w/a")).toEqual(["b"]);
    expect(await sandbox.fs.glob("/w/**/f")).toEqual(["/w/a/b/f"]);
    await sandbox.fs.cp("/w/a", "/w/c", { recursive: true });
    await sandbox.fs.mv("/w/c/b/f", "/w/g");
    await sandbox.fs.chmod("/w/g", 0o600);
    await sandbox.fs.symlink("g", "/w/l");
    expect(await sandbox.fs.readlink("/w/l")).toBe("g");
    expect(await sandbox.fs.realpath("/w/l")).toBe("/w/g");
    expect((await sandbox.fs.lstat("/w/l")).isSymbolicLink).toBe(true);
    await sandbox.fs.rm("/w/a", { recursive: true });
    expect(await sandbox.fs.exists("/w/a")).toBe(false);
    expect(await sandbox.fs.exists("/w/g")).toBe(true);
  });

  test("refuses an argument of a wrong type by its name, and touches nothing", async () => {
    const { sandbox, directory } = await openForTest({ sandbox: kind });
    const fs = sandbox.fs as unknown as Record<string, (...values: unknown[]) => Promise<unknown>>;
    for (const [name, values, told] of [
      ["writeFile", ["/w/x", {}], "content must be a string or a Uint8Array, but is of type object"],
      ["appendFile", ["/w/x", [1]], "content must be a string or a Uint8Array, but is an array"],
      ["readFile", [5], "path must be a string, but is 5"],
      ["cp", ["/w/x"], "destination must be a string, but is undefined"],
      ["chmod", ["/w", "644"], "mode must be a whole number"],
      ["mkdir", ["/w/x", true], "options must be an object, but is true"],
      ["glob", ["*", { cwd: 5 }], "options must be an object whose cwd"],
    ] as const) {
      await expect(fs[name]?.(...values)).rejects.toMatchObject({
        code: "FS_ERROR",
        message: expect.stringContaining(`fs.${name}: ${told}`) as string,
        data: { errno: "EINVAL" },
      });
    }
    expect(readdirSync(directory)).toEqual([]);
    await sandbox.fs.writeFile("/w/x", Buffer.from("b"));
    expect(await sandbox.fs.readFile("/w/x")).toBe("b");
  });

  test("says what failed by its POSIX name, without a path of the host", async () => {
    const docs = tempDir();
    writeFileSync(join(docs, "a"), "");
    const { sandbox, directory } = await openForTest({
      sandbox: kind,
      mounts: {
        "/w": { path: tempDir(), readOnlyPrefixes: ["/w/fixed"] },
        "/docs": { path: docs, access: "ro" },
      },
    });
    await sandbox.exec("mkdir -p dir");
    const failure = async (work: Promise<unknown>): Promise<unknown> =>
      work.then(
        () => null,
        (error: { code: string; data: unknown; message: string }) => {
          expect(error.code).toBe("FS_ERROR");
          expect(error.message).not.toContain(directory);
          expect(error.message).not.toContain(docs);
          return error.data;
        },
      );
    expect(await failure(sandbox.fs.readFile("/w/none"))).toEqual({ errno: "ENOENT", path: "/w/none" });
    expect(await failure(sandbox.fs.readFile("/w/dir"))).toMatchObject({ errno: "EISDIR" });
    expect(await failure(sandbox.fs.writeFile("/docs/b", ""))).toMatchObject({ errno: "EROFS" });
    expect(await failure(sandbox.fs.rm("/docs/a"))).toMatchObject({ errno: "EROFS" });
    expect(await failure(sandbox.fs.mkdir("/w/fixed/x", { recursive: true }))).toMatchObject({
      errno: "EROFS",
    });
    expect(await failure(sandbox.fs.writeFile("/elsewhere", ""))).toMatchObject({ errno: "EROFS" });
    expect(await failure(sandbox.fs.mkdir("/w/dir"))).toMatchObject({ errno: "EEXIST" });
  });

  test("follows no link out of the mounts", async () => {
    const outside = tempDir();
    writeFileSync(join(outside, "secret"), "canary");
    const { sandbox, directory } = await openForTest({ sandbox: kind });
    symlinkSync(join(outside, "secret"), join(directory, "planted"));
    mkdirSync(join(directory, "dir"));
    await sandbox.exec(
      `ln -s ${outside}/secret made; ln -s ${outside} dir/up; ln -s ../../../../../../.. dir/root`,
    );
    for (const path of ["planted", "made", "dir/up/secret", `dir/root${outside}/secret`]) {
      await expect(sandbox.fs.readFile(path)).rejects.toMatchObject({ code: "FS_ERROR" });
      const { stdout, exitCode } = await sandbox.exec('cat "$1"', { args: [path] });
      expect([stdout, exitCode]).toEqual(["", 1]);
    }
    await sandbox.exec("echo overwritten > planted; echo overwritten > dir/up/secret");
    expect(readFileSync(join(outside, "secret"), "utf8")).toBe("canary");
  });

  test("a prefix that becomes read-only is so for the next call and the next command", async () => {
    let fixed: string[] = [];
    const { sandbox } = await openForTest({ sandbox: kind, getReadOnlyPrefixes: () => fixed });
    await sandbox.fs.mkdir("/w/p");
    await sandbox.fs.writeFile("/w/p/a", "1");
    fixed = ["/w/p"];
    await expect(sandbox.fs.writeFile("/w/p/a", "2")).rejects.toMatchObject({ data: { errno: "EROFS" } });
    expect(await sandbox.exec("echo 2 > p/a; echo status $?; cat p/a; echo")).toMatchObject({
      stdout: "status 1\n1\n",
      stderr: "bash: /w/p/a: Read-only file system\n",
    });
    fixed = [];
    expect(await sandbox.exec("echo 3 > p/a; cat p/a")).toMatchObject({ stdout: "3\n", stderr: "" });
  });
});
