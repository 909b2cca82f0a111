/** The session log in a file: appends, appends that wait for the disk, and one run of a large log. */
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { HarnessSessionLog } from "../../src/shared/session-log.ts";
import { loadSessionLogs } from "../built.ts";
import { measurePairs, timed } from "../measure.ts";
import { type Goal, measureRow, type Row, type RowGroup } from "../row.ts";
import { withDirectory } from "../scratch.ts";

const EVENTS_OF_A_RUN = 100;
/** Runs whose events lie between each other's. */
const RUNS_AT_ONCE = 100;

const appendOf = (runId: string, n: number) => ({
  runId,
  appendIdempotencyKey: `step/${n}`,
  type: "bench.event",
  data: { n, text: "some two hundred bytes ".repeat(8) },
});

/** Appends `count` events of one run, `inFlight` at once. */
async function appendAll(
  log: HarnessSessionLog,
  runId: string,
  count: number,
  inFlight: number,
): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) await log.append(appendOf(runId, next++));
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
}

/** `count` lines of 600 bytes, about what an event takes, one after the other. */
async function writeLines(path: string, count: number, sync: boolean): Promise<void> {
  const file = await open(path, "w");
  const line = Buffer.from(`${"x".repeat(599)}\n`);
  for (let n = 0; n < count; n++) {
    await file.write(line);
    if (sync) await file.datasync();
  }
  await file.close();
}

async function withLog(
  log: HarnessSessionLog,
  work: (log: HarnessSessionLog) => Promise<void>,
): Promise<void> {
  await work(log);
  await log.close();
}

async function fill(large: HarnessSessionLog, events: number): Promise<void> {
  await withLog(large, async (log) => {
    const runs = events / EVENTS_OF_A_RUN;
    for (let first = 0; first < runs; first += RUNS_AT_ONCE)
      for (let n = 0; n < EVENTS_OF_A_RUN; n++) {
        const ids = Array.from(
          { length: Math.min(RUNS_AT_ONCE, runs - first) },
          (_, run) => `run-${first + run}`,
        );
        await Promise.all(ids.map((runId) => log.append(appendOf(runId, n))));
      }
  });
}

export const sessionLogRows: RowGroup = (effort) =>
  withDirectory(async (directory) => {
    const { fileSessionLog } = await loadSessionLogs();
    const rows: Row[] = [];
    let files = 0;
    const newPath = () => join(directory, `log-${files++}.ndjson`);

    const appendRow = (count: number, sync: boolean, inFlight: number, against: string, goal: Goal | null) =>
      measureRow(
        {
          what: `${count} appends to a file log, \`sync: ${sync}\`, ${inFlight} in flight`,
          against,
          goal,
          note: ({ value }) => `${Math.round(count / (value.p50 / 1_000))} appends a second`,
        },
        () =>
          measurePairs(
            () =>
              timed(() =>
                withLog(fileSessionLog({ path: newPath(), sync }), (log) =>
                  appendAll(log, "run", count, inFlight),
                ),
              ),
            () => timed(() => writeLines(newPath(), count, sync)),
            { rounds: effort.rounds(10, 3), warmups: 1 },
          ),
      );

    const appends = effort.rounds(10_000, 2_000);
    // A thousand appends a second.
    const unsynced = { maxExtraMs: appends };
    for (const inFlight of [1, 100])
      rows.push(await appendRow(appends, false, inFlight, "as many plain writes", unsynced));
    for (const inFlight of [1, 10, 100]) {
      const goal = inFlight === 1 ? null : { maxRatio: 1 };
      rows.push(await appendRow(200, true, inFlight, "a plain write and `fdatasync` each", goal));
    }

    const small = join(directory, "small.ndjson");
    await fill(fileSessionLog({ path: small, sync: false }), 10_000);
    const readOne = (path: string) => () =>
      timed(() =>
        withLog(fileSessionLog({ path, sync: false }), async (log) => {
          const events = await log.read("run-42");
          if (events.length !== EVENTS_OF_A_RUN) throw new Error(`${events.length} events were read`);
        }),
      );
    for (const count of effort.quick ? [100_000] : [100_000, 1_000_000]) {
      const large = join(directory, `large-${count}.ndjson`);
      await fill(fileSessionLog({ path: large, sync: false }), count);
      rows.push(
        await measureRow(
          {
            what: `open a file log of ${count} events and read one run of ${EVENTS_OF_A_RUN}`,
            against: "the same with a log of 10000 events",
            goal: { maxRatio: 2 },
          },
          () => measurePairs(readOne(large), readOne(small), { rounds: effort.rounds(40, 10), warmups: 3 }),
        ),
      );
    }
    return rows;
  });
