/** Whether a sandbox gets slower, or its worker heavier, with the commands that it has run. */
import { openSandbox } from "../built.ts";
import { measurePairs, timed } from "../measure.ts";
import { nodeDescendants, pssMb } from "../processes.ts";
import { measureRow, type Row, type RowGroup } from "../row.ts";
import { withDirectory } from "../scratch.ts";

/** Changes the shell's state, writes a file, and prints: what an agent's commands do. */
export const AGENT_COMMAND = 'n=$((n + 1)); echo "$n" >count; echo "command $n"';
/** What the younger sandbox has run: by then the engine's code is compiled as well as in the older one. */
const WARMUPS = 100;

export const commandRows: RowGroup = (effort) =>
  withDirectory(async (directory) => {
    const open = () => openSandbox({ mounts: { "/work": directory }, sandbox: "subprocess" });
    await using old = await open();
    const rows: Row[] = [];
    const rounds = effort.rounds(200, 30);
    const once = (sandbox: typeof old) => () => timed(() => sandbox.exec(AGENT_COMMAND));
    let count = 0;
    for (const age of effort.quick ? [10, 100, 1_000] : [10, 100, 1_000, 10_000]) {
      let weightMb: number | null = null;
      const text = {
        what: `one command after ${age.toLocaleString("en")} in the same sandbox`,
        against: `the same after ${WARMUPS}`,
        note: () => (weightMb === null ? null : `the older worker: ${weightMb.toFixed(0)} MB PSS`),
      };
      rows.push(
        await measureRow(text, async () => {
          for (; count < age; count++) await old.exec(AGENT_COMMAND);
          weightMb = heaviestChildMb();
          await using young = await open();
          for (let index = 0; index < WARMUPS; index++) await young.exec(AGENT_COMMAND);
          count += rounds;
          return await measurePairs(once(old), once(young), { rounds, warmups: 0 });
        }),
      );
    }
    return rows;
  });

/** The one worker that lives at this moment. */
function heaviestChildMb(): number | null {
  if (process.platform !== "linux") return null;
  return Math.max(...nodeDescendants().map(pssMb));
}
