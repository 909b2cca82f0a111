/** What real bash answered to a case, and a run of ours in the same form. */
import type { CorpusCase } from "../fixtures/corpus/case.ts";
import { recordedTruth, type Truth, toTruth } from "../fixtures/corpus/truth.ts";
import type { CaseRun } from "./run-case.ts";

const truth = recordedTruth();

export function truthOf({ name }: CorpusCase): Truth {
  const recorded = truth.get(name);
  if (recorded === undefined)
    throw new Error(`"${name}" has no recorded answer: npx tsx test/fixtures/corpus/record.ts`);
  return recorded;
}

export function toReal({ results, files }: CaseRun): Truth {
  const [result] = results;
  if (result === undefined) throw new Error("no result");
  return toTruth(result.exitCode, result.stdoutBytes, files);
}
