/** Ledgers that are loaded at their first call look like the ones they stand for. */
import { expect, test } from "vitest";
import { lazyDurableServices } from "../../../src/orchestration/lazy-services.ts";
import { createInMemoryOrchestrationServices } from "../../../src/orchestration/services.ts";
import { hostForTest, scriptedSandbox } from "../../helpers/hosts.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

function verbsOf(services: object): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(services).map(([name, ledger]) => [name, Object.keys(ledger as object).sort()]),
  );
}

test("each has the verbs of the real one and no more", () => {
  expect(verbsOf(lazyDurableServices({ rootDir: tempDir() }))).toEqual(
    verbsOf(createInMemoryOrchestrationServices()),
  );
});

test("the first call loads the ledger and is answered by it", async () => {
  const { tasks } = lazyDurableServices({ rootDir: tempDir() });
  const { id } = await tasks.create({ kind: "mail" });
  expect(await tasks.get(id)).toMatchObject({ id, kind: "mail" });
});

test("a key that is no verb is undefined, and a ledger may be printed, awaited and put in a text", async () => {
  const { tasks } = lazyDurableServices({ rootDir: tempDir() });
  expect(["toJSON", "then", "nonsense"].map((key) => (tasks as never)[key])).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(`${tasks}`).toBe("[object Object]");
  expect(JSON.stringify(tasks)).toBe("{}");
  expect(await tasks).toBe(tasks);
});

test("a turn and its host may be written as JSON", async () => {
  const host = hostForTest({ sandbox: scriptedSandbox() });
  const turn = await host.prepareTurn();
  expect(JSON.parse(JSON.stringify({ turn, host }))).toMatchObject({ turn: { id: turn.id } });
  await turn.dispose();
});
