/** A suite is a list of named cases, for any test runner or for none. Types, and what runs them without a runner. */

/** One promise of an adapter, and what proves it. */
export interface ConformanceCase {
  /** The promise, as a sentence; unique within its suite. */
  readonly name: string;
  /** What the case belongs to: `"contract"`, `"trace"`, `"faults"`, or what a suite of its own says. */
  readonly group: string;
  /** Resolves when the promise holds; rejects with what was expected and what came. Needs no `this`. */
  readonly run: () => Promise<void>;
}

/** A case that is left out, and the capability that the adapter does not claim. */
export interface UnclaimedCase {
  readonly name: string;
  readonly group: string;
  readonly capability: string;
}

export interface ConformanceSuite {
  readonly name: string;
  readonly cases: readonly ConformanceCase[];
  /** What was left out, so that nobody takes its absence for a proof. */
  readonly notClaimed: readonly UnclaimedCase[];
}

/** How one case went. */
export interface CaseOutcome {
  readonly name: string;
  readonly group: string;
  readonly passed: boolean;
  /** Milliseconds. */
  readonly durationMs: number;
  /** What the case rejected with; absent when it passed. */
  readonly error?: unknown;
}

export interface ConformanceReport {
  readonly suite: string;
  /** Whether every case passed, and there was one. */
  readonly passed: boolean;
  /** In the order of the cases. */
  readonly outcomes: readonly CaseOutcome[];
  /** Those of `outcomes` that did not pass. */
  readonly failures: readonly CaseOutcome[];
  readonly notClaimed: readonly UnclaimedCase[];
}

export interface RunSuiteOptions {
  /** Milliseconds that one case may take; then it fails and the next one starts. @default 60000 */
  readonly caseTimeoutMs?: number;
  /** Cases that run at the same time; each has sandboxes and directories of its own. @default 1 */
  readonly concurrency?: number;
  /** Which cases to run. @default all */
  readonly only?: (one: ConformanceCase) => boolean;
  /** Told of each case as it ends. */
  readonly onOutcome?: (outcome: CaseOutcome) => void;
}

/** Runs the cases of a suite. Never rejects because of a case: a failing one is an outcome. */
export async function runSuite(
  suite: ConformanceSuite,
  options: RunSuiteOptions = {},
): Promise<ConformanceReport> {
  const { caseTimeoutMs = 60_000, concurrency = 1, only = () => true, onOutcome } = options;
  const cases = suite.cases.filter(only);
  const outcomes: CaseOutcome[] = new Array(cases.length);
  const waiting = cases.entries();
  const lane = async (): Promise<void> => {
    for (const [index, one] of waiting) {
      const outcome = await runCase(one, caseTimeoutMs);
      outcomes[index] = outcome;
      onOutcome?.(outcome);
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, concurrency) }, lane));
  const failures = outcomes.filter(({ passed }) => !passed);
  return {
    suite: suite.name,
    passed: outcomes.length > 0 && failures.length === 0,
    outcomes,
    failures,
    notClaimed: suite.notClaimed,
  };
}

async function runCase({ name, group, run }: ConformanceCase, timeoutMs: number): Promise<CaseOutcome> {
  const startedMs = performance.now();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const error = new Error(`${name}: the case had not ended after ${timeoutMs} ms`);
    timer = setTimeout(reject, timeoutMs, error);
  });
  const told = { name, group };
  try {
    // An adapter that hangs leaves its case pending for good; what the case does later is dropped.
    await Promise.race([run(), late]);
    return { ...told, passed: true, durationMs: performance.now() - startedMs };
  } catch (error) {
    return { ...told, passed: false, durationMs: performance.now() - startedMs, error };
  } finally {
    clearTimeout(timer);
  }
}

/** A report as text: one line per failure with its reason, then what was not claimed, then the count. */
export function formatReport({ suite, outcomes, failures, notClaimed }: ConformanceReport): string {
  const failed = failures.map(({ group, name, error }) => {
    const why = error instanceof Error ? error.message : String(error);
    return `FAILED  ${group}: ${why.startsWith(name) ? why : `${name}: ${why}`}`;
  });
  const left = notClaimed.map(({ group, name, capability }) => `left out ${group}: ${name} (${capability})`);
  const passed = outcomes.length - failures.length;
  const count = `${suite}: ${passed} of ${outcomes.length} cases passed, ${notClaimed.length} left out`;
  return [...failed, ...left, count].join("\n");
}
