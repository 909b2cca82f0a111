/** A row that was pruned and made again under its id is another row: nothing of the first one fits it. */
import { expect, test } from "vitest";
import { memoryJsonStore } from "../../../src/orchestration/memory-store.ts";
import { createDurableOrchestrationServices } from "../../../src/orchestration/services.ts";

/** One millisecond for everything: what tells the rows apart is not the time. */
const NOW_MS = 1_000;

function setup() {
  const store = memoryJsonStore();
  return { store, ...createDurableOrchestrationServices({ store, now: () => NOW_MS }) };
}

const prune = { endedBeforeMs: NOW_MS + 1 };

test("a claim on a row that was pruned is refused by the row that is made again under its id", async () => {
  const { tasks } = setup();
  const claim = async () => {
    await tasks.create({ id: "a", kind: "k" });
    const claimed = await tasks.claim({ owner: "w" });
    if (claimed === undefined) throw new Error("nothing to claim");
    return claimed.claim;
  };
  const stale = await claim();
  await tasks.cancel("a");
  expect(await tasks.prune(prune)).toBe(1);
  const held = await claim();
  expect(held.token).toBeGreaterThan(stale.token);
  await expect(tasks.complete(stale, "late")).rejects.toMatchObject({ code: "LOCK_LOST" });
  await expect(tasks.renew(stale)).rejects.toMatchObject({ code: "LOCK_LOST" });
  await expect(tasks.fail(stale, "late")).rejects.toMatchObject({ code: "LOCK_LOST" });
  expect(await tasks.complete(held, "mine")).toMatchObject({ status: "completed", output: "mine" });
});

test("each row that fails for good has a letter of its own, also under an id of before in the same millisecond", async () => {
  const { tasks, deadLetters } = setup();
  for (const reason of ["first", "second"]) {
    await tasks.create({ id: "a", kind: "k" });
    const claimed = await tasks.claim({ owner: "w" });
    if (claimed === undefined) throw new Error("nothing to claim");
    await tasks.fail(claimed.claim, reason, { retry: false });
    expect(await tasks.prune(prune)).toBe(1);
  }
  expect((await deadLetters.list()).map(({ reason }) => reason).sort()).toEqual(["first", "second"]);
});

test("the last token outlives the rows, whatever is pruned after it, and a damaged one is told", async () => {
  const { store, signals } = setup();
  for (const id of ["a", "b", "c"]) {
    await signals.create({ id, target: "t", name: "n" });
    if (id !== "b") {
      const claimed = await signals.claim({ owner: "w", target: "t" });
      if (claimed !== undefined) await signals.complete(claimed.claim);
    } else await signals.cancel("b");
    await signals.prune(prune);
  }
  expect(await store.readJson("signals/last-token")).toBe(2);
  await store.writeJson("signals/last-token", "two");
  await expect(signals.create({ id: "d", target: "t", name: "n" })).rejects.toMatchObject({
    code: "STORE_FAILED",
    message: expect.stringContaining("signals/last-token"),
  });
});
