import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { exited, runtimeOver } from "./helpers.ts";

test("an executor is told of a command before the mounts are walked for it", async () => {
  const log: string[] = [];
  const { sandbox, root } = await runtimeOver(
    async ({ command }) => {
      log.push(`execute ${command}`);
      writeFileSync(join(root, command), "by the command");
      return exited();
    },
    {
      prepare: () => {
        // Seen by the walk that follows, so it is no change of the command.
        writeFileSync(join(root, `prepared-${log.length}`), "");
        log.push("prepare");
      },
    },
  );
  const first = await sandbox.exec("one");
  const second = await sandbox.exec("two");
  expect(log).toEqual(["prepare", "execute one", "prepare", "execute two"]);
  expect(first.changes.map(({ path }) => path)).toEqual(["/session/one"]);
  expect(second.changes.map(({ path }) => path)).toEqual(["/session/two"]);
});

test("nothing is prepared for a command that does not run", async () => {
  let prepared = 0;
  const { sandbox } = await runtimeOver(async () => exited(), { prepare: () => prepared++ });
  await sandbox.exec("aborted", { signal: AbortSignal.abort() });
  await sandbox.exec("bad", { timeoutMs: -1 });
  await sandbox.dispose();
  await sandbox.exec("late");
  expect(prepared).toBe(0);
});
