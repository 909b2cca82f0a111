/** From nothing to the first result: a sandbox opened, its worker spawned, one command run. */
import { startBareNode, stopBareNode } from "../bare.ts";
import { openSandbox } from "../built.ts";
import { measurePairs, type Sample, timed } from "../measure.ts";
import { missingOption } from "../missing-option.ts";
import type { Row, RowGroup } from "../row.ts";
import { withDirectory } from "../scratch.ts";

/** Opens, runs `true`, and is disposed of once the clock has stopped. */
function firstResult(directory: string, options: object): Sample {
  return async () => {
    const startedMs = performance.now();
    const sandbox = await openSandbox({ mounts: { "/work": directory }, sandbox: "subprocess", ...options });
    try {
      const { exitCode, stderr } = await sandbox.exec("true");
      if (exitCode !== 0) throw new Error(`the first command failed: ${stderr}`);
      return performance.now() - startedMs;
    } finally {
      await sandbox.dispose();
    }
  };
}

/** How long a spare has to start and to warm up: it is what a host's idle time is for. */
const SPARE_READY_MS = 1_500;

/** The same once a spare waits. */
function firstResultOfSpare(directory: string): Sample {
  const first = firstResult(directory, { prewarm: 1 });
  return async () => {
    await new Promise((resolve) => setTimeout(resolve, SPARE_READY_MS));
    return first();
  };
}

/** The tenth command of a sandbox. */
function warmExec(directory: string): Sample {
  return async () => {
    const sandbox = await openSandbox({ mounts: { "/work": directory }, sandbox: "subprocess" });
    try {
      for (let count = 0; count < 9; count++) await sandbox.exec("true");
      return await timed(async () => {
        await sandbox.exec("true");
      });
    } finally {
      await sandbox.dispose();
    }
  };
}

async function bareFirstByte(): Promise<number> {
  let child: Awaited<ReturnType<typeof startBareNode>> | undefined;
  const tookMs = await timed(async () => {
    child = await startBareNode();
  });
  if (child !== undefined) await stopBareNode(child);
  return tookMs;
}

export const coldRows: RowGroup = (effort) =>
  withDirectory(async (directory) => {
    const size = { rounds: effort.rounds(40, 10), warmups: 2 };
    const cold = {
      what: "spawn to first result, cold",
      against: "bare `node` spawn to first byte",
      unit: "ms" as const,
      pairs: await measurePairs(firstResult(directory, {}), bareFirstByte, size),
      goal: { maxRatio: 2.5 },
    };
    const prewarm = {
      what: "first result with `prewarm`",
      against: "a warm `exec('true')`",
      unit: "ms" as const,
      pairs: await measurePairs(firstResultOfSpare(directory), warmExec(directory), size),
      goal: { maxRatio: 2 },
    };
    const onRung = async (isolation: "hardened" | "namespace", maxRatio: number | null): Promise<Row> => {
      const what = `\`${isolation}\` rung, cold`;
      const reason = await missingOption(directory, { isolation });
      if (reason !== null) return { what, reason };
      return {
        what,
        against: "`process` rung, cold",
        unit: "ms",
        pairs: await measurePairs(
          firstResult(directory, { isolation }),
          firstResult(directory, { isolation: "process" }),
          size,
        ),
        goal: maxRatio === null ? null : { maxRatio },
      };
    };
    return [cold, prewarm, await onRung("hardened", null), await onRung("namespace", 1.15)];
  });
