import { describe, test } from "vitest";
import {
  type ConformanceReport,
  type ConformanceSuite,
  type RunSuiteOptions,
  runSuite,
} from "../../src/conformance.ts";

/**
 * How late a command of ours may end here: the deadlines of other tests are held to 250 ms with the machine's own
 * lateness measured beside them; the suites have none beside them, and the machine is busy.
 */
export const LATE_MS = 5_000;

/** One test per case of a suite; the cases run together, as `concurrency` says. */
export function prove(suite: ConformanceSuite, options: RunSuiteOptions = {}): void {
  describe(suite.name, () => {
    // A test waits for the whole run, which on a busy machine takes minutes.
    let report: Promise<ConformanceReport> | undefined;
    const only = options.only ?? (() => true);
    test.each(suite.cases.filter(only))("$name", { timeout: 600_000 }, async ({ name }) => {
      report ??= runSuite(suite, options);
      const outcome = (await report).outcomes.find((one) => one.name === name);
      if (outcome?.passed !== true) throw outcome?.error ?? new Error("the case has no outcome");
    });
  });
}
