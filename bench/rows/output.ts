/** 100 MB of output, taken chunk by chunk and not kept, and what the parent's memory does meanwhile. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { catThroughPipe } from "../bare.ts";
import { openSandbox } from "../built.ts";
import { measurePairs, timed } from "../measure.ts";
import type { Row, RowGroup } from "../row.ts";
import { withDirectory } from "../scratch.ts";

const MIB = 1024 * 1024;
const TOTAL_BYTES = 100 * MIB;

const SCRIPTS = [
  { what: "100 MB of output, 100 commands of 1 MB", script: "for i in {1..100}; do cat block; done" },
  { what: "100 MB of output, one command", script: "cat whole" },
];

export const outputRows: RowGroup = (effort) =>
  withDirectory(async (directory) => {
    const whole = join(directory, "whole");
    writeFileSync(join(directory, "block"), Buffer.alloc(MIB, "0123456789abcde\n"));
    writeFileSync(whole, Buffer.alloc(TOTAL_BYTES, "0123456789abcde\n"));
    // Not tracked: reading 100 MB for a digest is no part of this.
    const mounts = { "/work": { path: directory, tracked: false } };
    await using sandbox = await openSandbox({ mounts, sandbox: "subprocess" });
    const rows: Row[] = [];
    for (const { what, script } of SCRIPTS) {
      const growth = { sandbox: 0, pipe: 0 };
      const value = () =>
        withPeak(growth, "sandbox", (look) =>
          timed(async () => {
            let bytes = 0;
            const { exitCode, stderr } = await sandbox.exec(script, {
              onStdout(chunk) {
                bytes += chunk.length;
                look();
              },
            });
            if (exitCode !== 0 || bytes !== TOTAL_BYTES) throw new Error(`${bytes} bytes came; ${stderr}`);
          }),
        );
      const base = () =>
        withPeak(growth, "pipe", (look) =>
          timed(async () => {
            const bytes = await catThroughPipe(whole, look);
            if (bytes !== TOTAL_BYTES) throw new Error(`${bytes} bytes came through the pipe`);
          }),
        );
      const pairs = await measurePairs(value, base, { rounds: effort.rounds(15, 3), warmups: 1 });
      rows.push({
        what,
        against: "`cat` of 100 MB through a plain pipe",
        unit: "ms",
        pairs,
        goal: { maxRatio: 3 },
        note: `parent's resident size grew by at most ${Math.round(growth.sandbox)} MB, with the plain pipe by ${Math.round(growth.pipe)} MB`,
      });
    }
    return rows;
  });

async function withPeak<K extends string>(
  growth: Record<K, number>,
  side: K,
  work: (look: () => void) => Promise<number>,
): Promise<number> {
  const before = process.memoryUsage.rss();
  let peak = before;
  const result = await work(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  });
  growth[side] = Math.max(growth[side], (peak - before) / MIB);
  return result;
}
