/** What a tool call costs by the size of what it is given and gives back. */
import { openSandbox } from "../built.ts";
import { measurePairs, timed } from "../measure.ts";
import { measureRow, type Row, type RowGroup } from "../row.ts";
import { withDirectory } from "../scratch.ts";

const echo = (bytes: number, calls: number): string => `
  const text = "x".repeat(${bytes});
  for (let i = 0; i < ${calls}; i++)
    if ((await tools.echo({ text })).length !== ${bytes}) throw new Error("another length");`;

/**
 * More calls where one is short, so that the start of `js-exec` does not hide them. It takes JSON of 8 MiB each
 * way and refuses more; 8 MB both ways at once are more memory than it has.
 */
const SCRIPTS = [
  { what: "200 tool calls, 100 B each way", script: echo(100, 200) },
  { what: "100 tool calls, 10 KB each way", script: echo(10_000, 100) },
  { what: "5 tool calls, 1 MB each way", script: echo(1_000_000, 5) },
  { what: "1 tool call, 8 MB there", script: 'await tools.take({ text: "x".repeat(8_000_000) })' },
  { what: "1 tool call, 8 MB back", script: "await tools.give({ bytes: 8_000_000 })" },
];

const textInput = { type: "object", properties: { text: { type: "string" } } };
const TOOLS = {
  echo: {
    description: "gives back its text",
    inputSchema: textInput,
    execute: async ({ text }: { text: string }) => text,
  },
  take: {
    description: "gives back how long its text is",
    inputSchema: textInput,
    execute: async ({ text }: { text: string }) => text.length,
  },
  give: {
    description: "gives back a text of that length",
    inputSchema: { type: "object", properties: { bytes: { type: "number" } } },
    execute: async ({ bytes }: { bytes: number }) => "x".repeat(bytes),
  },
};

export const payloadRows: RowGroup = (effort) =>
  withDirectory(async (directory) => {
    const options = { mounts: { "/work": directory }, tools: TOOLS };
    await using inWorker = await openSandbox({ ...options, sandbox: "subprocess" });
    await using inProcess = await openSandbox({ ...options, sandbox: "just-bash" });
    const rows: Row[] = [];
    for (const { what, script } of SCRIPTS) {
      const run = (sandbox: typeof inWorker) => () =>
        timed(async () => {
          const { exitCode, stderr } = await sandbox.exec(`js-exec -c '${script}'`);
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
