import { createHash } from "node:crypto";
import { chmod, mkdir, readFile, rm, symlink, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { ExecResult, HarnessSandbox } from "../../../src/shared/sandbox.ts";
import { exited, runtimeOver, signalOf } from "./helpers.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const paths = (result: ExecResult | undefined) =>
  result?.changes.map(({ change, path: at }) => `${change} ${at}`);

/** Runs what the map says on the host's directory, as a script would. */
async function writing(steps: Record<string, (root: string) => Promise<unknown>>) {
  const holder: { root: string } = { root: "" };
  const runtime = await runtimeOver(async ({ command }) => {
    await steps[command]?.(holder.root);
    return exited();
  });
  holder.root = runtime.root;
  return runtime;
}

describe("what a command changed", () => {
  test("is in the result and in events after its end, sorted, with size and digest", async () => {
    const { sandbox, events, types } = await writing({
      make: async (root) => {
        await mkdir(path.join(root, "d"));
        await writeFile(path.join(root, "d/b"), "bb");
        await symlink("d/b", path.join(root, "a"));
      },
    });
    const { changes } = await sandbox.exec("make");
    expect(changes).toEqual([
      { change: "created", path: "/session/a", kind: "symlink" },
      { change: "created", path: "/session/d", kind: "directory" },
      { change: "created", path: "/session/d/b", kind: "file", size: 2, sha256: sha256("bb") },
    ]);
    expect(types()).toEqual([
      "runtime.command.started",
      "runtime.command.completed",
      "file.created",
      "file.created",
      "file.created",
    ]);
    const commandId = events[0]?.occurrenceId;
    expect(events[1]).toMatchObject({ changes: 3 });
    expect(events[4]).toMatchObject({
      path: "/session/d/b",
      size: 2,
      sha256: sha256("bb"),
      source: "command",
      commandId,
      occurrenceId: commandId,
    });
  });

  test("is exact: same size and time are found, an equal rewrite and a mode are no change", async () => {
    const { sandbox, root } = await writing({
      sneaky: async (dir) => {
        await writeFile(path.join(dir, "same-size"), "new");
        await utimes(path.join(dir, "same-size"), 1000, 1000);
        await writeFile(path.join(dir, "equal"), "equal");
        await chmod(path.join(dir, "mode"), 0o600);
        await rm(path.join(dir, "gone"));
      },
    });
    for (const name of ["same-size", "equal", "mode", "gone"])
      await writeFile(path.join(root, name), name.slice(0, 5));
    await writeFile(path.join(root, "same-size"), "old");
    await utimes(path.join(root, "same-size"), 1000, 1000);
    expect(paths(await sandbox.exec("sneaky"))).toEqual([
      "deleted /session/gone",
      "modified /session/same-size",
    ]);
  });

  test("does not hold what somebody else did between commands", async () => {
    const { sandbox, root } = await writing({
      one: (dir) => writeFile(path.join(dir, "one"), "1"),
      two: async () => undefined,
    });
    expect(paths(await sandbox.exec("one"))).toEqual(["created /session/one"]);
    await writeFile(path.join(root, "one"), "by the host");
    await writeFile(path.join(root, "other"), "by the host");
    expect(paths(await sandbox.exec("two"))).toEqual([]);
  });

  test("does not hold what lies below untracked mounts", async () => {
    const { sandbox } = await writing({ x: (root) => writeFile(path.join(root, "../plain/x"), "") });
    expect(paths(await sandbox.exec("x"))).toEqual([]);
  });

  test("is known too when the executor failed", async () => {
    const holder = { root: "" };
    const runtime = await runtimeOver(async () => {
      await writeFile(path.join(holder.root, "half"), "");
      throw new Error("boom");
    });
    holder.root = runtime.root;
    expect(paths(await runtime.sandbox.exec("x"))).toEqual(["created /session/half"]);
    expect(runtime.types()).toEqual(["runtime.command.started", "runtime.command.failed", "file.created"]);
  });
});

describe("nested commands", () => {
  async function nested(
    inner: (root: string) => Promise<unknown>,
    before: (root: string) => Promise<unknown>,
    after: (root: string) => Promise<unknown>,
  ) {
    const holder: { root: string; sandbox?: HarnessSandbox; inner?: ExecResult } = { root: "" };
    const tools = {
      again: {
        execute: async () => {
          const result = await holder.sandbox?.exec("inner");
          if (result) holder.inner = result;
        },
      },
    };
    const runtime = await runtimeOver(
      {
        outer: async (input) => {
          await before(holder.root);
          await input.invokeTool?.("again", "");
          await after(holder.root);
          return exited();
        },
        inner: async () => {
          await inner(holder.root);
          return exited();
        },
      },
      { tools },
    );
    holder.root = runtime.root;
    holder.sandbox = runtime.sandbox;
    const outer = await runtime.sandbox.exec("outer");
    return { outer: paths(outer), inner: paths(holder.inner) };
  }

  test("report their own changes, and the outer command does not report them again", async () => {
    const write = (name: string) => (root: string) => writeFile(path.join(root, name), name);
    expect(await nested(write("inner"), write("before"), write("after"))).toEqual({
      inner: ["created /session/inner"],
      outer: ["created /session/after", "created /session/before"],
    });
  });

  test("a file that both change is reported by both, each with its own part", async () => {
    const write = (text: string) => (root: string) => writeFile(path.join(root, "f"), text);
    expect(await nested(write("2"), write("1"), write("3"))).toEqual({
      inner: ["modified /session/f"],
      outer: ["created /session/f"],
    });
  });

  test("a file that the outer command makes and takes away again is no change", async () => {
    const file = (root: string) => path.join(root, "f");
    const idle = async () => undefined;
    expect(
      await nested(
        idle,
        (root) => writeFile(file(root), ""),
        (root) => rm(file(root)),
      ),
    ).toEqual({
      inner: [],
      outer: [],
    });
  });
});

describe("sandbox.fs", () => {
  test("tells each change with source fs, and no command is blamed for it", async () => {
    const { sandbox, events, root } = await writing({ idle: async () => undefined });
    await sandbox.exec("idle");
    events.length = 0;
    await sandbox.fs.writeFile("a", "1");
    await sandbox.fs.appendFile("/session/a", "2");
    await sandbox.fs.mkdir("/session/x/y", { recursive: true });
    await sandbox.fs.cp("/session/a", "/session/x/y/b");
    await sandbox.fs.mv("/session/a", "/session/c");
    await sandbox.fs.symlink("c", "/session/l");
    await sandbox.fs.writeFile("/session/l", "through the link");
    await sandbox.fs.rm("/session/x", { recursive: true });
    await sandbox.fs.writeFile("/session/c", "through the link");
    expect(
      events.map((event) => ("path" in event ? `${event.type.slice(13)} ${event.path}` : event.type)),
    ).toEqual([
      "created /session/a",
      "modified /session/a",
      "created /session/x",
      "created /session/x/y",
      "created /session/x/y/b",
      "deleted /session/a",
      "created /session/c",
      "created /session/l",
      "modified /session/c",
      "deleted /session/x",
      "deleted /session/x/y",
      "deleted /session/x/y/b",
    ]);
    expect(
      events.every((event) => "source" in event && event.source === "fs" && !("commandId" in event)),
    ).toBe(true);
    expect(await readFile(path.join(root, "c"), "utf8")).toBe("through the link");
    expect(paths(await sandbox.exec("idle"))).toEqual([]);
  });

  test("a write through a dangling link is told where the file came to be", async () => {
    const { sandbox, ofType } = await writing({});
    await sandbox.fs.symlink("target", "/session/link");
    await sandbox.fs.writeFile("/session/link", "x");
    expect(ofType("harness.file.created").map((event) => event.path)).toEqual([
      "/session/link",
      "/session/target",
    ]);
  });

  test("while a command runs, its changes and those of fs are kept apart", async () => {
    const holder = { root: "" };
    const started = signalOf();
    const go = signalOf();
    const runtime = await runtimeOver(async () => {
      await writeFile(path.join(holder.root, "by-command"), "1");
      started.resolve();
      await go.promise;
      await writeFile(path.join(holder.root, "later"), "1");
      return exited();
    });
    holder.root = runtime.root;
    const running = runtime.sandbox.exec("x");
    await started.promise;
    await runtime.sandbox.fs.writeFile("/session/by-fs", "1");
    go.resolve();
    expect(paths(await running)).toEqual(["created /session/by-command", "created /session/later"]);
    expect(runtime.ofType("harness.file.created").map((event) => [event.path, event.source])).toEqual([
      ["/session/by-fs", "fs"],
      ["/session/by-command", "command"],
      ["/session/later", "command"],
    ]);
  });

  test("two writes of one path at once are one creation and one modification", async () => {
    const { sandbox, types } = await writing({});
    await Promise.all([sandbox.fs.writeFile("/session/f", "1"), sandbox.fs.writeFile("/session/f", "2")]);
    expect(types()).toEqual(["file.created", "file.modified"]);
  });

  test("obeys read-only mounts and the prefixes of this moment, and tells nothing then", async () => {
    let prefixes: string[] = [];
    const { sandbox, events } = await runtimeOver(async () => exited(), {
      getReadOnlyPrefixes: () => prefixes,
    });
    await expect(sandbox.fs.writeFile("/docs/x", "")).rejects.toMatchObject({
      code: "FS_ERROR",
      data: { errno: "EROFS" },
    });
    await sandbox.fs.mkdir("/session/skills");
    prefixes = ["/session/skills"];
    await expect(sandbox.fs.writeFile("/session/skills/x", "")).rejects.toMatchObject({
      data: { errno: "EROFS" },
    });
    expect(events).toHaveLength(1);
  });

  test("a path that is none fails as the files say", async () => {
    const { sandbox } = await runtimeOver(async () => exited());
    await expect(sandbox.fs.writeFile(7 as unknown as string, "")).rejects.toMatchObject({
      code: "FS_ERROR",
    });
    await expect(sandbox.fs.rm("/session/none")).rejects.toMatchObject({ data: { errno: "ENOENT" } });
    await expect(sandbox.fs.mkdir("/")).rejects.toMatchObject({ code: "FS_ERROR" });
  });

  test("reads", async () => {
    const { sandbox } = await runtimeOver(async () => exited());
    const { fs } = sandbox;
    await fs.writeFile("/session/a.txt", "é");
    await fs.symlink("a.txt", "/session/l");
    expect(await fs.readFile("a.txt")).toBe("é");
    expect(await fs.readFileBuffer("a.txt")).toEqual(new Uint8Array([0xc3, 0xa9]));
    expect(await fs.exists("none")).toBe(false);
    expect((await fs.stat("l")).isFile).toBe(true);
    expect((await fs.lstat("l")).isSymbolicLink).toBe(true);
    expect(await fs.readlink("l")).toBe("a.txt");
    expect(await fs.realpath("l")).toBe("/session/a.txt");
    expect(await fs.readdir("/session")).toEqual(["a.txt", "l"]);
    expect((await fs.readdirWithFileTypes("/session")).map((entry) => entry.name)).toEqual(["a.txt", "l"]);
    expect(await fs.glob("*.txt")).toHaveLength(1);
    await fs.chmod("a.txt", 0o600);
    expect((await fs.stat("a.txt")).mode & 0o777).toBe(0o600);
  });

  test("is the files option where there is one", async () => {
    const files = { readFile: async (at: string) => `remote ${at}` } as unknown as HarnessSandbox["fs"];
    const { sandbox } = await runtimeOver(async () => exited(), { files });
    expect(await sandbox.fs.readFile("x")).toBe("remote x");
  });
});
