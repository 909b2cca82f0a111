/** Defaults and checks of `withLock`'s options, the same in every store of ours. */

import { unknownOption } from "../shared/check-options.ts";
import type { WithLockOptions } from "../shared/durable-store.ts";
import { SandboxError } from "../shared/errors.ts";

export interface ResolvedLockOptions {
  readonly leaseMs: number;
  readonly waitMs: number;
  readonly renew: boolean;
  readonly signal: AbortSignal | undefined;
}

const KNOWN = ["leaseMs", "waitMs", "renew", "signal"];

/** @throws SandboxError `OPTION_INVALID` that names the option. */
export function toLockOptions(options: WithLockOptions): ResolvedLockOptions {
  if (typeof options !== "object" || options === null) throw invalid("options", "an object");
  const unknown = unknownOption(options, KNOWN);
  if (unknown !== undefined) throw invalid(unknown, `one of ${KNOWN.join(", ")}`);
  const { leaseMs = 10_000, waitMs = 30_000, renew = true, signal } = options;
  if (!(Number.isFinite(leaseMs) && leaseMs >= 1 && leaseMs < 2 ** 31))
    throw invalid("leaseMs", "a number of milliseconds from 1 on");
  if (!(typeof waitMs === "number" && waitMs >= 0))
    throw invalid("waitMs", "a number of milliseconds from 0 on");
  if (typeof renew !== "boolean") throw invalid("renew", "true or false");
  if (signal !== undefined && !(signal instanceof AbortSignal)) throw invalid("signal", "an AbortSignal");
  return { leaseMs, waitMs, renew, signal };
}

function invalid(option: string, expected: string): SandboxError {
  return new SandboxError("OPTION_INVALID", `Option "${option}" of withLock must be ${expected}.`, {
    option,
  });
}
