/** What a classification says: types alone, for all that make or read one. */

/** Which tier a script needs, and why. */
export interface CommandClassification {
  /** 0: everything that the script surely runs is in tier 0. */
  readonly tier: 0 | 1;
  /** Names of the commands that need a higher tier, each once, in the order in which they stand in the script. */
  readonly commands: readonly string[];
  /** Each such command, and why: at most 100, in the order of the script. */
  readonly reasons: readonly ClassificationReason[];
}

/** A command that needs a higher tier. */
export interface ClassificationReason {
  readonly command: string;
  readonly why: string;
  /** Where the command's word stands; for one inside literal text (`bash -c '…'`), where that text stands. Counted from 1. */
  readonly line: number;
  /** In UTF-16 units, counted from 1. */
  readonly column: number;
  /** In UTF-16 units, counted from 0. */
  readonly offset: number;
}
