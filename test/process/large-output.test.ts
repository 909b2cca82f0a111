/** Output of many megabytes: every byte arrives, wherever the command stands, and nobody holds more than a part. */
import { randomBytes } from "node:crypto";
import { readdirSync, readlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openForTest } from "../helpers/open.ts";
import { failOnStrays } from "../helpers/strays.ts";

failOnStrays();

const MIB = 1 << 20;
const BIG = randomBytes(300_000);
const SMALL = Buffer.from("small\n");
const NONE = Buffer.alloc(0);
const NOT_THERE = "cat: nothing: No such file or directory\n";

interface Expected {
  readonly stdout: Buffer;
  readonly stderr?: Buffer | string;
  readonly exitCode?: number;
}

const SCRIPTS: Record<string, Expected> = {
  "cat big": { stdout: BIG },
  "cat big small ./big": { stdout: Buffer.concat([BIG, SMALL, BIG]) },
  "echo before; cat big; echo after": { stdout: framed("before\n", "after\n") },
  "cat big nothing small": { stdout: Buffer.concat([BIG, SMALL]), stderr: NOT_THERE, exitCode: 1 },
  "cat nothing big 2>&1": { stdout: Buffer.concat([BIG, Buffer.from(NOT_THERE)]), exitCode: 1 },
  "cat big 2>/dev/null; cat small": { stdout: Buffer.concat([BIG, SMALL]) },
  "cat big >&2": { stdout: NONE, stderr: BIG },
  "cat big > copy; cmp big copy && echo same": { stdout: Buffer.from("same\n") },
  "cat big 2>errors >/dev/null": { stdout: NONE },
  "cat < big": { stdout: BIG },
  "cat - big < small": { stdout: Buffer.concat([SMALL, BIG]) },
  "cat big <(cat small)": { stdout: Buffer.concat([BIG, SMALL]) },
  "cat big | cat - small | wc -c": { stdout: Buffer.from(`${BIG.length + SMALL.length}\n`) },
  "x=$(cat big | wc -c); echo $x": { stdout: Buffer.from(`${BIG.length}\n`) },
  "f() { cat big; }; f | wc -c; f": { stdout: framed(`${BIG.length}\n`, "") },
  "{ cat big; cat small; } > both; cat both": { stdout: Buffer.concat([BIG, SMALL]) },
  "if cat big; then cat small; fi": { stdout: Buffer.concat([BIG, SMALL]) },
  "cat big & wait; cat small": { stdout: Buffer.concat([BIG, SMALL]) },
  "bash -c 'cat big; cat small'": { stdout: Buffer.concat([BIG, SMALL]) },
  "cat() { echo mine; }; cat big": { stdout: Buffer.from("mine\n") },
};

function framed(before: string, after: string): Buffer {
  return Buffer.concat([Buffer.from(before), BIG, Buffer.from(after)]);
}

describe.each(["subprocess", "just-bash"] as const)("%s", (kind) => {
  test("every byte of a large file arrives where the script sends it", { timeout: 60_000 }, async () => {
    const { sandbox, directory } = await openForTest({ sandbox: kind });
    writeFileSync(join(directory, "big"), BIG);
    writeFileSync(join(directory, "small"), SMALL);
    for (const [script, { stdout, stderr = "", exitCode = 0 }] of Object.entries(SCRIPTS)) {
      const came = { out: [] as Uint8Array[], err: [] as Uint8Array[] };
      const result = await sandbox.exec(`(${script})`, {
        maxOutputBytes: 8 * MIB,
        onStdout: (chunk) => came.out.push(chunk),
        onStderr: (chunk) => came.err.push(chunk),
      });
      expect([script, result.exitCode, result.stderr.slice(0, 300)]).toEqual([
        script,
        exitCode,
        stderr.toString().slice(0, 300),
      ]);
      const wrong = [
        [result.stdoutBytes, stdout],
        [Buffer.concat(came.out), stdout],
        [result.stderrBytes, Buffer.from(stderr)],
        [Buffer.concat(came.err), Buffer.from(stderr)],
      ].map(([is, expected]) => Buffer.compare(is ?? NONE, expected ?? NONE) !== 0);
      expect([script, ...wrong]).toEqual([script, false, false, false, false]);
    }
  });

  test("a file is closed again when the command that reads it is stopped", async () => {
    const { sandbox, directory } = await openForTest({ sandbox: kind });
    const file = join(directory, "long");
    writeFileSync(file, "");
    truncateSync(file, 300 * MIB);
    const controller = new AbortController();
    const result = await sandbox.exec("cat long", {
      signal: controller.signal,
      onStdout: () => controller.abort(),
    });
    expect(result.ending).toEqual({ kind: "killed", by: "abort" });
    expect(await sandbox.exec("echo next")).toMatchObject({ stdout: "next\n" });
    if (process.platform === "linux") expect(openFiles()).not.toContain(file);
  });
});

test("of a file larger than any string the output is cut off by its cap alone", async () => {
  const { sandbox, directory } = await openForTest({ limits: { maxStreamBytes: 4 * MIB } });
  const file = join(directory, "long");
  writeFileSync(file, "");
  truncateSync(file, 700 * MIB);
  const result = await sandbox.exec("cat long");
  expect(result).toMatchObject({ exitCode: 137, ending: { kind: "killed", by: "output" }, stderr: "" });
});

test("under a host that reads slowly neither the worker nor the host holds what waits", {
  timeout: 60_000,
}, async () => {
  const { sandbox, directory } = await openForTest({ limits: { maxMemoryMb: 140 } });
  const file = join(directory, "long");
  writeFileSync(file, "");
  truncateSync(file, 64 * MIB);
  await sandbox.exec("true");
  const cell = new Int32Array(new SharedArrayBuffer(4));
  const before = process.memoryUsage.rss();
  let peak = before;
  let bytes = 0;
  const result = await sandbox.exec("cat long", {
    onStdout(chunk) {
      bytes += chunk.length;
      Atomics.wait(cell, 0, 0, 1);
      peak = Math.max(peak, process.memoryUsage.rss());
    },
  });
  expect(result).toMatchObject({ exitCode: 0, ending: { kind: "exited" } });
  expect(bytes).toBe(64 * MIB);
  expect((peak - before) / MIB).toBeLessThan(50);
});

/** What this process has open (Linux). */
function openFiles(): string[] {
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      // The descriptor of the listing itself.
      return [];
    }
  });
}
