import { checkHarnessOptions } from "./check-options.ts";
import type { Harness, HarnessOptions } from "./harness-options.ts";

/**
 * A model with a host, ready for `generateHarness` and `streamHarness`. Does nothing yet: no disk, no process, and
 * the AI SDK (`ai`) is loaded by the first turn.
 *
 * @throws SandboxError `OPTION_INVALID`, `TOOL_INVALID`.
 */
export function createHarness(options: HarnessOptions): Harness {
  checkHarnessOptions(options);
  return Object.freeze({ options: Object.freeze({ ...options }) });
}
