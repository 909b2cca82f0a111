/** Which tier a script needs, from the script alone: nothing of it runs. */

import { refuseUnknownOptions } from "../shared/check-options.ts";
import { SandboxError } from "../shared/errors.ts";
import type { CommandClassification } from "./classification.ts";
import { loadClassifier } from "./load-classifier.ts";

/** Options of {@link classifyCommand}. */
export interface ClassifyOptions {
  /**
   * As of `subprocessSandbox()`: `dist/worker/main.js` of this package, or its folder, which holds the classifier too.
   * @default looked up beside this module, then by package resolution
   */
  readonly workerPath?: string | URL;
}

/**
 * Says whether a script needs a higher tier than 0, by which commands, and where they stand. It reads the script as
 * the shell of tier 0 would, and runs nothing: what only run time can tell is left to the trip-wires of tier 0. A
 * script that does not parse is one for tier 0, which tells what is wrong.
 *
 * @throws SandboxError `OPTION_INVALID` for a script that is no string or an option that is none; `WORKER_NOT_FOUND`,
 * `WORKER_VERSION` when the classifier, which lies with the worker, is not there or of another build.
 */
export function classifyCommand(script: string, options: ClassifyOptions = {}): CommandClassification {
  if (typeof script !== "string") throw invalid("script", "a string", script);
  if (typeof options !== "object" || options === null) throw invalid("options", "an object", options);
  refuseUnknownOptions(options, ["workerPath"]);
  const { workerPath } = options;
  if (
    workerPath !== undefined &&
    !(workerPath instanceof URL && workerPath.protocol === "file:") &&
    !(typeof workerPath === "string" && workerPath !== "" && !workerPath.includes("\0"))
  )
    throw invalid("workerPath", "a path or a file: URL", workerPath);
  return loadClassifier(workerPath ?? null).classify(script);
}

function invalid(option: string, expected: string, got: unknown): SandboxError {
  const shown =
    got === null ? "null" : typeof got === "string" ? JSON.stringify(got) : `of type ${typeof got}`;
  return new SandboxError("OPTION_INVALID", `Option "${option}" must be ${expected}, but is ${shown}.`, {
    option,
  });
}
