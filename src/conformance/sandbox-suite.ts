import { changeCases } from "./cases/changes.ts";
import { endingCases } from "./cases/endings.ts";
import { eventCases } from "./cases/events.ts";
import { faultCases } from "./cases/faults.ts";
import { fileCases } from "./cases/files.ts";
import { inputCases } from "./cases/input.ts";
import { lifeCases } from "./cases/life.ts";
import { orderCases } from "./cases/order.ts";
import { outputCases } from "./cases/output.ts";
import { rightsCases } from "./cases/rights.ts";
import { stateCases } from "./cases/state.ts";
import { toolCases } from "./cases/tools.ts";
import { traceCases } from "./cases/traces.ts";
import { resolveSuiteOptions, type SandboxSuiteOptions } from "./sandbox-options.ts";
import { bindCases } from "./stage.ts";
import type { ConformanceSuite } from "./suite.ts";

/** What a sandbox promises: the contract, the same events as the package's own sandboxes, and what faults may do. */
const GROUPS = {
  contract: [
    ...endingCases,
    ...inputCases,
    ...outputCases,
    ...stateCases,
    ...orderCases,
    ...toolCases,
    ...fileCases,
    ...rightsCases,
    ...changeCases,
    ...eventCases,
    ...lifeCases,
  ],
  trace: traceCases,
  faults: faultCases,
};

/**
 * The suite by which a sandbox is proved. Each case opens sandboxes of its own by `create`, over fresh directories
 * of this host below the system's folder for temporary files, and disposes of them.
 *
 * @throws SandboxError `OPTION_INVALID` that names the option and what was expected.
 */
export function sandboxSuite(options: SandboxSuiteOptions): ConformanceSuite {
  return bindCases(GROUPS, resolveSuiteOptions(options));
}
