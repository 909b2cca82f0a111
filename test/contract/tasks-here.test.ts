/** The scripts of `tasks.test.ts` in the host's process: what comes out is the same. Run by `npm run test:slow`. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { allTasks } from "../fixtures/corpus/corpus.ts";
import { openTaskRunner, type TaskRunner } from "./task-run.ts";

let runner: TaskRunner;

beforeAll(async () => {
  runner = await openTaskRunner("just-bash");
});

afterAll(() => runner.close());

test.each(allTasks)("$name", async (task) => {
  const { isReal, real, ours, result } = await runner.run(task);
  if (task.known === undefined) expect(ours, result.stderr).toEqual(real);
  else expect(isReal).toBe(false);
});
