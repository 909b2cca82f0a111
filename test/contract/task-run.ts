/**
 * Runs tasks of the corpus one after the other in one sandbox, as a session does, over fresh files each. What comes
 * out otherwise than in real bash is run again in a sandbox of its own, and that counts: no script may fail over what
 * another one left.
 */
import { isDeepStrictEqual } from "node:util";
import type { ExecResult } from "../../src/shared/sandbox.ts";
import type { CorpusCase } from "../fixtures/corpus/case.ts";
import type { Truth } from "../fixtures/corpus/truth.ts";
import { toReal, truthOf } from "./real-answers.ts";
import { type CaseRun, type CaseRunner, type Kind, openRunner, runCase } from "./run-case.ts";

/** The real programs need a second at most; what takes longer on a busy machine than this hangs. */
const DEADLINE_MS = 20_000;

export interface TaskRun {
  isReal: boolean;
  real: Truth;
  ours: Truth;
  result: ExecResult;
}

export interface TaskRunner {
  run(task: CorpusCase): Promise<TaskRun>;
  close(): Promise<void>;
}

export async function openTaskRunner(kind: Kind): Promise<TaskRunner> {
  let shared: CaseRunner | null = null;
  return {
    async run(given) {
      const steps = given.steps.map((step) => ({
        ...step,
        // Where a script before this one went is no place to begin.
        options: { timeoutMs: DEADLINE_MS, cwd: "/work", ...step.options },
      }));
      const task = { ...given, steps };
      const real = truthOf(task);
      shared ??= await openRunner(kind);
      const first = compare(await shared.run(task), real);
      if (first.isReal) return first;
      // A sandbox that a script has ended or slowed down is of no use to the scripts after it.
      await shared.close();
      shared = null;
      return compare(await runCase(task, kind), real);
    },
    async close() {
      await shared?.close();
    },
  };
}

function compare(run: CaseRun, real: Truth): TaskRun {
  const ours = toReal(run);
  const [result] = run.results as [ExecResult];
  return { isReal: isDeepStrictEqual(ours, real), real, ours, result };
}
