/**
 * How large the package may be, in bytes. Each ceiling is about a tenth above what was measured when it was
 * set; one that is reached is a question to answer, not a number to raise.
 */
export const SIZE_CEILINGS = {
  /** The tarball. Python (5 MB), swc's type stripper (1 MB) and jq (0.5 MB) are most of it. */
  tarball: 10_900_000,
  /** All files unpacked. */
  unpacked: 22_500_000,
  /** Packages that are installed with it. */
  dependencies: 0,
  /**
   * What `import "@little-stack/harness"` reads: the entry and the chunks that it imports at once. Host, loop, tiers and
   * toolchain are 25 kB of it: their options are checked at the call, and the rest of them is loaded when it is used.
   */
  library: 380_000,
  /**
   * What a worker reads before its first command, `core.cjs`: the engine, the programs around every script, and what mends
   * the interpreter (words, arithmetic, traps, jobs: 120 kB). Programs are loaded when they are used.
   */
  workerStart: 970_000,
} as const;
