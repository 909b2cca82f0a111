import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fsErrorMessage } from "../../../src/workspace/fs-error.ts";
import { MountFs } from "../../../src/workspace/mount-fs.ts";
import { TouchLog } from "../../../src/workspace/touch-log.ts";
import { failsWith, makeDirectory, makeWorkspace } from "./helpers.ts";

describe("content", () => {
  test("bytes come back as they were written, in every encoding", async () => {
    const fs = makeWorkspace().open();
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    await fs.writeFile("/work/b", bytes);
    expect(await fs.readFileBuffer("/work/b")).toEqual(Buffer.from(bytes));
    const latin1 = await fs.readFileBytes("/work/b");
    expect([...latin1].map((character) => character.charCodeAt(0))).toEqual([...bytes]);
    for (const encoding of ["binary", "latin1", "base64", "hex"] as const) {
      await fs.writeFile("/work/c", await fs.readFile("/work/b", encoding), { encoding });
      expect(await fs.readFileBuffer("/work/c")).toEqual(Buffer.from(bytes));
    }
  });

  test("text that the engine calls binary is kept when a character needs more than a byte", async () => {
    const fs = makeWorkspace().open();
    await fs.writeFile("/work/t", "é€", "binary");
    expect(await fs.readFile("/work/t")).toBe("é€");
    await fs.writeFile("/work/t", "é", "binary");
    expect(await fs.readFileBuffer("/work/t")).toEqual(Buffer.from([0xe9]));
  });

  test("a byte order mark and bytes that are not UTF-8 come through a text read and a text write", async () => {
    const { work, open } = makeWorkspace();
    writeFileSync(join(work, "t"), Buffer.from([0xef, 0xbb, 0xbf, 0x61, 0xff]));
    const fs = open();
    const text = await fs.readFile("/work/t");
    expect(text).toBe("\ufeffa\udcff");
    await fs.writeFile("/work/t", `${text}\u{1f600}`);
    expect(await fs.readFileBuffer("/work/t")).toEqual(Buffer.from("efbbbf61fff09f9880", "hex"));
  });

  test("a file of more than 10 MB is read and written whole", async () => {
    const { work, open } = makeWorkspace();
    const fs = open();
    const big = Buffer.alloc(11 << 20, "0123456789abcde\n");
    await fs.writeFile("/work/big", big);
    await fs.appendFile("/work/big", "end");
    expect(statSync(join(work, "big")).size).toBe(big.length + 3);
    expect((await fs.readFile("/work/big")).endsWith("\nend")).toBe(true);
  });

  test("a file that no text can hold says so, and is not read", async () => {
    const { work, open } = makeWorkspace();
    writeFileSync(join(work, "huge"), "");
    truncateSync(join(work, "huge"), 600 << 20);
    await failsWith(open().readFile("/work/huge"), "EFBIG");
    await failsWith(open().readFileBytes("/work/huge"), "EFBIG");
  });

  test("a file that must be new gets its mode with its name, and never the place of another or of a link", async () => {
    const { work, open } = makeWorkspace();
    const fs = open();
    await fs.writeFile("/work/n", "a", "utf8", { newWithMode: 0o600 });
    expect(statSync(join(work, "n")).mode & 0o777).toBe(0o600);
    await failsWith(fs.writeFile("/work/n", "b", "utf8", { newWithMode: 0o600 }), "EEXIST");
    expect(readFileSync(join(work, "n"), "utf8")).toBe("a");
    symlinkSync("nowhere", join(work, "l"));
    await failsWith(fs.writeFile("/work/l", "b", "utf8", { newWithMode: 0o600 }), "EEXIST");
    expect(existsSync(join(work, "nowhere"))).toBe(false);
  });

  test("appending adds to what another writer has added meanwhile", async () => {
    const { work, open } = makeWorkspace();
    const fs = open();
    await fs.appendFile("/work/log", "a");
    appendFileSync(join(work, "log"), "b");
    await fs.appendFile("/work/log", "c");
    expect(readFileSync(join(work, "log"), "utf8")).toBe("abc");
  });

  test("a rewrite keeps the mode; new files and directories follow the umask", async () => {
    const { work, open } = makeWorkspace();
    const fs = open();
    await fs.writeFile("/work/s.sh", "1");
    await fs.chmod("/work/s.sh", 0o750);
    await fs.writeFile("/work/s.sh", "2");
    await fs.mkdir("/work/d");
    expect(statSync(join(work, "s.sh")).mode & 0o7777).toBe(0o750);
    const mask = process.umask();
    await fs.writeFile("/work/new", "");
    expect(statSync(join(work, "new")).mode & 0o777).toBe(0o666 & ~mask);
    expect(statSync(join(work, "d")).mode & 0o777).toBe(0o777 & ~mask);
  });

  test("set-user-id and set-group-id never reach the host", async () => {
    const { work, open } = makeWorkspace();
    const fs = open();
    await fs.writeFile("/work/s", "");
    await fs.chmod("/work/s", 0o6755);
    expect(statSync(join(work, "s")).mode & 0o7777).toBe(0o755);
  });

  test("writing stops at the limit with EDQUOT and leaves the file as it was", async () => {
    const { work, open } = makeWorkspace({ maxWriteBytes: 4096 + 10 });
    const fs = open();
    await fs.writeFile("/work/a", "123456");
    await failsWith(fs.writeFile("/work/a", "12345"), "EDQUOT");
    expect(readFileSync(join(work, "a"), "utf8")).toBe("123456");
    await failsWith(fs.cp("/work/a", "/work/b"), "EDQUOT");
    await fs.appendFile("/work/a", "7890");
    await failsWith(fs.appendFile("/work/a", "1"), "EDQUOT");
    fs.forgetWrittenBytes();
    await fs.appendFile("/work/a", "1");
    expect(readFileSync(join(work, "a"), "utf8")).toBe("12345678901");
  });

  test("entries without content count too, so that a loop of them ends", async () => {
    const fs = makeWorkspace({ maxWriteBytes: 4 * 4096 }).open();
    await fs.writeFile("/work/file", "");
    await fs.mkdir("/work/dir");
    await fs.symlink("file", "/work/link");
    await fs.link("/work/file", "/work/name");
    await failsWith(fs.writeFile("/work/more", ""), "EDQUOT");
    await failsWith(fs.mkdir("/work/more/deep", { recursive: true }), "EDQUOT");
    await failsWith(fs.symlink("file", "/work/more"), "EDQUOT");
    await failsWith(fs.link("/work/file", "/work/more"), "EDQUOT");
    await failsWith(fs.cp("/work/file", "/work/more"), "EDQUOT");
    await failsWith(fs.cp("/work/dir", "/work/more", { recursive: true }), "EDQUOT");
    expect(await fs.exists("/work/more")).toBe(false);
  });
});

describe("hard links", () => {
  test("a name made here shares content, mode and times with the first", async () => {
    const fs = makeWorkspace().open();
    await fs.writeFile("/work/a", "1");
    await fs.link("/work/a", "/work/b");
    await fs.appendFile("/work/b", "2");
    await fs.chmod("/work/b", 0o600);
    await fs.writeFile("/work/a", "3");
    expect(await fs.readFile("/work/b")).toBe("3");
    expect((await fs.stat("/work/a")).ino).toBe((await fs.stat("/work/b")).ino);
    expect((await fs.stat("/work/a")).mode).toBe(0o600);
  });

  test.each<[string, (fs: MountFs) => Promise<void>]>([
    ["write", (fs) => fs.writeFile("/work/h", "x")],
    ["append", (fs) => fs.appendFile("/work/h", "x")],
    ["copy over it", (fs) => fs.cp("/work/other", "/work/h")],
    ["chmod", (fs) => fs.chmod("/work/h", 0o777)],
    ["utimes", (fs) => fs.utimes("/work/h", new Date(0), new Date(0))],
  ])("%s leaves another name outside the mount as it was", async (_name, change) => {
    const { work, outside, open } = makeWorkspace();
    const secret = join(outside, "hl");
    writeFileSync(secret, "outside\n", { mode: 0o640 });
    utimesSync(secret, 1000, 1000);
    linkSync(secret, join(work, "h"));
    writeFileSync(join(work, "other"), "other");
    await change(open());
    const { mode, mtimeMs } = statSync(secret);
    expect([readFileSync(secret, "utf8"), mode & 0o777, mtimeMs]).toEqual(["outside\n", 0o640, 1_000_000]);
  });

  test("an append to a file with a name outside keeps what was in it", async () => {
    const { work, outside, open } = makeWorkspace();
    writeFileSync(join(outside, "hl"), "outside\n", { mode: 0o640 });
    linkSync(join(outside, "hl"), join(work, "h"));
    await open().appendFile("/work/h", "more\n");
    expect(readFileSync(join(work, "h"), "utf8")).toBe("outside\nmore\n");
    expect(statSync(join(work, "h")).mode & 0o777).toBe(0o640);
  });

  test("between mounts there is none", async () => {
    const { root, work, open } = makeWorkspace();
    mkdirSync(join(root, "other"));
    const mounts = [
      { path: "/work", backingPath: work, access: "rw", tracked: true },
      { path: "/other", backingPath: join(root, "other"), access: "rw", tracked: true },
    ] as const;
    const fs = open({ mounts });
    await fs.writeFile("/work/a", "1");
    await failsWith(fs.link("/work/a", "/other/a"), "EXDEV");
    await failsWith(fs.link("/work", "/work/w"), "EPERM");
  });
});

describe("what is there", () => {
  test("stat tells kind, size, time and permission bits; lstat tells the link itself", async () => {
    const { work, open } = makeWorkspace();
    const fs = open();
    writeFileSync(join(work, "f"), "12345", { mode: 0o644 });
    utimesSync(join(work, "f"), 1, 2);
    symlinkSync("f", join(work, "l"));
    expect(await fs.stat("/work/l")).toMatchObject({
      isFile: true,
      isDirectory: false,
      isSymbolicLink: false,
      mode: 0o644,
      size: 5,
      mtime: new Date(2000),
    });
    expect(await fs.lstat("/work/l")).toMatchObject({ isFile: false, isSymbolicLink: true });
    expect(await fs.stat("/work")).toMatchObject({ isDirectory: true });
    expect([await fs.exists("/work/l"), await fs.exists("/work/none"), await fs.exists("/work/f/x")]).toEqual(
      [true, false, false],
    );
  });

  test("listings are sorted and show mount points among the real entries", async () => {
    const { root, work, open } = makeWorkspace();
    for (const name of ["deep", "z", "a"]) mkdirSync(join(root, name));
    writeFileSync(join(work, "b"), "");
    mkdirSync(join(work, "sub"));
    writeFileSync(join(work, "sub/real"), "");
    writeFileSync(join(work, "covered"), "a file where a mount lies");
    const at = (path: string, name: string) =>
      ({ path, backingPath: join(root, name), access: "rw", tracked: true }) as const;
    const fs = open({
      mounts: [
        { path: "/work", backingPath: work, access: "rw", tracked: true },
        at("/work/sub/deep/mount", "deep"),
        at("/work/covered", "z"),
        at("/data/in", "a"),
      ],
    });
    expect(await fs.readdir("/work")).toEqual(["b", "covered", "sub"]);
    expect(await fs.readdir("/work/sub")).toEqual(["deep", "real"]);
    expect(await fs.readdir("/work/sub/deep")).toEqual(["mount"]);
    expect(await fs.readdir("/data")).toEqual(["in"]);
    expect(await fs.readdir("/")).toEqual(
      expect.arrayContaining(["bin", "data", "dev", "home", "tmp", "work"]),
    );
    expect(await fs.readdirWithFileTypes("/work")).toEqual([
      { name: "b", isFile: true, isDirectory: false, isSymbolicLink: false },
      { name: "covered", isFile: false, isDirectory: true, isSymbolicLink: false },
      { name: "sub", isFile: false, isDirectory: true, isSymbolicLink: false },
    ]);
    expect(await fs.stat("/work/covered")).toMatchObject({ isDirectory: true });
    await failsWith(fs.writeFile("/work/sub/deep/x", ""), "EROFS");
    await failsWith(fs.writeFile("/data/x", ""), "EROFS");
    await fs.writeFile("/work/sub/deep/mount/x", "1");
    expect(readFileSync(join(root, "deep/x"), "utf8")).toBe("1");
    const [outer, inner] = [await fs.stat("/work/sub/deep"), await fs.stat("/data")];
    expect(outer.ino).not.toBe(inner.ino);
  });

  test("any UTF-8 name survives, and two forms of one letter are two names", async () => {
    const { open } = makeWorkspace();
    const fs = open();
    const names = [
      "-n",
      " sp ace ",
      "line\nfeed",
      "e\u0301",
      "\u00e9",
      "日本",
      "\u{1f600}",
      "'\"$`\\",
    ].sort();
    for (const name of names) await fs.writeFile(`/work/${name}`, name);
    expect(await fs.readdir("/work")).toEqual(names);
    for (const name of names) expect(await fs.readFile(`/work/${name}`)).toBe(name);
  });

  test.runIf(process.platform === "linux")(
    "a name that is not UTF-8 is listed, read, moved and removed",
    async () => {
      const { work, open } = makeWorkspace();
      const fs = open();
      writeFileSync(Buffer.concat([Buffer.from(`${work}/bad`), Buffer.from([0xff, 0xe9])]), "data");
      const [name = ""] = await fs.readdir("/work");
      expect(name).toBe("bad\udcff\udce9");
      expect(await fs.readFile(`/work/${name}`)).toBe("data");
      await fs.mv(`/work/${name}`, "/work/good");
      expect(await fs.readdir("/work")).toEqual(["good"]);
      await failsWith(fs.readFile("/work/bad\ufffd\ufffd"), "ENOENT");
    },
  );

  test("a second spelling of a UTF-8 name in stray bytes is refused", async () => {
    const fs = makeWorkspace({}, { readOnlyPrefixes: ["/work/é"] }).open();
    await failsWith(fs.writeFile("/work/\udcc3\udca9", "x"), "EILSEQ");
  });

  test("odd paths fail with the kernel's code and nothing of the host in the message", async () => {
    const { root, open } = makeWorkspace();
    const fs = open();
    await failsWith(fs.readFile("/work/a\0b"), "ENOENT", root);
    await failsWith(fs.writeFile(`/work/${"x".repeat(300)}`, ""), "ENAMETOOLONG", root);
    await failsWith(fs.readFile("/work/none/x"), "ENOENT", root);
    await failsWith(fs.readFile(""), "ENOENT", root);
    await failsWith(fs.readFile("/work"), "EISDIR", root);
    await failsWith(fs.writeFile("/work", ""), "EISDIR", root);
    await failsWith(fs.readdir("/work/none"), "ENOENT", root);
    await fs.writeFile("/work/f", "");
    await failsWith(fs.readdir("/work/f"), "ENOTDIR", root);
    await failsWith(fs.readFile("/work/f/x"), "ENOTDIR", root);
    await failsWith(fs.readFile("/work/f/"), "ENOTDIR", root);
    await failsWith(fs.writeFile("/work/new/", ""), "EISDIR", root);
    await failsWith(fs.readlink("/work/f"), "EINVAL", root);
    expect(await fs.exists("/work/new")).toBe(false);
  });

  test("an error has Node's code and words with the sandbox's path", async () => {
    const fs = makeWorkspace().open();
    const error = await fs.readFile("/work/none").catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({
      name: "FsError",
      code: "ENOENT",
      path: "/work/none",
      message: "ENOENT: no such file or directory, open '/work/none'",
    });
  });

  test("errors are made by the factory that was given", async () => {
    const { open } = makeWorkspace();
    const fs = open({ createError: (info) => new RangeError(fsErrorMessage(info)) });
    await expect(fs.writeFile("/docs/a", "")).rejects.toThrow(
      new RangeError("EROFS: read-only file system, open '/docs/a'"),
    );
  });
});

describe("special files", () => {
  test.runIf(process.platform !== "win32")("a FIFO is refused by every door and blocks none", async () => {
    const { root, work, open } = makeWorkspace();
    const fs = open();
    execFileSync("mkfifo", [join(work, "p")]);
    await failsWith(fs.readFile("/work/p"), "EOPNOTSUPP", root);
    await failsWith(fs.writeFile("/work/p", "x"), "EOPNOTSUPP", root);
    await failsWith(fs.appendFile("/work/p", "x"), "EOPNOTSUPP", root);
    await failsWith(fs.cp("/work/p", "/work/q"), "EOPNOTSUPP", root);
    mkdirSync(join(work, "d"));
    writeFileSync(join(work, "d/a"), "");
    execFileSync("mkfifo", [join(work, "d/p")]);
    const error = await fs.cp("/work/d", "/work/e", { recursive: true }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "EOPNOTSUPP", path: "/work/d/p" });
    expect(await fs.exists("/work/e")).toBe(false);
    expect(await fs.stat("/work/p")).toMatchObject({ isFile: false, isDirectory: false });
    await fs.mv("/work/p", "/work/r");
    await fs.rm("/work/r");
    expect(await fs.readdir("/work")).toEqual(["d"]);
  });
});

describe("a directory that goes away on the host", () => {
  test("gives errors while it is gone and works when it is back", async () => {
    const { root, work, open } = makeWorkspace();
    const fs = open();
    rmSync(work, { recursive: true });
    await failsWith(fs.readdir("/work"), "ENOENT", root);
    await failsWith(fs.writeFile("/work/f", "x"), "ENOENT", root);
    expect(await fs.exists("/work")).toBe(false);
    expect(await fs.readdir("/")).toContain("work");
    expect((await fs.readdirWithFileTypes("/")).find(({ name }) => name === "work")?.isDirectory).toBe(true);
    mkdirSync(work);
    await fs.writeFile("/work/f", "x");
    expect(await fs.readFile("/work/f")).toBe("x");
  });

  test("replaced by a link it leads nowhere", async () => {
    const { work, outside, open } = makeWorkspace();
    const fs = open();
    rmSync(work, { recursive: true });
    writeFileSync(join(outside, "s"), "secret");
    symlinkSync(outside, work);
    await failsWith(fs.readFile("/work/s"), "ENOENT");
  });

  test("a backing path that is missing or no directory is an error at once that names the mount", () => {
    const root = makeDirectory();
    writeFileSync(join(root, "f"), "");
    const at = (backingPath: string) => ({ path: "/w", backingPath, access: "rw", tracked: true }) as const;
    expect(() => new MountFs({ mounts: [at(join(root, "none"))] })).toThrow(/"\/w" does not exist/);
    expect(() => new MountFs({ mounts: [at(join(root, "f"))] })).toThrow(/"\/w" is not a directory/);
  });

  test("a backing path that is a link is resolved once", async () => {
    const { root, work, open } = makeWorkspace();
    symlinkSync(work, join(root, "alias"));
    const fs = open({
      mounts: [{ path: "/w", backingPath: join(root, "alias"), access: "rw", tracked: true }],
    });
    await fs.writeFile("/w/f", "1");
    expect(readFileSync(join(work, "f"), "utf8")).toBe("1");
    symlinkSync(join(root, "alias", "f"), join(work, "l"));
    expect(await fs.readFile("/w/l")).toBe("1");
    expect(await fs.readlink("/w/l")).toBe("/w/f");
  });
});

test("a call says what it is about to change, before it does, by canonical names", async () => {
  const touched: string[] = [];
  const { work, open } = makeWorkspace();
  const log = new TouchLog(["/work"]);
  const fs = open().view(log);
  log.direct(async (paths) => {
    touched.push(...paths);
  });
  mkdirSync(join(work, "d"));
  symlinkSync("d", join(work, "l"));
  const seen = async (call: Promise<void>) => {
    await call;
    log.forget();
    return touched.splice(0);
  };
  expect(await seen(fs.writeFile("/work/l/../l/f", "1"))).toEqual(["/work/d/f"]);
  expect(await seen(fs.mv("/work/d/f", "/work/g"))).toEqual(["/work/d/f", "/work/g"]);
  expect(await seen(fs.cp("/work/d", "/work/e", { recursive: true }))).toEqual(["/work/e"]);
  expect(await seen(fs.mkdir("/work/x/y", { recursive: true }))).toEqual(["/work/x"]);
  expect(await seen(fs.rm("/work/x", { recursive: true }))).toEqual(["/work/x"]);
  expect(await seen(fs.symlink("g", "/work/s"))).toEqual(["/work/s"]);
  expect(await seen(fs.link("/work/g", "/work/h"))).toEqual(["/work/g", "/work/h"]);
  expect(await seen(fs.chmod("/work/s", 0o600))).toEqual(["/work/g"]);
  expect(await seen(fs.utimes("/work/g", new Date(), new Date()))).toEqual(["/work/g"]);
  expect(await seen(fs.chmod("/work/d", 0o700))).toEqual([]);
  expect(await seen(fs.rm("/work/none", { force: true }))).toEqual([]);
  mkdirSync(join(work, "e/sub"));
  expect(await seen(fs.cp("/work/e", "/work/d", { recursive: true }))).toEqual(["/work/d/sub"]);
  expect(lstatSync(join(work, "s")).isSymbolicLink()).toBe(true);
});

test("what is told stands for all below it, until it is forgotten", async () => {
  const touched: string[] = [];
  const { work, open } = makeWorkspace();
  const log = new TouchLog(["/work"]);
  const fs = open().view(log);
  log.direct(async (paths) => {
    // Nothing has happened yet when a path is told.
    for (const path of paths) expect(existsSync(join(work, path.slice("/work/".length)))).toBe(false);
    touched.push(...paths);
  });
  await fs.mkdir("/work/d");
  await fs.writeFile("/work/d/a", "1");
  await fs.appendFile("/work/d/a", "2");
  expect(touched).toEqual(["/work/d"]);
  log.forget();
  await fs.writeFile("/work/d/b", "1");
  expect(touched).toEqual(["/work/d", "/work/d/b"]);
});

test("a change that could not be told is not made", async () => {
  const { work, open } = makeWorkspace();
  const log = new TouchLog(["/work"]);
  log.direct(() => Promise.reject(new Error("nobody there")));
  await expect(open().view(log).writeFile("/work/f", "1")).rejects.toMatchObject({ code: "EIO" });
  expect(existsSync(join(work, "f"))).toBe(false);
});
