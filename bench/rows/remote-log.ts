/** Appends through a server on this machine, against the same appends to the log in memory that it serves. */
import type { HarnessSessionLog } from "../../src/shared/session-log.ts";
import { loadSessionLogs } from "../built.ts";
import { measurePairs } from "../measure.ts";
import { measureRow, type RowGroup } from "../row.ts";

const APPENDS = 200;

export const remoteLogRows: RowGroup = async (effort) => {
  const { memorySessionLog, remoteSessionLog, startSessionLogServer } = await loadSessionLogs();
  const authToken = "bench";
  await using server = await startSessionLogServer({ authToken });
  const direct = memorySessionLog();
  const size = { rounds: effort.rounds(30, 5), warmups: effort.rounds(5, 2) };
  const rows = [];
  for (const clients of [1, 50]) {
    const remotes = Array.from({ length: clients }, () =>
      remoteSessionLog({ baseUrl: server.url, authToken }),
    );
    const directs = remotes.map(() => direct);
    rows.push(
      await measureRow(
        {
          what: `append through \`remoteSessionLog()\`, ${clients} ${clients === 1 ? "client" : "clients at once"}, per append`,
          against: "`memorySessionLog()` in process",
          note: ({ value }) =>
            `${Math.round(1_000 / value.p50)} appends per second; client and server in one process`,
        },
        () =>
          measurePairs(
            () => appendAll(remotes),
            () => appendAll(directs),
            size,
          ),
      ),
    );
    await Promise.all(remotes.map((remote) => remote.close()));
  }
  return rows;
};

let runs = 0;

/** Milliseconds per append, each client one behind the other in a run of its own. */
async function appendAll(logs: readonly HarnessSessionLog[]): Promise<number> {
  const each = Math.ceil(APPENDS / logs.length);
  const startedMs = performance.now();
  await Promise.all(
    logs.map(async (log) => {
      const runId = `bench-${runs++}`;
      for (let n = 0; n < each; n++)
        await log.append({
          runId,
          appendIdempotencyKey: `step/${n}`,
          type: "bench.step",
          data: { n, text: "x".repeat(200) },
        });
    }),
  );
  return (performance.now() - startedMs) / (each * logs.length);
}
