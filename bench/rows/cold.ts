/** From nothing to the first result: a sandbox opened, its worker spawned, one command run. */
import { startBareNode, stopBareNode } from "../bare.ts";
import { openSandbox } from "../built.ts";
import { measurePairs, type Sample, type Size, timed } from "../measure.ts";
import { missingOption } from "../missing-option.ts";
import { measureRow, type Row, type RowGroup } from "../row.ts";
import { withDirectory } from "../scratch.ts";
import { startThreadBash } from "../thread-bash.ts";

/** Opens, runs `true`, and is disposed of once the clock has stopped. */
export function firstResult(directory: string, options: object): Sample {
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
function tenthExec(directory: string): Sample {
  return async () => {
    const sandbox = await openSandbox({ mounts: { "/work": directory }, sandbox: "subprocess" });
    try {
      for (let count = 0; count < 9; count++) await sandbox.exec("true");
      return await timed(() => sandbox.exec("true"));
    } finally {
      await sandbox.dispose();
    }
  };
}

/** Node.js spawned, to its first byte. */
export async function bareFirstByte(): Promise<number> {
  const startedMs = performance.now();
  const child = await startBareNode();
  const tookMs = performance.now() - startedMs;
  await stopBareNode(child);
  return tookMs;
}

async function threadFirstResult(): Promise<number> {
  const startedMs = performance.now();
  const bash = startThreadBash();
  await bash.exec("true");
  const tookMs = performance.now() - startedMs;
  await bash.stop();
  return tookMs;
}

export const coldRows: RowGroup = (effort) =>
  withDirectory(async (directory) => {
    const size = { rounds: effort.rounds(100, 6), warmups: 2 };
    const fewer = { rounds: effort.rounds(40, 5), warmups: 1 };
    const what = "spawn to first result, cold";
    const first = firstResult(directory, {});
    return [
      await measureRow({ what, against: "bare `node` spawn to first byte", goal: { maxRatio: 2.5 } }, () =>
        measurePairs(first, bareFirstByte, size),
      ),
      await measureRow({ what, against: "just-bash in a new worker thread" }, () =>
        measurePairs(first, threadFirstResult, fewer),
      ),
      await measureRow(
        {
          what: "first result with `prewarm`",
          against: "the tenth `exec('true')` of a sandbox",
          goal: { maxRatio: 2 },
        },
        () => measurePairs(firstResultOfSpare(directory), tenthExec(directory), fewer),
      ),
      await onRung(directory, "hardened", null, fewer),
      await onRung(directory, "namespace", 1.15, fewer),
    ];
  });

async function onRung(
  directory: string,
  isolation: "hardened" | "namespace",
  maxRatio: number | null,
  size: Size,
): Promise<Row> {
  const what = `\`${isolation}\` rung, cold`;
  const reason = await missingOption(directory, { isolation });
  if (reason !== null) return { what, reason };
  const goal = maxRatio === null ? null : { maxRatio };
  return await measureRow({ what, against: "`process` rung, cold", goal }, () =>
    measurePairs(
      firstResult(directory, { isolation }),
      firstResult(directory, { isolation: "process" }),
      size,
    ),
  );
}
