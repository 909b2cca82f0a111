/** Several processes over one store of files, and deaths at any moment. `orchestration-crowds.test.ts` has more of it. */
import { once } from "node:events";
import { expect, test } from "vitest";
import { fileJsonStore } from "../../src/orchestration/file-store.ts";
import { listen, startWorker } from "../helpers/killed-processes.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { countInCrowd, stopInTheMiddle, workInCrowd } from "./orchestration-crowd.ts";

test("a process that was stopped in the middle of a change writes nothing when it goes on after its lease", async () => {
  await stopInTheMiddle({ rootDir: tempDir() });
});

test("a lock whose owner was killed is taken over at once", async () => {
  const rootDir = tempDir();
  const owner = startWorker("late", { rootDir }, 3_600_000);
  await new Promise<void>((resolve) => void listen(owner, () => resolve()));
  owner.kill("SIGKILL");
  await once(owner, "exit");
  const store = fileJsonStore({ rootDir, sync: false });
  expect(await store.withLock("value", { waitMs: 10_000 }, async ({ token }) => token)).toBe(2);
});

test("two processes that are killed while they count lose no number and count none twice", async () => {
  await countInCrowd({ processes: 2, kills: 3, seed: 1 });
});

test("two processes that are killed while they work end every row once", async () => {
  await workInCrowd({ processes: 2, kills: 2, seed: 2, rowsAtOnce: 5 });
});
