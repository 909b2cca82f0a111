import type { CreateSandboxOptions, HarnessSandbox, HarnessSandboxFactory } from "../shared/sandbox.ts";
import { classifyCommand } from "../tiers/classify-command.ts";
import { resolveTieredOptions, type TieredSandboxOptions } from "../tiers/tiered-options.ts";
import { chooseFactory } from "./mode.ts";

/**
 * A factory of sandboxes that start in tier 0 and move up, once, at the first command that needs more: the shell's cwd
 * and variables go along, and the rest of the turn stays there. A command that needs a higher tier where there is none,
 * or none that can be opened, is refused before anything of it runs: exit code 126, ending `refused` by `tier`, one line
 * that says what to do.
 *
 * @throws SandboxError `OPTION_INVALID` for an unknown option or a bad value. The factory rejects as that of tier 0.
 */
export function tieredSandbox(options: TieredSandboxOptions = {}): HarnessSandboxFactory {
  const { tier0, nextTier, classify, tripWires, provisionTimeoutMs } = resolveTieredOptions(options);
  return async (create: CreateSandboxOptions): Promise<HarnessSandbox> => {
    // Not loaded by hosts without tiers.
    const { openTiered } = await import("../tiers/tiered-sandbox.ts");
    const { TIER_ONE_COMMANDS } = await import("../tiers/rules.ts");
    return await openTiered(
      {
        tier0: tier0 ?? chooseFactory("auto", effectiveRuntime(create), {}),
        nextTier,
        classify: classify ?? ((script) => classifyCommand(script)),
        tripWires: tripWires ?? Object.keys(TIER_ONE_COMMANDS),
        provisionTimeoutMs,
      },
      create,
    );
  };
}

/** What `"auto"` decides by: the languages that are on after all. */
function effectiveRuntime({ runtime, workspace }: CreateSandboxOptions) {
  const capabilities = workspace?.capabilities;
  return {
    python: runtime?.python !== false && capabilities?.python !== false,
    javascript: runtime?.javascript !== false && capabilities?.javascript !== false,
  };
}
