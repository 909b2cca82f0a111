/** One command in a sandbox that already runs, against other ways to run one. */
import { execa } from "execa";
import { Bash } from "just-bash";
import { askBareNode, startBareNode, stopBareNode } from "../bare.ts";
import { openSandbox } from "../built.ts";
import { measurePairs, type Sample, type Size, timed } from "../measure.ts";
import { missingOption } from "../missing-option.ts";
import { firstSentence, type Goal, measureRow, type Row, type RowGroup, warmSize } from "../row.ts";
import { withDirectory } from "../scratch.ts";
import { startThreadBash } from "../thread-bash.ts";

const COMMAND = "true";
const WHAT = "warm `exec('true')`";

export const warmRows: RowGroup = (effort) =>
  withDirectory(async (directory) => {
    const size = warmSize(effort);
    await using inWorker = await openSandbox({ mounts: { "/work": directory }, sandbox: "subprocess" });
    const worker = () => timed(() => inWorker.exec(COMMAND));
    const row = (against: string, base: Sample, size: Size, goal: Goal | null = null) =>
      measureRow({ what: WHAT, against, goal }, () => measurePairs(worker, base, size));

    await using inProcess = await openSandbox({ mounts: { "/work": directory }, sandbox: "just-bash" });
    const raw = new Bash();
    const rows = [
      await row("in-process adapter", () => timed(() => inProcess.exec(COMMAND)), size, { maxRatio: 1.2 }),
      await row("`new Bash().exec`, no adapter", () => timed(() => raw.exec(COMMAND)), size),
    ];
    const thread = startThreadBash();
    rows.push(await row("just-bash in a worker thread", () => timed(() => thread.exec(COMMAND)), size));
    await thread.stop();
    const bare = await startBareNode();
    rows.push(
      await row("one byte to a bare node child and back", () => timed(() => askBareNode(bare)), size),
    );
    await stopBareNode(bare);

    const programs = { rounds: effort.rounds(250, 50), warmups: 3 };
    const bash = () => timed(() => execa("bash", ["-c", COMMAND]));
    rows.push(await row("`bash -c true` through execa", bash, programs));
    const jailed = () => timed(() => execa("bwrap", [...JAIL, "bash", "-c", COMMAND]));
    const against = "`bwrap … bash -c true` through execa";
    const reason = await jailed().then(() => null, firstSentence);
    rows.push(reason === null ? await row(against, jailed, programs) : { what: against, reason });
    rows.push(await onRung("hardened", directory, size), await onRung("namespace", directory, size));
    return rows;
  });

/** As in the rung `namespace`: every namespace of its own, but with the whole file system to read. */
const JAIL = ["--unshare-all", "--die-with-parent", "--clearenv", "--cap-drop", "ALL", "--ro-bind", "/", "/"];

async function onRung(isolation: "hardened" | "namespace", directory: string, size: Size): Promise<Row> {
  const what = `${WHAT} on the rung \`${isolation}\``;
  const reason = await missingOption(directory, { isolation });
  if (reason !== null) return { what, reason };
  return await measureRow({ what, against: "the rung `process`" }, async () => {
    const mounts = { "/work": directory };
    await using above = await openSandbox({ mounts, sandbox: "subprocess", isolation });
    await using plain = await openSandbox({ mounts, sandbox: "subprocess", isolation: "process" });
    return await measurePairs(
      () => timed(() => above.exec(COMMAND)),
      () => timed(() => plain.exec(COMMAND)),
      size,
    );
  });
}
