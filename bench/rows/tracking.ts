/** What finding one changed file among many costs a command. */
import { lstatSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { openSandbox } from "../built.ts";
import { measurePairs, timed } from "../measure.ts";
import { type Effort, measureRow, type Row, type RowGroup } from "../row.ts";
import { fillWithFiles, withDirectory } from "../scratch.ts";

export const trackingRows: RowGroup = async (effort) => {
  const rows: Row[] = [];
  for (const files of effort.quick ? [100, 10_000] : [100, 1_000, 10_000, 100_000])
    rows.push(...(await commandRows(effort, files)));
  if (!effort.quick) rows.push(await openingRow(effort, 100_000));
  return rows;
};

function commandRows(effort: Effort, files: number): Promise<Row[]> {
  return withDirectory(async (directory) => {
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
    const size = { rounds: effort.rounds(200, 20), warmups: 2 };
    const against = "the same command untracked";
    const over = `${files.toLocaleString("en")} tracked files`;
    return [
      await measureRow({ what: `1 change in ${over}`, against, goal: { maxExtraMs: 5 } }, () =>
        measurePairs(change(tracked, 1), change(untracked, 0), size),
      ),
      await measureRow({ what: `\`true\` over ${over}`, against }, () =>
        measurePairs(nothing(tracked), nothing(untracked), size),
      ),
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
    const text = {
      what: `open and \`true\` over ${files.toLocaleString("en")} tracked files`,
      against: "a plain recursive walk with lstatSync",
      goal: { maxRatio: 1.5 },
    };
    return await measureRow(text, () =>
      measurePairs(open, walk, { rounds: effort.rounds(10, 4), warmups: 1 }),
    );
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
