/** Whole scripts as models write them, through a child process: how many give what the real programs give. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CorpusCase } from "../fixtures/corpus/case.ts";
import { tasks as corpus } from "../fixtures/corpus/corpus.ts";
import { openTaskRunner, type TaskRunner } from "./task-run.ts";

const LEAST_SHARE = 0.97;

/** Defines a test for each, and one for the share of the whole corpus that is right. */
export function expectTasks(tasks: Readonly<Record<string, readonly CorpusCase[]>>): void {
  let runner: TaskRunner;
  let right = 0;

  beforeAll(async () => {
    runner = await openTaskRunner("subprocess");
  });

  afterAll(() => runner.close());

  describe.each(Object.entries(tasks))("%s", (_kind, cases) => {
    test.each(cases)("$name", async (task) => {
      const { isReal, real, ours, result } = await runner.run(task);
      if (isReal) right += 1;
      if (task.known === undefined) expect(ours, result.stderr).toEqual(real);
      else expect(isReal, "right by now: take its `known` away").toBe(false);
    });
  });

  test("at least 97 % of the scripts give the real programs' stdout, exit code and files", () => {
    expect(right).toBe(countRight(tasks).right);
    const whole = countRight(corpus);
    const share = whole.right / whole.count;
    console.log(
      `${whole.right} of ${whole.count} scripts give the real programs' stdout, exit code and files: ${(100 * share).toFixed(1)} %`,
    );
    expect(share).toBeGreaterThanOrEqual(LEAST_SHARE);
  });
}

/** Those that are not known to be wrong: the test of each says whether that is so. */
function countRight(tasks: Readonly<Record<string, readonly CorpusCase[]>>): {
  right: number;
  count: number;
} {
  const cases = Object.values(tasks).flat();
  return { right: cases.filter(({ known }) => known === undefined).length, count: cases.length };
}
