/** A jail that is there for longer than the worker in it. */
import { expect, test } from "vitest";
import { openForTest } from "../helpers/open.ts";
import { descendants, isAlive, until } from "../helpers/processes.ts";
import { noNamespace, onRung } from "../helpers/rungs.ts";

test.skipIf(noNamespace !== null)(
  `dispose ends a jail whose worker is gone, and tells no failure${noNamespace === null ? "" : ` (${noNamespace})`}`,
  async () => {
    const others = descendants(process.pid);
    const { sandbox, events } = await openForTest({ ...onRung("namespace"), limits: { graceMs: 100 } });
    await sandbox.exec("true");
    const [outer = 0, ...inside] = descendants(process.pid).filter((pid) => !others.includes(pid));
    const worker = inside.at(-1) ?? 0;
    // The jail's process 1 takes the dead worker's status and ends; the process around it cannot.
    process.kill(outer, "SIGSTOP");
    process.kill(worker, "SIGKILL");
    await until(() => !inside.some(isAlive));
    await sandbox.dispose();
    expect(events.filter(({ type }) => type === "harness.runtime.dispose.failed")).toEqual([]);
    expect(isAlive(outer)).toBe(false);
  },
);
