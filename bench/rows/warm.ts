/** One command in a sandbox that already runs. */
import { execa } from "execa";
import { Bash } from "just-bash";
import { openSandbox } from "../built.ts";
import { measurePairs, timed } from "../measure.ts";
import type { RowGroup } from "../row.ts";
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
    ];
  });
