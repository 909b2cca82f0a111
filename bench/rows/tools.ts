/** Tool calls from a script: each crosses from QuickJS to the engine to the parent and back. */
import { openSandbox } from "../built.ts";
import { measurePairs, timed } from "../measure.ts";
import type { Row, RowGroup } from "../row.ts";
import { withDirectory } from "../scratch.ts";

const CALLS = 1_000;

const SCRIPTS = [
  {
    what: "1,000 tool calls in one script, one after another",
    script: `js-exec -c 'for (let i = 0; i < ${CALLS}; i++) await tools.count({ i })'`,
    goal: { maxRatio: 1.3 },
  },
  {
    what: "1,000 tool calls in one script, in one `Promise.all`",
    script: `js-exec -c 'await Promise.all(Array.from({ length: ${CALLS} }, (_, i) => tools.count({ i })))'`,
    goal: { maxRatio: 1.3 },
  },
  { what: "`js-exec` with no tool call", script: "js-exec -c 1", goal: null },
];

export const toolRows: RowGroup = (effort) =>
  withDirectory(async (directory) => {
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
    const run = (sandbox: typeof inWorker, script: string) => async () => {
      const before = calls;
      const tookMs = await timed(async () => {
        const { exitCode, stderr } = await sandbox.exec(script);
        if (exitCode !== 0) throw new Error(stderr);
      });
      if (script.includes("tools") && calls - before !== CALLS) throw new Error("not every call arrived");
      return tookMs;
    };
    const rows: Row[] = [];
    for (const { what, script, goal } of SCRIPTS) {
      rows.push({
        what,
        against: "in-process adapter",
        unit: "ms",
        pairs: await measurePairs(run(inWorker, script), run(inProcess, script), {
          rounds: effort.rounds(20, 4),
          warmups: 1,
        }),
        goal,
      });
    }
    return rows;
  });
