/** The values of `onUnknownOutcome`, wherever it is given. */
import type { UnknownOutcome } from "../shared/tools.ts";

const UNKNOWN_OUTCOMES: readonly unknown[] = ["tell", "repeat", "fail"] satisfies UnknownOutcome[];

/** For people. */
export const UNKNOWN_OUTCOME_RULE = '"tell", "repeat" or "fail"';

export function isUnknownOutcome(value: unknown): value is UnknownOutcome {
  return UNKNOWN_OUTCOMES.includes(value);
}
