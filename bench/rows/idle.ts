/** What a worker weighs that has run one command and waits for the next. */
import { startBareNode, stopBareNode } from "../bare.ts";
import { openSandbox } from "../built.ts";
import { toPairs } from "../measure.ts";
import { nodeDescendants, pssMb } from "../processes.ts";
import type { Row, RowGroup } from "../row.ts";
import { withDirectory } from "../scratch.ts";

export const idleRows: RowGroup = async (effort) => {
  const what = (count: number): string => `idle child, PSS at ${count} children`;
  if (process.platform !== "linux") return [{ what: what(50), reason: "only Linux tells it" }];
  const rows: Row[] = [];
  for (const count of effort.quick ? [20] : [20, 50]) {
    rows.push({
      what: what(count),
      against: `${count} bare node children`,
      unit: "MB",
      pairs: toPairs(await workers(count), await bareNodes(count)),
      goal: { maxRatio: 1.5 },
    });
  }
  return rows;
};

function workers(count: number): Promise<number[]> {
  return withDirectory(async (directory) => {
    const before = new Set(nodeDescendants());
    const open = () => openSandbox({ mounts: { "/work": directory }, sandbox: "subprocess" });
    const sandboxes = await Promise.all(Array.from({ length: count }, open));
    try {
      await Promise.all(sandboxes.map((sandbox) => sandbox.exec("true")));
      return weights(
        nodeDescendants().filter((pid) => !before.has(pid)),
        count,
      );
    } finally {
      await Promise.all(sandboxes.map((sandbox) => sandbox.dispose()));
    }
  });
}

async function bareNodes(count: number): Promise<number[]> {
  const children = await Promise.all(Array.from({ length: count }, startBareNode));
  try {
    return weights(
      children.flatMap(({ pid }) => pid ?? []),
      count,
    );
  } finally {
    await Promise.all(children.map(stopBareNode));
  }
}

function weights(pids: readonly number[], expected: number): number[] {
  if (pids.length !== expected) throw new Error(`${pids.length} children were found, not ${expected}`);
  return pids.map(pssMb).sort((a, b) => a - b);
}
