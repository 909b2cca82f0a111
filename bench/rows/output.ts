/** Output of 1 KB to 100 MB, taken chunk by chunk and not kept, and what the parent's memory does meanwhile. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { catThroughPipe } from "../bare.ts";
import { openSandbox } from "../built.ts";
import { measurePairs, type Pairs, type Size, timed } from "../measure.ts";
import { measureRow, type Row, type RowGroup } from "../row.ts";
import { withDirectory } from "../scratch.ts";

const KIB = 1024;
const MIB = 1024 * KIB;

const SIZES = [
  { name: "1 KB", bytes: KIB },
  { name: "64 KB", bytes: 64 * KIB },
  { name: "1 MB", bytes: MIB },
  { name: "10 MB", bytes: 10 * MIB },
  { name: "100 MB", bytes: 100 * MIB },
];

export const outputRows: RowGroup = (effort) =>
  withOutputs(async (measure) => {
    const rows: Row[] = [];
    for (const { name, bytes } of SIZES) {
      const rounds = bytes < 10 * MIB ? effort.rounds(200, 20) : effort.rounds(20, 2);
      rows.push(await row(name, bytes, `cat ${bytes}`, rounds, "one command"));
    }
    const commands = `for i in {1..100}; do cat ${MIB}; done`;
    rows.push(await row("100 MB", 100 * MIB, commands, effort.rounds(20, 2), "100 commands of 1 MB"));
    return rows;

    function row(name: string, bytes: number, script: string, rounds: number, how: string): Promise<Row> {
      const large = bytes === 100 * MIB;
      const growthMb: Growth = { sandbox: 0, pipe: 0 };
      const text = {
        what: `${name} of output, ${how}`,
        against: `\`cat\` of ${name} through a plain pipe`,
        goal: large ? { maxRatio: 3 } : null,
        note: () => (large ? growthText(growthMb) : null),
      };
      return measureRow(text, () => measure(script, bytes, { rounds, warmups: 1 }, growthMb));
    }
  });

/** How much this process grew at most, by side. */
interface Growth {
  sandbox: number;
  pipe: number;
}

const growthText = ({ sandbox, pipe }: Growth): string =>
  `parent's resident size grew by at most ${Math.round(sandbox)} MB, with the plain pipe by ${Math.round(pipe)} MB`;

type Measure = (script: string, expectedBytes: number, size: Size, growthMb: Growth) => Promise<Pairs>;

/** A sandbox over files that are named after their size. */
export async function withOutputs<T>(work: (measure: Measure) => Promise<T>): Promise<T> {
  return await withDirectory(async (directory) => {
    for (const { bytes } of SIZES)
      writeFileSync(join(directory, String(bytes)), Buffer.alloc(bytes, "0123456789abcde\n"));
    // Not tracked: reading 100 MB for a digest is no part of this.
    const mounts = { "/work": { path: directory, tracked: false } };
    await using sandbox = await openSandbox({ mounts, sandbox: "subprocess" });
    return await work((script, expectedBytes, size, growthMb) => {
      const value = () =>
        withPeak(growthMb, "sandbox", (look) =>
          timed(async () => {
            let bytes = 0;
            const { exitCode, stderr } = await sandbox.exec(script, {
              onStdout(chunk) {
                bytes += chunk.length;
                look();
              },
            });
            if (exitCode !== 0 || bytes !== expectedBytes) throw new Error(`${bytes} bytes came; ${stderr}`);
          }),
        );
      const base = () =>
        withPeak(growthMb, "pipe", (look) =>
          timed(async () => {
            const bytes = await catThroughPipe(join(directory, String(expectedBytes)), look);
            if (bytes !== expectedBytes) throw new Error(`${bytes} bytes came through the pipe`);
          }),
        );
      return measurePairs(value, base, size);
    });
  });
}

async function withPeak(
  growthMb: Growth,
  side: keyof Growth,
  work: (look: () => void) => Promise<number>,
): Promise<number> {
  const before = process.memoryUsage.rss();
  let peak = before;
  const result = await work(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  });
  growthMb[side] = Math.max(growthMb[side], (peak - before) / MIB);
  return result;
}
