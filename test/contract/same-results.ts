/**
 * The promise that a script does not notice which sandbox it is in: each case of the corpus gives the same
 * results and the same events in a child process and in this one, and both are right.
 */
import { describe, expect, test } from "vitest";
import type { ExecResult } from "../../src/shared/sandbox.ts";
import type { CorpusCase, Expected } from "../fixtures/corpus/case.ts";
import { recordedTruth } from "../fixtures/corpus/truth.ts";
import { normaliseEvents } from "./normalise-events.ts";
import { type CaseRun, runCase } from "./run-case.ts";

process.env.CORPUS_SECRET = "must not be seen inside";
const truth = recordedTruth();

/** What a caller sees of a result, times apart. */
function compared({ exitCode, stdoutBytes, stderr, ending, truncated, changes, stateRestored }: ExecResult) {
  const stdout = Buffer.from(stdoutBytes).toString("latin1");
  return { exitCode, stdout, stderr, ending, truncated, changes, stateRestored };
}

/** The right answers, step by step. */
function expectedOf({ name, steps, truth: source }: CorpusCase): Expected[] {
  if (source === "ours") return steps.map(({ expect: expected }) => expected ?? {});
  const recorded = truth.get(name);
  if (recorded === undefined)
    throw new Error(`"${name}" has no recorded answer: npx tsx test/fixtures/corpus/record.ts`);
  return [recorded];
}

/** The parts of a result that the case has a right answer for. */
function answers(result: ExecResult, expected: Expected): Expected {
  const answer: Expected = {};
  if (expected.exitCode !== undefined) answer.exitCode = result.exitCode;
  if (expected.stdout !== undefined) answer.stdout = result.stdout;
  if (expected.stderr !== undefined) answer.stderr = result.stderr;
  if (expected.stdoutHex !== undefined) answer.stdoutHex = Buffer.from(result.stdoutBytes).toString("hex");
  return answer;
}

/** Standard error goes along when it has no right answer of its own: it says why the rest is wrong. */
function outcome(run: CaseRun, corpusCase: CorpusCase, expected: readonly Expected[]) {
  const files = run.results.flatMap(({ changes }) => changes.map(({ change, path }) => `${change} ${path}`));
  return {
    steps: run.results.map((result, index) => answers(result, expected[index] ?? {})),
    ...(corpusCase.changes === undefined ? {} : { changes: files }),
  };
}

/** Defines one test per case. */
export function expectSameResults(cases: readonly CorpusCase[]): void {
  describe.each(cases)("$name", (corpusCase) => {
    test("is the same in a child process and in this one, and right", async () => {
      const [child, here] = await Promise.all([
        runCase(corpusCase, "subprocess"),
        runCase(corpusCase, "just-bash"),
      ]);

      expect(child.results.map(compared)).toEqual(here.results.map(compared));
      expect(normaliseEvents(child.events, corpusCase.anyToolOrder)).toEqual(
        normaliseEvents(here.events, corpusCase.anyToolOrder),
      );
      for (const { ending } of child.results) expect(ending).toEqual({ kind: "exited" });

      const expected = expectedOf(corpusCase);
      const right = {
        steps: expected,
        ...(corpusCase.changes === undefined ? {} : { changes: corpusCase.changes }),
      };
      const said = child.results.map(({ stderr }) => stderr).join("");
      if (corpusCase.known === undefined) expect(outcome(child, corpusCase, expected), said).toEqual(right);
      else
        expect(outcome(child, corpusCase, expected), "right by now: take its `known` away").not.toEqual(
          right,
        );
    });
  });
}
