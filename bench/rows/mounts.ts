/** What the number of mounts costs a command, and the first one. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openSandbox } from "../built.ts";
import { measurePairs, timed } from "../measure.ts";
import { measureRow, type Row, type RowGroup, warmSize } from "../row.ts";
import { withDirectory } from "../scratch.ts";
import { firstResult } from "./cold.ts";

export const mountRows: RowGroup = (effort) =>
  withDirectory(async (directory) => {
    const rows: Row[] = [];
    for (const count of effort.quick ? [100] : [10, 100]) {
      const [few, many] = [mountsBelow(directory, 1), mountsBelow(directory, count)];
      const warm = `warm \`exec('true')\` over ${count} mounts`;
      const cold = `first result over ${count} mounts, cold`;
      const against = "the same over 1 mount";
      rows.push(
        await measureRow({ what: warm, against }, async () => {
          await using wide = await openSandbox({ mounts: many, sandbox: "subprocess" });
          await using narrow = await openSandbox({ mounts: few, sandbox: "subprocess" });
          const run = (sandbox: typeof wide) => () => timed(() => sandbox.exec("true"));
          return await measurePairs(run(wide), run(narrow), warmSize(effort));
        }),
        await measureRow({ what: cold, against }, () => {
          const first = (mounts: typeof many) => firstResult(directory, { mounts, cwd: "/m0" });
          const size = { rounds: effort.rounds(20, 4), warmups: 1 };
          return measurePairs(first(many), first(few), size);
        }),
      );
    }
    return rows;
  });

/** `/m0`, `/m1` … over directories of their own. */
function mountsBelow(directory: string, count: number): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => {
      const path = join(directory, `m${index}`);
      mkdirSync(path, { recursive: true });
      return [`/m${index}`, path];
    }),
  );
}
