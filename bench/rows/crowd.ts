/** Many sandboxes at once: how fast they start, what an idle one weighs, how long a command waits under load. */
import { mkdirSync } from "node:fs";
import { freemem } from "node:os";
import { join } from "node:path";
import { type BareNode, startBareNode, stopBareNode } from "../bare.ts";
import { openSandbox } from "../built.ts";
import { measureManyPairs, measurePairs, type Pairs, timed, toPairs } from "../measure.ts";
import { nodeDescendants, pssMb } from "../processes.ts";
import { round } from "../report.ts";
import { type Effort, firstSentence, measureRow, type Row, type RowGroup } from "../row.ts";
import { withDirectory } from "../scratch.ts";
import { AGENT_COMMAND } from "./commands.ts";

/** Without work for so long a worker has ended its watcher thread (30 s), and V8 has collected what the start left. */
const REST_MS = 35_000;

type Sandbox = Awaited<ReturnType<typeof openSandbox>>;

/** Megabytes a sandbox takes while a crowd starts, with a margin: a machine that swaps measures its disk. */
const ROOM_MB = 80;

export const crowdRows: RowGroup = async (effort) => {
  const rows: Row[] = [];
  for (const count of effort.quick ? [1, 10] : [1, 10, 50, 200]) {
    const what = `${count} sandboxes at once`;
    const freeMb = freemem() / 1024 ** 2;
    if (freeMb < count * ROOM_MB) {
      rows.push({ what, reason: `only ${Math.round(freeMb)} MB of memory are free` });
      continue;
    }
    try {
      rows.push(...(await withDirectory((directory) => rowsOf(directory, count, effort))));
    } catch (error) {
      rows.push({ what, failure: firstSentence(error) });
    }
  }
  return rows;
};

/** The crowd of the last start stays for the other rows: starting 200 takes longer than all else. */
async function rowsOf(directory: string, count: number, effort: Effort): Promise<Row[]> {
  let crowd: Sandbox[] = [];
  const others = new Set(process.platform === "linux" ? nodeDescendants() : []);
  try {
    const started = await startRow(count, effort, async () => {
      await disposeAll(crowd.splice(0));
      const startedMs = performance.now();
      crowd = await openCrowd(directory, count, "subprocess");
      return (performance.now() - startedMs) / count;
    });
    if ("failure" in started) return [started];
    return [started, await weightRow(count, others), await loadRow(directory, crowd, effort)];
  } finally {
    await disposeAll(crowd);
  }
}

/** All at once, each to its first result; the time is shared among them. */
function startRow(count: number, effort: Effort, start: () => Promise<number>): Promise<Row> {
  const text = {
    what: `start at once of ${sandboxes(count)}, each to its first result`,
    against: `${bare(count)}, each to its first byte`,
    note: ({ value, base }: Pairs) =>
      `${round(1_000 / value.p50)} a second, of the bare ones ${round(1_000 / base.p50)}`,
  };
  const startBare = async () => {
    const startedMs = performance.now();
    const children = await startBareNodes(count);
    const tookMs = performance.now() - startedMs;
    await stopBareNodes(children);
    return tookMs / count;
  };
  // Many of few, few of many: a start is a start.
  const rounds = Math.max(1, Math.round(effort.rounds(100, 5) / count));
  return measureRow(text, () => measurePairs(start, startBare, { rounds, warmups: count > 10 ? 0 : 1 }));
}

function weightRow(count: number, others: ReadonlySet<number>): Promise<Row> {
  const what = `idle child, PSS at ${count === 1 ? "1 child" : `${count} children`}`;
  if (process.platform !== "linux") return Promise.resolve({ what, reason: "only Linux tells it" });
  const goal = count === 50 ? { maxRatio: 1.5 } : null;
  return measureRow({ what, against: bare(count), unit: "MB", goal }, async () => {
    const workers = nodeDescendants().filter((pid) => !others.has(pid));
    const children = await startBareNodes(count);
    try {
      await new Promise((resolve) => setTimeout(resolve, REST_MS));
      const bases = weigh(
        children.flatMap(({ pid }) => pid ?? []),
        count,
      );
      return toPairs(weigh(workers, count), bases);
    } finally {
      await stopBareNodes(children);
    }
  });
}

/** A command in all of them at once, again and again; each command is one sample. */
function loadRow(directory: string, crowd: readonly Sandbox[], effort: Effort): Promise<Row> {
  const what = `a command in each of ${sandboxes(crowd.length)} at the same time`;
  return measureRow({ what, against: "as many in-process adapters" }, async () => {
    const adapters = await openCrowd(directory, crowd.length, "just-bash");
    try {
      const run = (side: readonly Sandbox[]) => () =>
        Promise.all(side.map((sandbox) => timed(() => sandbox.exec(AGENT_COMMAND))));
      const laps = Math.ceil(effort.rounds(1_000, 100) / crowd.length);
      return await measureManyPairs(run(crowd), run(adapters), {
        rounds: laps,
        warmups: Math.ceil(laps / 4),
      });
    } finally {
      await disposeAll(adapters);
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
    const { exitCode, stderr } = await opened.exec("true");
    if (exitCode !== 0) throw new Error(`the first command failed: ${stderr}`);
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

function weigh(pids: readonly number[], expected: number): number[] {
  if (pids.length !== expected) throw new Error(`${pids.length} children were found, not ${expected}`);
  return pids.map(pssMb).sort((a, b) => a - b);
}

const sandboxes = (count: number): string => (count === 1 ? "1 sandbox" : `${count} sandboxes`);
const bare = (count: number): string => (count === 1 ? "1 bare node child" : `${count} bare node children`);
