/** Options of `tieredSandbox()`, and their check. */

import { invalidOption, refuseUnknownOptions } from "../shared/check-options.ts";
import type { HarnessSandboxFactory } from "../shared/sandbox.ts";
import { checkTripWires } from "../shared/trip-wires.ts";
import type { CommandClassification } from "./classification.ts";

/** Options of `tieredSandbox()`. */
export interface TieredSandboxOptions {
  /** Where a turn starts. @default what `openSandbox` takes with `sandbox: "auto"` */
  readonly tier0?: HarnessSandboxFactory | undefined;
  /** Opened at the first command that needs it. @default none: such commands are refused */
  readonly nextTier?: HarnessSandboxFactory | undefined;
  /** Which tier a script needs. What it throws, and a promise that rejects, is a refused command. @default `classifyCommand` */
  readonly classify?:
    | ((script: string) => CommandClassification | Promise<CommandClassification>)
    | undefined;
  /** Names that end a script of tier 0 which reaches them at run time. @default those that `classifyCommand` knows */
  readonly tripWires?: readonly string[] | undefined;
  /** Milliseconds that `nextTier` has to give a sandbox. @default 60_000 */
  readonly provisionTimeoutMs?: number | undefined;
}

const KNOWN = ["tier0", "nextTier", "classify", "tripWires", "provisionTimeoutMs"];
const DEFAULT_PROVISION_TIMEOUT_MS = 60_000;
const MAX_PROVISION_TIMEOUT_MS = 2 ** 31 - 1;

/** Options with their defaults, but for what only others can make. */
export interface ResolvedTieredOptions {
  readonly tier0: HarnessSandboxFactory | undefined;
  readonly nextTier: HarnessSandboxFactory | undefined;
  readonly classify: ((script: string) => unknown) | undefined;
  readonly tripWires: readonly string[] | undefined;
  readonly provisionTimeoutMs: number;
}

/** @throws SandboxError `OPTION_INVALID` */
export function resolveTieredOptions(options: TieredSandboxOptions): ResolvedTieredOptions {
  if (typeof options !== "object" || options === null) throw invalidOption("options", "an object");
  refuseUnknownOptions(options, KNOWN);
  const { tier0, nextTier, classify, tripWires } = options;
  for (const [name, value] of Object.entries({ tier0, nextTier, classify })) {
    if (value !== undefined && typeof value !== "function") {
      throw invalidOption(
        name,
        name === "classify" ? "a function" : "a factory, such as subprocessSandbox()",
      );
    }
  }
  const { provisionTimeoutMs = DEFAULT_PROVISION_TIMEOUT_MS } = options;
  if (!(provisionTimeoutMs > 0 && provisionTimeoutMs <= MAX_PROVISION_TIMEOUT_MS)) {
    throw invalidOption("provisionTimeoutMs", `milliseconds above 0 and up to ${MAX_PROVISION_TIMEOUT_MS}`);
  }
  return {
    tier0,
    nextTier,
    classify,
    tripWires: tripWires === undefined ? undefined : checkTripWires(tripWires),
    provisionTimeoutMs,
  };
}

/** What `classify` gave, or a sentence that says what is wrong with it. */
export function checkClassification(given: unknown): CommandClassification | string {
  const { tier, commands, reasons } = (given ?? {}) as Partial<CommandClassification>;
  if (tier !== 0 && tier !== 1) return "classify gave no tier 0 or 1";
  if (tier === 0) return { tier, commands: [], reasons: [] };
  if (!Array.isArray(commands) || !commands.every((name) => typeof name === "string"))
    return "classify gave no commands";
  if (!Array.isArray(reasons) || !reasons.every((reason) => typeof reason === "object" && reason !== null))
    return "classify gave no reasons";
  return { tier, commands, reasons };
}
