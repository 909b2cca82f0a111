import type { SubprocessOptions } from "../parent/options.ts";
import { SandboxError } from "../shared/errors.ts";
import type { HarnessRuntimeOptions, HarnessSandboxFactory, HarnessSandboxMode } from "../shared/sandbox.ts";
import { justBashSandbox } from "./just-bash-sandbox.ts";
import { subprocessSandbox } from "./subprocess-sandbox.ts";

/** Options that mean nothing without a process of its own. */
const PROCESS_ONLY = ["isolation", "nodePath", "execArgv", "env", "prewarm"] as const;

/** Which sandbox `chooseFactory` takes where no option asks for a process. */
export function modeOf(
  sandbox: HarnessSandboxMode | HarnessSandboxFactory,
  runtime: HarnessRuntimeOptions,
): "subprocess" | "just-bash" | "custom" {
  if (typeof sandbox === "function") return "custom";
  if (sandbox !== "auto") return sandbox;
  return runtime.python !== false || runtime.javascript !== false ? "subprocess" : "just-bash";
}

/**
 * A mode or a factory → the factory to use. `"auto"` takes a process of its own as soon as the runtime runs
 * code (Python or JavaScript, both on unless turned off) or an option asks for something that only a process has,
 * and spares it for bash alone.
 *
 * @throws SandboxError `OPTION_INVALID` for anything else, and for `"just-bash"` with an `isolation`: nothing weaker
 * than what was asked for is ever taken.
 */
export function chooseFactory(
  sandbox: HarnessSandboxMode | HarnessSandboxFactory,
  runtime: HarnessRuntimeOptions,
  options: SubprocessOptions,
): HarnessSandboxFactory {
  if (typeof sandbox === "function") return sandbox;
  switch (sandbox) {
    case "auto":
      return modeOf(sandbox, runtime) === "subprocess" ||
        PROCESS_ONLY.some((name) => options[name] !== undefined)
        ? subprocessSandbox(options)
        : inProcess(options);
    case "subprocess":
      return subprocessSandbox(options);
    case "just-bash":
      if (options.isolation !== undefined) {
        const message = `Option "isolation" must be absent with sandbox "just-bash": scripts run in this process, behind no wall.`;
        throw new SandboxError("OPTION_INVALID", message, { option: "isolation" });
      }
      return inProcess(options);
    default:
      throw new SandboxError(
        "OPTION_INVALID",
        `Option "sandbox" must be "auto", "subprocess", "just-bash" or a factory, but is ${JSON.stringify(sandbox)}.`,
        { option: "sandbox" },
      );
  }
}

/** The options that only a process has are checked all the same, so that a typo shows in every mode. */
function inProcess(options: SubprocessOptions): HarnessSandboxFactory {
  subprocessSandbox(options);
  const { workerPath, limits, executionLimits } = options;
  return justBashSandbox({
    ...(workerPath === undefined ? {} : { workerPath }),
    ...(limits === undefined ? {} : { limits }),
    ...(executionLimits === undefined ? {} : { executionLimits }),
  });
}
