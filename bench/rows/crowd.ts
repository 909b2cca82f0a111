/** Many sandboxes at once: how fast they start, what an idle one weighs, how long a command waits under load. */
import { mkdirSync } from "node:fs";
import { freemem } from "node:os";
import { join } from "node:path";
import { type BareNode, startBareNode, stopBareNode } from "../bare.ts";
import { openSandbox } from "../built.ts";
import { measureManyPairs, measurePairs, type Pairs, timed, toPairs } from "../measure.ts";
import { nodeDescendants, pssMb } from "../processes.ts";
import { round } from "../report.ts";
import { type Effort, measureRow, type Row, type RowGroup } from "../row.ts";
import { withDirectory } from "../scratch.ts";
import { AGENT_COMMAND } from "./commands.ts";

type Sandbox = Awaited<ReturnType<typeof openSandbox>>;

/** Megabytes a sandbox takes while a crowd starts, with a margin: a machine that swaps measures its disk. */
const ROOM_MB = 80;
/** Of the samples under load, over all sandboxes. */
const LOAD_SAMPLES = { full: 1_000, quick: 200 };

export const crowdRows: RowGroup = async (effort) => {
  const rows: Row[] = [];
  for (const count of effort.quick ? [1, 10, 50] : [1, 10, 50, 200]) {
    const freeMb = freemem() / 1024 ** 2;
    if (freeMb < count * ROOM_MB) {
      rows.push({ what: `${count} sandboxes`, reason: `only ${Math.round(freeMb)} MB of memory are free` });
      continue;
    }
    rows.push(
      ...(await withDirectory(async (directory) => [
        await startRow(directory, count, effort),
        await weightRow(directory, count),
        await loadRow(directory, count, effort),
      ])),
    );
  }
  return rows;
};

/** All at once, each to its first result; the time is shared among them. */
function startRow(directory: string, count: number, effort: Effort): Promise<Row> {
  const text = {
    what: `start of ${sandboxes(count)} to first results, each`,
    against: `${bare(count)} to first bytes, each`,
    note: ({ value, base }: Pairs) =>
      `${round(1_000 / value.p50)} a second, of the bare ones ${round(1_000 / base.p50)}`,
  };
  return measureRow(text, () => {
    const share = async <T>(start: () => Promise<T[]>, stop: (all: T[]) => Promise<void>) => {
      const startedMs = performance.now();
      const all = await start();
      const tookMs = performance.now() - startedMs;
      await stop(all);
      return tookMs / count;
    };
    return measurePairs(
      () => share(() => openCrowd(directory, count, "subprocess"), disposeAll),
      () => share(() => startBareNodes(count), stopBareNodes),
      // Many of few, few of many: a start is a start.
      { rounds: Math.max(1, Math.round(effort.rounds(100, 10) / count)), warmups: count > 10 ? 0 : 1 },
    );
  });
}

function weightRow(directory: string, count: number): Promise<Row> {
  const what = `idle child, PSS at ${count === 1 ? "1 child" : `${count} children`}`;
  if (process.platform !== "linux") return Promise.resolve({ what, reason: "only Linux tells it" });
  const goal = count === 50 ? { maxRatio: 1.5 } : null;
  return measureRow({ what, against: bare(count), unit: "MB", goal }, async () => {
    const before = new Set(nodeDescendants());
    const crowd = await openCrowd(directory, count, "subprocess");
    const workers = nodeDescendants().filter((pid) => !before.has(pid));
    const values = await weigh(workers, count).finally(() => disposeAll(crowd));
    const children = await startBareNodes(count);
    const bases = await weigh(
      children.flatMap(({ pid }) => pid ?? []),
      count,
    ).finally(() => stopBareNodes(children));
    return toPairs(values, bases);
  });
}

/** A command in all of them at once, again and again; each command is one sample. */
function loadRow(directory: string, count: number, effort: Effort): Promise<Row> {
  const what = `one command in each of ${sandboxes(count)} at the same time`;
  return measureRow({ what, against: "as many in-process adapters" }, async () => {
    const workers = await openCrowd(directory, count, "subprocess");
    const adapters = await openCrowd(directory, count, "just-bash");
    try {
      const run = (crowd: readonly Sandbox[]) => () =>
        Promise.all(crowd.map((sandbox) => timed(() => sandbox.exec(AGENT_COMMAND))));
      const samples = effort.rounds(LOAD_SAMPLES.full, LOAD_SAMPLES.quick);
      return await measureManyPairs(run(workers), run(adapters), {
        rounds: Math.ceil(samples / count),
        warmups: Math.ceil(samples / count / 4),
      });
    } finally {
      await disposeAll([...workers, ...adapters]);
    }
  });
}

async function openCrowd(
  directory: string,
  count: number,
  sandbox: "subprocess" | "just-bash",
): Promise<Sandbox[]> {
  const openOne = async (_: unknown, index: number): Promise<Sandbox> => {
    const path = join(directory, `${sandbox}-${index}`);
    mkdirSync(path, { recursive: true });
    const opened = await openSandbox({ mounts: { "/work": path }, sandbox });
    await opened.exec("true");
    return opened;
  };
  return await Promise.all(Array.from({ length: count }, openOne));
}

async function disposeAll(crowd: readonly Sandbox[]): Promise<void> {
  await Promise.all(crowd.map((sandbox) => sandbox.dispose()));
}

function startBareNodes(count: number): Promise<BareNode[]> {
  return Promise.all(Array.from({ length: count }, startBareNode));
}

async function stopBareNodes(children: readonly BareNode[]): Promise<void> {
  await Promise.all(children.map(stopBareNode));
}

async function weigh(pids: readonly number[], expected: number): Promise<number[]> {
  if (pids.length !== expected) throw new Error(`${pids.length} children were found, not ${expected}`);
  return pids.map(pssMb).sort((a, b) => a - b);
}

const sandboxes = (count: number): string => (count === 1 ? "1 sandbox" : `${count} sandboxes at once`);
const bare = (count: number): string => (count === 1 ? "1 bare node child" : `${count} bare node children`);
