/** What the host's disk refuses is a result of the command: a message on stderr, and the script goes on. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { HarnessTurnEvent } from "../../src/index.ts";
import { hostForTest, scriptedSandbox } from "../helpers/hosts.ts";
import { openForTest } from "../helpers/open.ts";
import { tempDir } from "../helpers/temp-dir.ts";

/** Mounts a disk of memory at a fresh directory; `false` where this user may not (no root, no such right). */
function mountDisk(options: string): string | false {
  const directory = tempDir();
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", options, "harness-test", directory], { stdio: "ignore" });
  } catch {
    return false;
  }
  onTestFinished(() => void execFileSync("umount", ["-l", directory]));
  return directory;
}

test("/dev/full is a full disk", async () => {
  const { sandbox } = await openForTest();
  const result = await sandbox.exec(
    "echo before; echo x > /dev/full; echo $?; cat /etc/nothing >> /dev/full; echo on",
  );
  expect(result).toMatchObject({
    stdout: "before\n1\non\n",
    exitCode: 0,
    ending: { kind: "exited" },
  });
  expect(result.stderr).toContain("bash: /dev/full: No space left on device");
});

describe("a disk of 1 MiB", () => {
  test("that runs full fails the write, whichever program writes, and the script goes on", async ({
    skip,
  }) => {
    const directory = mountDisk("size=1m");
    if (directory === false) return skip("mounting a disk needs root");
    const { sandbox } = await openForTest({ mounts: { "/w": directory } });
    const result = await sandbox.exec(
      [
        "echo before",
        'x=$(printf "%0700000d" 0)',
        "echo $x > a; echo $?",
        "echo $x > b; echo $?",
        "rm -f b; cp a c; echo $?",
        'rm -f c; js-exec -c \'try { require("fs").writeFileSync("d", "x".repeat(700000)) } catch (e) { console.log("js:", e.message) }\'',
        'rm -f d; python3 -c \'with open("e", "w") as e: e.write("x" * 700000)\' 2>/dev/null; echo $?',
        "rm -f e; echo small > f; cat f; echo end",
      ].join("\n"),
    );
    const [before, a, b, c, js, python, small, end] = result.stdout.trimEnd().split("\n");
    expect([before, a, b, c, small, end]).toEqual(["before", "0", "1", "1", "small", "end"]);
    expect(js).toMatch(/^js: .*(ENOSPC|space)/i);
    expect(python).toBe("1");
    expect(result).toMatchObject({ exitCode: 0, ending: { kind: "exited" } });
    expect(result.stderr).toContain("bash: /w/b: No space left on device");
    expect(result.stderr).toMatch(/^cp: .*No space left on device/m);
    expect(readFileSync(join(directory, "a"), "utf8")).toHaveLength(700_001);
  });

  test("without a free entry fails what creates one", async ({ skip }) => {
    const directory = mountDisk("nr_inodes=4");
    if (directory === false) return skip("mounting a disk needs root");
    const { sandbox } = await openForTest({ mounts: { "/w": directory } });
    const result = await sandbox.exec(
      "echo 1 > a; echo 2 > b; echo 3 > c; echo 4 > d; mkdir e; ln -s a f; echo on",
    );
    expect(result).toMatchObject({ stdout: "on\n", exitCode: 0, ending: { kind: "exited" } });
    expect(result.stderr.match(/No space left on device/g)?.length).toBeGreaterThanOrEqual(2);
  });
});

test("a turn on a disk that runs full goes on, tells it once, and leaves whole lines and a free session", async ({
  skip,
}) => {
  const directory = mountDisk("size=192k");
  if (directory === false) return skip("mounting a disk needs root");
  const host = hostForTest({ dataDir: directory, sandbox: scriptedSandbox() });
  const session = await host.createSession();
  const events: HarnessTurnEvent[] = [];
  const turn = await host.prepareTurn({ session, onEvent: (event) => events.push(event) });
  const sandbox = await turn.sandbox();
  for (let number = 0; number < 40; number++) await sandbox.exec(`echo ${"x".repeat(10_000)}`);
  turn.end({ status: "completed" });
  await turn.dispose();
  expect(events.filter(({ type }) => type === "harness.turn.log.failed")).toHaveLength(1);
  expect(events.at(-1)?.type).toBe("harness.turn.completed");
  const lines = readFileSync(join(session.directory, "turns", turn.id, "events.ndjson"), "utf8").split("\n");
  expect(lines.pop()).toBe("");
  expect(lines.map((line) => JSON.parse(line).seq)).toEqual(lines.map((_, index) => index + 1));
  expect(lines.length).toBeGreaterThan(5);
  expect(existsSync(join(session.directory, "turn.lock"))).toBe(false);
});

test("a directory that is read-only on the host, and not in the workspace, refuses writes and is read", async ({
  skip,
}) => {
  const directory = mountDisk("size=1m");
  if (directory === false) return skip("mounting a disk needs root");
  execFileSync("sh", ["-c", 'echo there > "$0/a" && mount -o remount,ro "$0"', directory]);
  const { sandbox } = await openForTest({ mounts: { "/w": directory } });
  const result = await sandbox.exec(
    "cat a; echo x > a; echo $?; echo y > b; mkdir c; rm a; mv a z; cat a; echo on",
  );
  expect(result).toMatchObject({ stdout: "there\n1\nthere\non\n", exitCode: 0, ending: { kind: "exited" } });
  expect(result.stderr).toContain("bash: /w/a: Read-only file system");
  expect(
    result.stderr
      .trimEnd()
      .split("\n")
      .every((line) => line.endsWith("Read-only file system")),
  ).toBe(true);
  expect(result.changes).toEqual([]);
  expect(existsSync(join(directory, "b"))).toBe(false);
});
