/**
 * The promise that a script does not notice which sandbox it is in: each case of the corpus gives the same
 * results and the same events in a child process and in this one, and both are right.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { normaliseEvents } from "../../src/conformance/normalise-events.ts";
import type { ExecResult } from "../../src/shared/sandbox.ts";
import type { CorpusCase, Expected } from "../fixtures/corpus/case.ts";
import { truthOf } from "./real-answers.ts";
import { type CaseRun, runCase } from "./run-case.ts";
import { openTaskRunner, type TaskRunner } from "./task-run.ts";

process.env.CORPUS_SECRET = "must not be seen inside";

/** What a caller sees of a result, times apart. */
function compared({ exitCode, stdoutBytes, stderr, ending, truncated, changes, stateRestored }: ExecResult) {
  const stdout = Buffer.from(stdoutBytes).toString("latin1");
  return { exitCode, stdout, stderr, ending, truncated, changes, stateRestored };
}

/** The right answers, step by step. */
function expectedOf(corpusCase: CorpusCase): Expected[] {
  const { steps, truth: source } = corpusCase;
  if (source === "ours") return steps.map(({ expect: expected }) => expected ?? {});
  const { files: _, ...real } = truthOf(corpusCase);
  return [real];
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

/** Defines one test per case: each in sandboxes of its own, because state and events count too. */
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
      expectRight(child, corpusCase);
    });
  });
}

function expectRight(child: CaseRun, corpusCase: CorpusCase): void {
  const expected = expectedOf(corpusCase);
  const right = {
    steps: expected,
    ...(corpusCase.changes === undefined ? {} : { changes: corpusCase.changes }),
  };
  const said = child.results.map(({ stderr }) => stderr).join("");
  if (corpusCase.known === undefined) expect(outcome(child, corpusCase, expected), said).toEqual(right);
  else expect(outcome(child, corpusCase, expected), "right by now: take its `known` away").not.toEqual(right);
}

/**
 * The same for scripts whose right results real bash tells: they share two sandboxes, and no script fails over what
 * another one left (`task-run.ts`).
 */
export function expectRealResults(cases: readonly CorpusCase[]): void {
  let runners: readonly [TaskRunner, TaskRunner] | null = null;
  beforeAll(async () => {
    runners = await Promise.all([openTaskRunner("subprocess"), openTaskRunner("just-bash")]);
  });
  afterAll(async () => {
    for (const runner of runners ?? []) await runner.close();
  });

  describe.each(cases)("$name", (corpusCase) => {
    test("gives what real bash gives, in a child process and in this one", async () => {
      if (runners === null) throw new Error("no sandboxes");
      const [inChild, inHost] = runners;
      const [child, here] = await Promise.all([inChild.run(corpusCase), inHost.run(corpusCase)]);
      if (corpusCase.known === undefined && child.isReal && here.isReal) return;

      expect(compared(child.result)).toEqual(compared(here.result));
      expect(child.ours.files).toEqual(here.ours.files);
      if (corpusCase.known === undefined) expect(child.ours, child.result.stderr).toEqual(child.real);
      else expect(child.ours, "right by now: take its `known` away").not.toEqual(child.real);
    });
  });
}
