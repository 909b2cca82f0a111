import { invalidOption } from "../shared/check-options.ts";
import type { TurnOutcome } from "./host.ts";
import { checkKeys } from "./host-errors.ts";

/** Throws `OPTION_INVALID` for what is no outcome. */
export function checkOutcome(outcome: unknown): TurnOutcome {
  checkKeys("end", outcome, ["status", "error", "finishReason", "steps", "usage"]);
  const given = outcome as TurnOutcome;
  if (!["completed", "failed", "aborted"].includes(given.status))
    throw invalidOption("status", '"completed", "failed" or "aborted"');
  return given;
}
