/**
 * Runs tasks of the corpus one after the other in one sandbox, as a session does, over fresh files each. What comes
 * out otherwise than in real bash is run again in a sandbox of its own, and that counts: no script may fail over what
 * another one left.
 */
import { isDeepStrictEqual } from "node:util";
import type { ExecResult } from "../../src/shared/sandbox.ts";
import type { CorpusCase } from "../fixtures/corpus/case.ts";
import { recordedTruth, type Truth, toTruth } from "../fixtures/corpus/truth.ts";
import { type CaseRun, type CaseRunner, type Kind, openRunner, runCase } from "./run-case.ts";

const truth = recordedTruth();

/** The real programs need a second at most; what takes longer on a busy machine than this hangs. */
const DEADLINE_MS = 20_000;

export interface TaskRun {
  isReal: boolean;
  real: Truth;
  ours: Truth;
  stderr: string;
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
      const real = truth.get(task.name);
      if (real === undefined)
        throw new Error(`"${task.name}" has no recorded answer: npx tsx test/fixtures/corpus/record.ts`);
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

function compare({ results, files }: CaseRun, real: Truth): TaskRun {
  const [result] = results as [ExecResult];
  const ours = toTruth(result.exitCode, result.stdoutBytes, files);
  return { isReal: isDeepStrictEqual(ours, real), real, ours, stderr: result.stderr };
}
