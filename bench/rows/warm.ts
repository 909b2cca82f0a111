/** One command in a sandbox that already runs. */
import { execa } from "execa";
import { Bash } from "just-bash";
import { openSandbox } from "../built.ts";
import { measurePairs, timed } from "../measure.ts";
import { missingOption } from "../missing-option.ts";
import type { Row, RowGroup } from "../row.ts";
import { withDirectory } from "../scratch.ts";

export const warmRows: RowGroup = (effort) =>
  withDirectory(async (directory) => {
    const mounts = { "/work": directory };
    await using inWorker = await openSandbox({ mounts, sandbox: "subprocess" });
    await using inProcess = await openSandbox({ mounts, sandbox: "just-bash" });
    const raw = new Bash();
    const size = { rounds: effort.rounds(1_000, 200), warmups: effort.rounds(500, 200) };
    const command = "true";
    const worker = () => timed(() => inWorker.exec(command));
    const what = "warm `exec('true')`";
    return [
      {
        what,
        against: "in-process adapter",
        unit: "ms",
        pairs: await measurePairs(worker, () => timed(() => inProcess.exec(command)), size),
        goal: { maxRatio: 1.2 },
      },
      {
        what,
        against: "`new Bash().exec`, no adapter",
        unit: "ms",
        pairs: await measurePairs(worker, () => timed(() => raw.exec(command)), size),
        goal: null,
      },
      {
        what,
        against: "`bash -c true` through execa",
        unit: "ms",
        pairs: await measurePairs(worker, () => timed(() => execa("bash", ["-c", command])), {
          rounds: effort.rounds(100, 20),
          warmups: 3,
        }),
        goal: null,
      },
      await onRung("hardened", directory, size),
      await onRung("namespace", directory, size),
    ];
  });

async function onRung(
  isolation: "hardened" | "namespace",
  directory: string,
  size: { rounds: number; warmups: number },
): Promise<Row> {
  const what = `warm \`exec('true')\` on the rung \`${isolation}\``;
  const reason = await missingOption(directory, { isolation });
  if (reason !== null) return { what, reason };
  const mounts = { "/work": directory };
  await using above = await openSandbox({ mounts, sandbox: "subprocess", isolation });
  await using plain = await openSandbox({ mounts, sandbox: "subprocess", isolation: "process" });
  return {
    what,
    against: "the rung `process`",
    unit: "ms",
    pairs: await measurePairs(
      () => timed(() => above.exec("true")),
      () => timed(() => plain.exec("true")),
      size,
    ),
    goal: null,
  };
}
