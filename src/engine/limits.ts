import type { BashOptions } from "just-bash";

type ExecutionLimits = NonNullable<BashOptions["executionLimits"]>;

/** The largest delay that a Node timer takes, about 24.8 days; a larger one fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const UNBOUNDED = Number.MAX_SAFE_INTEGER;

/**
 * The engine counts commands, loop turns and bytes per `exec()`; one of ours lives as long as the shell, so
 * its counters would end honest work. Time, memory and output are bounded from outside, by the parent.
 * Substitution and source depth stay as they are.
 */
export const OUT_OF_THE_WAY: ExecutionLimits = {
  maxSourceBytes: 512 * 1024 * 1024,
  // The stack is no bound, each call goes on in a new turn; time and memory are. See `CALLS_PER_SHELL` for subshells.
  maxCallDepth: 2_000,
  maxCommandCount: UNBOUNDED,
  maxLoopIterations: UNBOUNDED,
  maxAwkIterations: UNBOUNDED,
  maxSedIterations: UNBOUNDED,
  maxJqIterations: UNBOUNDED,
  maxQueryTokens: 10_000_000,
  maxQueryElements: UNBOUNDED,
  maxAwkParserTokens: 10_000_000,
  maxAwkParserOperations: UNBOUNDED,
  maxCsvRows: UNBOUNDED,
  maxCsvCells: UNBOUNDED,
  maxWorkUnits: UNBOUNDED,
  maxTraversalEntries: UNBOUNDED,
  maxTraversalWork: UNBOUNDED,
  // gzip takes half of what is left as zlib's bound, and zlib takes no bound above 4 GiB.
  maxLiveBytes: 2 ** 33,
  maxInputBytes: UNBOUNDED,
  maxFileSystemBytes: UNBOUNDED,
  maxDatabaseBytes: UNBOUNDED,
  maxDatabaseResultBytes: UNBOUNDED,
  // zlib refuses to start with a larger bound than a buffer of Node.js can have.
  maxArchiveBytes: 2 ** 32 - 1,
  maxArchiveCompressedBytes: 2 ** 32 - 1,
  maxArchiveEntryBytes: 2 ** 32 - 1,
  maxArchiveEntries: UNBOUNDED,
  maxWorkerMessageBytes: 1024 * 1024 * 1024,
  maxExecutionTimeMs: LONGEST_TIMER_MS,
  maxSqliteTimeoutMs: LONGEST_TIMER_MS,
  maxPythonTimeoutMs: LONGEST_TIMER_MS,
  maxJsTimeoutMs: LONGEST_TIMER_MS,
  // How long an aborted command may take to leave before the whole shell is given up: to stop a thread of
  // js-exec or Python takes longer than the engine's 100 ms where many processes share a core.
  maxExtensionCleanupTimeMs: 5_000,
  maxGlobOperations: UNBOUNDED,
  // Two of these can still be joined (V8 ends strings 24 characters below 2 ** 29): the engine looks at the length
  // of what it has joined, and never comes to that where V8 refuses.
  maxStringLength: 2 ** 28 - 16,
  maxArrayElements: 100_000_000,
  maxHeredocSize: 500 * 1024 * 1024,
  maxBraceExpansionResults: 10_000_000,
  maxOutputSize: UNBOUNDED,
};
