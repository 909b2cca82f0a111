/** What finding one changed file among many costs a command. */
import { lstatSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { openSandbox } from "../built.ts";
import { measurePairs, timed } from "../measure.ts";
import type { Effort, Row, RowGroup } from "../row.ts";
import { fillWithFiles, withDirectory } from "../scratch.ts";

export const trackingRows: RowGroup = async (effort) => [
  ...(await commandRows(effort, 10_000)),
  ...(await commandRows(effort, 100_000)),
  await openingRow(effort, 100_000),
];

async function commandRows(effort: Effort, files: number): Promise<Row[]> {
  return await withDirectory(async (directory) => {
    const open = async (name: string, tracked: boolean) => {
      const path = join(directory, name);
      mkdirSync(path);
      fillWithFiles(path, files);
      return openSandbox({ mounts: { "/work": { path, tracked } }, sandbox: "subprocess" });
    };
    await using tracked = await open("tracked", true);
    await using untracked = await open("untracked", false);
    let round = 0;
    const change = (sandbox: typeof tracked, expected: number) => async () => {
      const index = round++ % files;
      const script = `echo "round ${round}" >d${Math.floor(index / 100)}/f${index % 100}.txt`;
      let changes = 0;
      const tookMs = await timed(async () => {
        changes = (await sandbox.exec(script)).changes.length;
      });
      if (changes !== expected) throw new Error(`${changes} changes were reported, not ${expected}`);
      return tookMs;
    };
    const nothing = (sandbox: typeof tracked) => () => timed(() => sandbox.exec("true"));
    const size = { rounds: effort.rounds(60, 8), warmups: 2 };
    return [
      {
        what: `1 change in ${files.toLocaleString("en")} tracked files`,
        against: "the same command untracked",
        unit: "ms",
        pairs: await measurePairs(change(tracked, 1), change(untracked, 0), size),
        goal: { maxExtraMs: 5 },
      },
      {
        what: `\`true\` over ${files.toLocaleString("en")} tracked files`,
        against: "the same command untracked",
        unit: "ms",
        pairs: await measurePairs(nothing(tracked), nothing(untracked), size),
        goal: null,
      },
    ];
  });
}

/** From nothing to the end of a first command, against a walk that does no more than ask for each entry. */
async function openingRow(effort: Effort, files: number): Promise<Row> {
  return await withDirectory(async (path) => {
    fillWithFiles(path, files);
    const open = async () => {
      const startedMs = performance.now();
      await using sandbox = await openSandbox({ mounts: { "/work": path }, sandbox: "subprocess" });
      await sandbox.exec("true");
      return performance.now() - startedMs;
    };
    const walk = () => timed(async () => void countEntries(path));
    return {
      what: `open and \`true\` over ${files.toLocaleString("en")} tracked files`,
      against: "a plain recursive walk with lstatSync",
      unit: "ms",
      pairs: await measurePairs(open, walk, { rounds: effort.rounds(10, 4), warmups: 1 }),
      goal: { maxRatio: 1.5 },
    };
  });
}

function countEntries(directory: string): number {
  let count = 0;
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    count += lstatSync(path).isDirectory() ? 1 + countEntries(path) : 1;
  }
  return count;
}
