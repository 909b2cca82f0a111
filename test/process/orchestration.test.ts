/** Several processes over one store of files, and deaths at any moment. `orchestration-crowds.test.ts` has more of it. */
import { once } from "node:events";
import { expect, test } from "vitest";
import { fileJsonStore } from "../../src/orchestration/file-store.ts";
import { listen, type Said, startWorker } from "../helpers/killed-processes.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { countInCrowd, workInCrowd } from "./orchestration-crowd.ts";

test("a process that was stopped in the middle of a change writes nothing when it goes on after its lease", async () => {
  const rootDir = tempDir();
  const store = fileJsonStore({ rootDir, sync: false });
  const late = startWorker("late", { rootDir }, 300);
  const heard: Said[] = [];
  const inside = new Promise<void>((resolve) => {
    void listen(late, (line) => {
      heard.push(line);
      resolve();
    });
  });
  await inside;
  late.kill("SIGSTOP");
  await store.withLock("value", {}, (lock) => store.writeJson("value", "next", { lock }));
  late.stdin?.write("go on\n");
  late.kill("SIGCONT");
  await once(late, "close");
  expect(heard.map(({ pid: _, atMs: __, ...what }) => what)).toEqual([
    { inside: 1 },
    { refused: "LOCK_LOST" },
  ]);
  expect(await store.readJson("value")).toBe("next");
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
