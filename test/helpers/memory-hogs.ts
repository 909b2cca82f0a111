/** Scripts that take memory without end, and what is true when the limit ends one. */
import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { openForTest } from "./open.ts";
import { workerPids } from "./processes.ts";

export const STRINGS_IN_JS = "js-exec -c 'const keep = []; for (;;) keep.push(\"x\".repeat(1 << 20))'";

/** In a sandbox that may have 300 MB: killed near that, with the output so far, and the next command works. */
export async function expectKilledNearLimit(hog: string): Promise<void> {
  const { sandbox } = await openForTest({ limits: { maxMemoryMb: 300 } });
  await sandbox.exec("kept=1");
  const before = new Set(workerPids());
  let peakMb = 0;
  const sampler = setInterval(() => {
    for (const pid of workerPids()) if (before.has(pid)) peakMb = Math.max(peakMb, peakMegabytes(pid));
  }, 5);
  const result = await sandbox.exec(`echo before; ${hog}; echo after`, { timeoutMs: 60_000 });
  clearInterval(sampler);
  expect(result).toMatchObject({
    exitCode: 137,
    ending: { kind: "killed", by: "memory" },
    stdout: "before\n",
  });
  expect(peakMb).toBeGreaterThan(200);
  expect(peakMb).toBeLessThan(450);
  expect(await sandbox.exec("echo $kept")).toMatchObject({ stdout: "1\n", stateRestored: true });
}

function peakMegabytes(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "latin1");
    return Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
  } catch {
    // Gone between the listing and the look.
    return 0;
  }
}
