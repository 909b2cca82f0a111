/** Tool calls from a script: each crosses from QuickJS to the engine to the parent and back. */
import { openSandbox } from "../built.ts";
import { measurePairs, timed } from "../measure.ts";
import { measureRow, type Row, type RowGroup } from "../row.ts";
import { withDirectory } from "../scratch.ts";

const CALLS = 1_000;

export const ONE_BY_ONE = {
  what: "1,000 tool calls in one script, one after another",
  script: `js-exec -c 'for (let i = 0; i < ${CALLS}; i++) await tools.count({ i })'`,
  goal: { maxRatio: 1.3 },
};

const SCRIPTS = [
  ONE_BY_ONE,
  {
    what: "1,000 tool calls in one script, in one `Promise.all`",
    script: `js-exec -c 'await Promise.all(Array.from({ length: ${CALLS} }, (_, i) => tools.count({ i })))'`,
    goal: { maxRatio: 1.3 },
  },
  { what: "`js-exec` with no tool call", script: "js-exec -c 1", goal: null },
];

/** Both sides of a row of tool calls. */
export async function withToolSandboxes<T>(
  work: (sides: Record<"worker" | "inProcess", (script: string) => () => Promise<number>>) => Promise<T>,
): Promise<T> {
  return await withDirectory(async (directory) => {
    let calls = 0;
    const tools = {
      count: {
        description: "counts its calls",
        inputSchema: { type: "object", properties: { i: { type: "number" } } },
        execute: async () => ++calls,
      },
    };
    const mounts = { "/work": directory };
    await using inWorker = await openSandbox({ mounts, tools, sandbox: "subprocess" });
    await using inProcess = await openSandbox({ mounts, tools, sandbox: "just-bash" });
    const run = (sandbox: typeof inWorker) => (script: string) => async () => {
      const before = calls;
      const tookMs = await timed(async () => {
        const { exitCode, stderr } = await sandbox.exec(script);
        if (exitCode !== 0) throw new Error(stderr);
      });
      if (script.includes("tools") && calls - before !== CALLS) throw new Error("not every call arrived");
      return tookMs;
    };
    return await work({ worker: run(inWorker), inProcess: run(inProcess) });
  });
}

export const toolRows: RowGroup = (effort) =>
  withToolSandboxes(async ({ worker, inProcess }) => {
    const rows: Row[] = [];
    for (const { what, script, goal } of SCRIPTS) {
      rows.push(
        await measureRow({ what, against: "in-process adapter", goal }, () =>
          measurePairs(worker(script), inProcess(script), { rounds: effort.rounds(40, 4), warmups: 1 }),
        ),
      );
    }
    return rows;
  });
