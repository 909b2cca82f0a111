/** What finding one changed file among many costs a command. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openSandbox } from "../built.ts";
import { measurePairs, timed } from "../measure.ts";
import type { RowGroup } from "../row.ts";
import { fillWithFiles, withDirectory } from "../scratch.ts";

const FILES = 10_000;

export const trackingRows: RowGroup = (effort) =>
  withDirectory(async (directory) => {
    const open = async (name: string, tracked: boolean) => {
      const path = join(directory, name);
      mkdirSync(path);
      fillWithFiles(path, FILES);
      return openSandbox({ mounts: { "/work": { path, tracked } }, sandbox: "subprocess" });
    };
    await using tracked = await open("tracked", true);
    await using untracked = await open("untracked", false);
    let round = 0;
    const change = (sandbox: typeof tracked, expected: number) => async () => {
      const index = round++ % FILES;
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
        what: "1 change in 10,000 tracked files",
        against: "the same command untracked",
        unit: "ms",
        pairs: await measurePairs(change(tracked, 1), change(untracked, 0), size),
        goal: { maxExtraMs: 5 },
      },
      {
        what: "`true` over 10,000 tracked files",
        against: "the same command untracked",
        unit: "ms",
        pairs: await measurePairs(nothing(tracked), nothing(untracked), size),
        goal: null,
      },
    ];
  });
