/** What a tool call costs by the size of what it is given and gives back. */
import { openSandbox } from "../built.ts";
import { measurePairs, timed } from "../measure.ts";
import { measureRow, type Row, type RowGroup } from "../row.ts";
import { withDirectory } from "../scratch.ts";

/** More calls where one is short, so that the start of `js-exec` does not hide them. */
const SIZES = [
  { name: "100 B", bytes: 100, calls: 200 },
  { name: "10 KB", bytes: 10_000, calls: 100 },
  { name: "1 MB", bytes: 1_000_000, calls: 5 },
  { name: "10 MB", bytes: 10_000_000, calls: 1 },
];

export const payloadRows: RowGroup = (effort) =>
  withDirectory(async (directory) => {
    const tools = {
      echo: {
        description: "gives back its text",
        inputSchema: { type: "object", properties: { text: { type: "string" } } },
        execute: async ({ text }: { text: string }) => text,
      },
    };
    const mounts = { "/work": directory };
    await using inWorker = await openSandbox({ mounts, tools, sandbox: "subprocess" });
    await using inProcess = await openSandbox({ mounts, tools, sandbox: "just-bash" });
    const rows: Row[] = [];
    for (const { name, bytes, calls } of SIZES) {
      const what = `${calls === 1 ? "1 tool call" : `${calls} tool calls`}, ${name} each way`;
      const script = `js-exec -c '
        const text = "x".repeat(${bytes});
        for (let i = 0; i < ${calls}; i++)
          if ((await tools.echo({ text })).length !== ${bytes}) throw new Error("another length");'`;
      const run = (sandbox: typeof inWorker) => () =>
        timed(async () => {
          const { exitCode, stderr } = await sandbox.exec(script);
          if (exitCode !== 0) throw new Error(stderr);
        });
      rows.push(
        await measureRow({ what, against: "in-process adapter" }, () =>
          measurePairs(run(inWorker), run(inProcess), { rounds: effort.rounds(20, 3), warmups: 1 }),
        ),
      );
    }
    return rows;
  });
