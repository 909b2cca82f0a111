/** What a command changed: exact, from the host's own view, whoever else changes files meanwhile. */
import { mkdirSync, renameSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ExecResult, HarnessEvent, HarnessSandbox } from "../../src/index.ts";
import { openForTest } from "../helpers/open.ts";
import { changesBetween, linesOf, readTree } from "../helpers/read-tree.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const told = ({ changes }: ExecResult): string[] => changes.map(({ change, path }) => `${change} ${path}`);
const fileEvents = (events: readonly HarnessEvent[]) =>
  events.flatMap((event) => (event.type.startsWith("harness.file.") ? [event as FileEvent] : []));
/** An empty file. */
function writeNew(path: string): string {
  writeFileSync(path, "");
  return path;
}
type FileEvent = HarnessEvent & { path: string; source: string };

describe.each(["subprocess", "just-bash"] as const)("a command of a %s sandbox", (kind) => {
  const open = async () => {
    const opened = await openForTest({ sandbox: kind });
    return {
      ...opened,
      fill: (name: string, text: string) => writeFileSync(join(opened.directory, name), text),
    };
  };

  test("tells what it made, changed and took away, and not what it only touched", async () => {
    const { sandbox, fill, directory } = await open();
    mkdirSync(join(directory, "dir"));
    for (const name of ["equal", "changed", "gone", "moved", "mode", "dir/kept"]) fill(name, name);
    const before = readTree(directory, "/w");
    const result = await sandbox.exec(
      `printf equal > equal; printf CHANGED > changed; rm gone; mv moved moved-to; chmod 600 mode; touch dir/kept
       echo x > made; echo y > passing; rm passing; sed -i s/nothing/else/ changed; mkdir -p a/b; ln -s made link`,
    );
    expect(result).toMatchObject({ exitCode: 0, stderr: "" });
    expect(linesOf(result.changes)).toEqual(changesBetween(before, readTree(directory, "/w")));
    expect(told(result)).not.toContain("modified /w/equal");
  });

  test("tells a rewrite of the same size whose time was put back", async () => {
    const { sandbox, fill, directory } = await open();
    fill("f", "aaaa");
    utimesSync(join(directory, "f"), 1_000, 1_000);
    expect(told(await sandbox.exec("printf bbbb > f; touch -d @1000 f"))).toEqual(["modified /w/f"]);
    expect(statSync(join(directory, "f")).size).toBe(4);
  });

  test("tells a renamed directory as all that went and all that came", async () => {
    const { sandbox, fill, directory } = await open();
    mkdirSync(join(directory, "d/e"), { recursive: true });
    fill("d/e/f", "f");
    const before = readTree(directory, "/w");
    const result = await sandbox.exec("mv d z");
    expect(linesOf(result.changes)).toEqual(changesBetween(before, readTree(directory, "/w")));
    expect(result.changes).toHaveLength(6);
  });

  test("is not blamed for what others do before, while and after it runs", async () => {
    const { sandbox, fill, directory, events } = await open();
    for (const name of ["a", "b", "c"]) fill(name, "1");
    await sandbox.exec("true");
    fill("a", "by the host");
    fill("b", "by the host");
    const running = sandbox.exec("echo mine > b; echo ready; sleep 1; echo mine > d");
    await sandbox.fs.exists("/w/b");
    await new Promise<void>((resolve) => setTimeout(resolve, 300));
    fill("c", "by the host");
    fill("e", "by the host");
    expect(told(await running)).toEqual(["modified /w/b", "created /w/d"]);
    fill("b", "mine\n");
    // The state that the host left is what the next command starts from.
    expect(told(await sandbox.exec("echo mine > b; echo mine > e"))).toEqual(["modified /w/e"]);
    rmSync(join(directory, "d"));
    renameSync(join(directory, "a"), join(directory, "d"));
    expect(told(await sandbox.exec("echo x > d; rm -f a"))).toEqual(["modified /w/d"]);
    await sandbox.dispose();
    const unknown = fileEvents(events).filter(({ source }) => source === "unknown");
    expect(unknown.every((event) => "unreported" in event && !("commandId" in event))).toBe(true);
    expect(new Set(unknown.map(({ path }) => path))).toEqual(new Set(["/w/a", "/w/c"]));
  });

  test("tells a change under every mount that shows it", async () => {
    const inner = tempDir();
    mkdirSync(join(inner, "sub"));
    const { sandbox } = await openForTest({
      sandbox: kind,
      mounts: {
        "/w": inner,
        "/view": { path: join(inner, "sub"), access: "ro", tracked: true },
        "/quiet": { path: join(inner, "sub"), tracked: false },
      },
    });
    expect(told(await sandbox.exec("echo 1 > /w/sub/f"))).toEqual(["created /view/f", "created /w/sub/f"]);
    expect(told(await sandbox.exec("echo 2 > /quiet/f"))).toEqual(["modified /view/f", "modified /w/sub/f"]);
  });

  test("tells hard links, and a change of one name under all", async () => {
    const { sandbox } = await open();
    expect(told(await sandbox.exec("echo 1 > a; ln a b"))).toEqual(["created /w/a", "created /w/b"]);
    expect(told(await sandbox.exec("echo 2 >> a"))).toEqual(["modified /w/a", "modified /w/b"]);
    expect(told(await sandbox.exec("rm a"))).toEqual(["deleted /w/a"]);
    expect(told(await sandbox.exec("true"))).toEqual([]);
  });

  test("tells what Python, JavaScript and SQLite changed", async () => {
    const { sandbox, directory } = await open();
    const before = readTree(directory, "/w");
    const result = await sandbox.exec(
      `python3 -c "import os; open('p','w').write('p'); os.mkdir('pd'); open('pd/x','w').write('x'); os.rename('p','q')"
       js-exec -c "require('fs').writeFileSync('j', 'j')"
       sqlite3 s.db "create table t(a); insert into t values (1)"`,
    );
    expect(result).toMatchObject({ exitCode: 0, stderr: "" });
    expect(linesOf(result.changes)).toEqual(changesBetween(before, readTree(directory, "/w")));
    expect(told(result)).toEqual([
      "created /w/j",
      "created /w/pd",
      "created /w/pd/x",
      "created /w/q",
      "created /w/s.db",
    ]);
  });

  test("tells what it had changed when it was killed", async () => {
    const { sandbox, fill } = await open();
    fill("old", "1");
    await sandbox.exec("true"); // so that the deadline is the command's and not the start's
    const result = await sandbox.exec("echo 2 > old; mkdir d; echo 1 > d/x; sleep 20", { timeoutMs: 750 });
    expect(result.ending).toEqual({ kind: "killed", by: "deadline" });
    expect(told(result)).toEqual(["created /w/d", "created /w/d/x", "modified /w/old"]);
  });

  test.runIf(process.platform === "linux")("tells names that are not UTF-8", async () => {
    const { sandbox, directory } = await open();
    const bytes = (...parts: (string | number)[]) =>
      Buffer.concat(
        parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from([part]))),
      );
    writeFileSync(bytes(`${directory}/a`, 0xff), "1");
    mkdirSync(bytes(`${directory}/d`, 0x80));
    expect(told(await sandbox.exec("for d in d*; do echo y > $d/q; done; rm -rf a*"))).toEqual([
      "deleted /w/a\udcff",
      "created /w/d\udc80/q",
    ]);
  });

  test("keeps what it named although sandbox.fs changes the same path meanwhile", async () => {
    const { sandbox, events } = await open();
    const running = sandbox.exec("echo 1 > x; mkdir d; echo go; sleep 0.6; echo 222 > x; echo y > d/y", {
      onStdout: () => {
        void sandbox.fs.writeFile("/w/x", "fs").then(() => sandbox.fs.writeFile("/w/d/fs", "1"));
      },
    });
    const result = await running;
    expect(result.changes.find(({ path }) => path === "/w/x")).toMatchObject({ change: "created", size: 4 });
    expect(told(result)).toContain("created /w/d/y");
    await sandbox.dispose();
    expect(fileEvents(events).filter(({ source }) => source === "unknown")).toEqual([]);
  });

  test("owns every name of what it changed, whoever looks first", async () => {
    const inner = tempDir();
    const { sandbox, events } = await openForTest({
      sandbox: kind,
      mounts: { "/w": inner, "/v": inner },
      tools: { idle: { execute: () => 1 } },
    });
    expect(told(await sandbox.exec("echo 1 > a; ln a b; js-exec -c 'await tools.idle()'"))).toEqual([
      "created /v/a",
      "created /v/b",
      "created /w/a",
      "created /w/b",
    ]);
    const second = await sandbox.exec("echo 2 >> a; js-exec -c 'await tools.idle()'");
    expect(second.changes.map(({ change, path, toolCallId }) => [change, path, toolCallId])).toEqual(
      ["/v/a", "/v/b", "/w/a", "/w/b"].map((path) => ["modified", path, undefined]),
    );
    await sandbox.dispose();
    expect(fileEvents(events).filter(({ source }) => source === "unknown")).toEqual([]);
  });

  test("is in time although a huge file is still being read", async () => {
    const { sandbox, directory } = await open();
    await sandbox.exec("true");
    const big = join(directory, "big");
    truncateSync(writeNew(big), 1_500_000_000);
    let isRead = false;
    const touching = sandbox.fs.appendFile("/w/big", "x").finally(() => {
      isRead = true;
    });
    const result = await sandbox.exec("echo x > small; sleep 30", { timeoutMs: 300 });
    expect(result.ending).toEqual({ kind: "killed", by: "deadline" });
    expect(isRead).toBe(false);
    // Ends the read: the rest would take seconds.
    truncateSync(big, 0);
    await touching.catch(() => undefined);
  }, 60_000);

  test("has what its tools write told as the tools' doing, and its own as its own", async () => {
    const holder: { directory: string; sandbox?: HarnessSandbox } = { directory: "" };
    const write = (name: string, text: string): void => writeFileSync(join(holder.directory, name), text);
    const { sandbox, directory, events } = await openForTest({
      sandbox: kind,
      tools: {
        direct: { execute: () => write("by-tool", "1") },
        overwrite: { execute: () => write("shared", "tool") },
        through: { execute: () => holder.sandbox?.fs.writeFile("/w/by-fs", "1") },
        quiet: { execute: () => write("quiet", "1"), writesFiles: false },
      },
    });
    Object.assign(holder, { directory, sandbox });
    write("shared", "host");
    const result = await sandbox.exec(
      `js-exec -c "await tools.direct(); await tools.overwrite(); await tools.through(); await tools.quiet(); require('fs').writeFileSync('own', '1'); require('fs').appendFileSync('shared', 'script')"`,
    );
    expect(result).toMatchObject({ exitCode: 0, stderr: "" });
    const by = (tool: string) =>
      events.flatMap((event) =>
        event.type === "harness.tool_call.started" && event.tool === tool ? [event.toolCallId] : [],
      )[0];
    expect(result.changes.map(({ change, path, toolCallId }) => [change, path, toolCallId])).toEqual([
      ["created", "/w/own", undefined],
      ["modified", "/w/shared", undefined],
      ["created", "/w/by-tool", by("direct")],
      ["modified", "/w/shared", by("overwrite")],
    ]);
    const completed = events.find((event) => event.type === "harness.runtime.command.completed");
    expect(completed).toMatchObject({ changes: 4 });
    for (const event of fileEvents(events)) {
      const isTools = event.path === "/w/by-tool" || event.path === "/w/by-fs" || "toolCallId" in event;
      expect(event).toMatchObject({
        source: isTools ? "tool" : "command",
        commandId: completed?.occurrenceId,
      });
    }
    expect(fileEvents(events).find(({ path }) => path === "/w/by-fs")).toMatchObject({
      toolCallId: by("through"),
    });
  });
});
