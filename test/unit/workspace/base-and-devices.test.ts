import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { failsWith, makeWorkspace } from "./helpers.ts";

test("the usual directories and files are there", async () => {
  const fs = makeWorkspace().open();
  for (const path of [
    "/",
    "/bin",
    "/usr/bin",
    "/dev/fd",
    "/etc",
    "/home/user",
    "/proc/self/fd",
    "/tmp",
    "/var/tmp",
    "/opt",
  ]) {
    expect((await fs.stat(path)).isDirectory, path).toBe(true);
  }
  expect(await fs.readFile("/etc/passwd")).toMatch(/^user:x:1000:1000:/m);
  expect(await fs.readFile("/etc/os-release")).toContain("ID=");
  expect(await fs.readFile("/etc/hostname")).toBe("sandbox\n");
});

test("devices read and write as they do elsewhere", async () => {
  const fs = makeWorkspace().open();
  expect(await fs.readFile("/dev/null")).toBe("");
  await fs.writeFile("/dev/null", "x");
  await fs.appendFile("/dev/null", "x");
  const zeros = await fs.readFileBuffer("/dev/zero");
  expect(zeros.length).toBe(1 << 20);
  expect(zeros.every((byte) => byte === 0)).toBe(true);
  const [a, b] = [await fs.readFileBuffer("/dev/urandom"), await fs.readFileBuffer("/dev/random")];
  expect(a.length).toBe(1 << 20);
  expect(Buffer.compare(a, b)).not.toBe(0);
  await failsWith(fs.writeFile("/dev/full", "x"), "ENOSPC");
  await fs.appendFile("/dev/full", "");
  expect(await fs.readFile("/dev/stdin")).toBe("");
  await failsWith(fs.readFile("/dev/tty"), "ENXIO");
  await failsWith(fs.writeFile("/dev/stdin", "x"), "EACCES");
  expect(await fs.stat("/dev/null")).toMatchObject({ isFile: true, size: 0, mode: 0o666 });
  await fs.utimes("/dev/null", new Date(), new Date());
  await failsWith(fs.rm("/dev/null"), "EROFS");
  await fs.cp("/dev/null", "/work/empty");
  expect((await fs.stat("/work/empty")).size).toBe(0);
  await fs.writeFile("/work/l", "data");
  await fs.symlink("/dev/null", "/work/null");
  await fs.writeFile("/work/null", "gone");
  await fs.cp("/work/l", "/dev/null");
  expect(await fs.readFile("/work/null")).toBe("");
});

test("a device gets every write in order, the empty ones too, and answers reads", async () => {
  const fs = makeWorkspace().open();
  const got: string[] = [];
  const remove = fs.addDevice("/dev/x", {
    read: async () => new TextEncoder().encode("answer"),
    write: async (bytes) => {
      got.push(Buffer.from(bytes).toString("latin1"));
    },
  });
  await fs.appendFile("/dev/x", "", "binary");
  await fs.appendFile("/dev/x", "\xff", "binary");
  await fs.writeFile("/dev/x", new Uint8Array([0x61]));
  expect(got).toEqual(["", "\xff", "a"]);
  expect(await fs.readFile("/dev/x")).toBe("answer");
  expect(await fs.readdir("/dev")).toContain("x");
  remove();
  expect(await fs.exists("/dev/x")).toBe(false);
  expect(await fs.readdir("/dev")).not.toContain("x");
  await failsWith(fs.writeFile("/dev/x", ""), "EROFS");
});

test("a device gets a long text in pieces, whole and in order; one that is no bytes stays text", async () => {
  const fs = makeWorkspace().open();
  const got: Uint8Array[] = [];
  fs.addDevice("/dev/x", { write: (bytes) => void got.push(bytes) });
  const long = `${"a\xff".repeat(1_000_000)}end`;
  await fs.appendFile("/dev/x", long, "binary");
  expect(got.length).toBeGreaterThan(1);
  expect(Buffer.concat(got).equals(Buffer.from(long, "latin1"))).toBe(true);
  got.length = 0;
  await fs.appendFile("/dev/x", `${long}€`, "binary");
  expect(Buffer.concat(got).equals(Buffer.from(`${long}€`))).toBe(true);
});

test("a hidden device is in no listing, nor are the directories made for it; both go with it", async () => {
  const fs = makeWorkspace().open();
  const before = await fs.readdir("/dev");
  const remove = [1, 2].map((id) => fs.addDevice(`/dev/.deep/${id}/out`, { hidden: true }));
  expect(await fs.readdir("/dev")).toEqual(before);
  expect(await fs.readFile("/dev/.deep/1/out")).toBe("");
  remove[0]?.();
  expect([await fs.exists("/dev/.deep/1"), await fs.exists("/dev/.deep/2/out")]).toEqual([false, true]);
  remove[1]?.();
  expect(await fs.exists("/dev/.deep")).toBe(false);
});

test("a device put over a built-in one gives it back when removed", async () => {
  const fs = makeWorkspace().open();
  const remove = fs.addDevice("/dev/stdin", { read: () => new Uint8Array([0x61]) });
  expect(await fs.readFile("/dev/stdin")).toBe("a");
  remove();
  remove();
  expect(await fs.readFile("/dev/stdin")).toBe("");
});

test("a device that fails is an error of the file system with the device's path", async () => {
  const fs = makeWorkspace().open();
  fs.addDevice("/dev/bad", {
    write: () => Promise.reject(Object.assign(new Error("/host/secret"), { code: "EPIPE" })),
    read: () => {
      throw new Error("/host/secret");
    },
  });
  await failsWith(fs.writeFile("/dev/bad", "x"), "EPIPE", "/host");
  await failsWith(fs.readFile("/dev/bad"), "EIO", "/host");
});

test("the engine fills the tree until it is sealed, and replaces neither devices nor files of mounts", async () => {
  const { work, open } = makeWorkspace();
  writeFileSync(join(work, "f"), "mine");
  const fs = open();
  fs.mkdirSync("/opt/tool", { recursive: true });
  fs.writeFileSync("/bin/ls", "#!stub");
  fs.writeFileSync("/proc/self/comm", "bash\n");
  fs.writeFileSync("/proc/self/comm", "sh\n");
  fs.writeFileSync("/dev/zero", "");
  fs.writeFileSync("/work/f", "theirs");
  fs.writeFileSync("/work/g", "theirs");
  fs.mkdirSync("/work/d");
  fs.sealBase();
  expect(await fs.readFile("/proc/self/comm")).toBe("sh\n");
  expect(await fs.stat("/bin/ls")).toMatchObject({ mode: 0o755, size: 6 });
  expect((await fs.readFileBuffer("/dev/zero")).length).toBe(1 << 20);
  expect(await fs.readFile("/work/f")).toBe("mine");
  expect(await fs.readdir("/work")).toEqual(["f"]);
  expect(() => fs.writeFileSync("/bin/new", "")).toThrow(expect.objectContaining({ code: "EROFS" }));
  expect(() => fs.mkdirSync("/new")).toThrow(expect.objectContaining({ code: "EROFS" }));
});

test("paths are joined by text, and no listing of everything is given", () => {
  const fs = makeWorkspace().open();
  expect(fs.resolvePath("/work/a", "../b/./c//d/")).toBe("/work/b/c/d");
  expect(fs.resolvePath("/work", "/x/../../y")).toBe("/y");
  expect(fs.resolvePath("/", "..")).toBe("/");
  expect(fs.getAllPaths()).toEqual([]);
});
