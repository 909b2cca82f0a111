import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type HarnessSandbox, openSandbox } from "../../src/index.ts";
import { openForTest } from "../helpers/open.ts";
import { tempDir } from "../helpers/temp-dir.ts";

test("50 sandboxes at once each answer for themselves", { timeout: 120_000 }, async () => {
  const sandboxes: HarnessSandbox[] = [];
  try {
    for (let index = 0; index < 50; index++) {
      sandboxes.push(await openSandbox({ mounts: { "/w": tempDir() }, sandbox: "subprocess" }));
    }
    const results = await Promise.all(
      sandboxes.map(async (sandbox, index) => {
        await sandbox.exec(`id=${index}; echo $id > mine`);
        return (await sandbox.exec("cat mine; echo $id")).stdout;
      }),
    );
    expect(results).toEqual(sandboxes.map((_, index) => `${index}\n${index}\n`));
  } finally {
    await Promise.all(sandboxes.map((sandbox) => sandbox.dispose()));
  }
});

test("1,000 commands in one sandbox keep one shell", { timeout: 120_000 }, async () => {
  const { sandbox } = await openForTest();
  await sandbox.exec("n=0");
  for (let index = 0; index < 1_000; index++) await sandbox.exec("n=$((n + 1))");
  expect(await sandbox.exec("echo $n")).toMatchObject({ stdout: "1000\n" });
});

test("64 concurrent tool calls are concurrent and each gets its own answer", async () => {
  let waiting: (() => void)[] = [];
  const { sandbox } = await openForTest({
    tools: {
      "barrier.pass": {
        // Returns for nobody before all 64 have come.
        execute: ({ n }: { n: number }) =>
          new Promise((resolve) => {
            waiting.push(() => resolve(n * n));
            if (waiting.length < 64) return;
            for (const pass of waiting) pass();
            waiting = [];
          }),
      },
    },
  });
  const result = await sandbox.exec(
    "js-exec -c 'const r = await Promise.all(Array.from({length: 64}, (_, n) => tools.barrier.pass({n}))); console.log(JSON.stringify(r))'",
    { timeoutMs: 20_000 },
  );
  expect(JSON.parse(result.stdout)).toEqual(Array.from({ length: 64 }, (_, n) => n * n));
});

test("100 MB of output stream through a parent whose memory stays flat", { timeout: 120_000 }, async () => {
  const { sandbox } = await openForTest();
  const line = "0123456789".repeat(10_000);
  let received = 0;
  let peak = 0;
  const before = process.memoryUsage.rss();
  const result = await sandbox.exec(
    `line=${line}; for ((i = 0; i < 1000; i++)); do echo -n "$line"; done; echo end >&2`,
    {
      timeoutMs: 100_000,
      onStdout: (chunk) => {
        received += chunk.length;
        peak = Math.max(peak, process.memoryUsage.rss());
      },
    },
  );
  expect(result).toMatchObject({
    exitCode: 0,
    stderr: "end\n",
    truncated: { stdout: { totalBytes: 100_000_000 } },
  });
  expect(received).toBe(100_000_000);
  expect(result.stdoutBytes.length).toBeLessThan(1_100_000);
  expect(result.stdout).toContain("bytes left out");
  expect((peak - before) / 1e6).toBeLessThan(60);
});

test("a 20 MB file goes in and out through fs byte for byte", async () => {
  const { sandbox, directory } = await openForTest();
  const bytes = randomBytes(20_000_000);
  await sandbox.fs.writeFile("/w/big", bytes);
  expect(Buffer.compare(readFileSync(join(directory, "big")), bytes)).toBe(0);
  expect(Buffer.compare(await sandbox.fs.readFileBuffer("/w/big"), bytes)).toBe(0);
  const sum = createHash("sha256").update(bytes).digest("hex");
  expect(await sandbox.exec("sha256sum big | cut -d' ' -f1; wc -c < big")).toMatchObject({
    stdout: `${sum}\n20000000\n`,
  });
});

test("20 MB of stdin that nobody reads do no harm", async () => {
  const { sandbox } = await openForTest();
  const stdin = "x".repeat(20_000_000);
  expect(await sandbox.exec("head -c 1", { stdin })).toMatchObject({ stdout: "x", exitCode: 0 });
  expect(await sandbox.exec("wc -c", { stdin })).toMatchObject({ stdout: "20000000\n" });
});
