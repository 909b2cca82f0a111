/** The engine's parser, read from the worker's folder at first use: importing this package does not load it. */
import nodeModule from "node:module";
import { dirname, join } from "node:path";
import type { ScriptParser } from "../engine/parse-script.ts";
import { buildId } from "../parent/build-id.ts";
import { findWorker, readBuildId } from "../parent/find-worker.ts";
import { SandboxError } from "../shared/errors.ts";

// A name and not a literal in the call: webpack would follow it and take the file into the application's bundle.
const PARSER_FILE = "parse-script.cjs";

const loaded = new Map<string, ScriptParser>();

/**
 * @param workerPath as of `subprocessSandbox()`; null: looked up as there.
 * @throws SandboxError `WORKER_NOT_FOUND`, or `WORKER_VERSION` when the folder named is of another build.
 */
export function loadParser(workerPath: string | URL | null): ScriptParser {
  const key = workerPath === null ? "" : String(workerPath);
  let parser = loaded.get(key);
  if (parser === undefined) {
    parser = read(findWorker(workerPath));
    loaded.set(key, parser);
  }
  return parser;
}

function read(workerFile: string): ScriptParser {
  const found = readBuildId(workerFile);
  if (buildId !== "" && found !== buildId) {
    throw new SandboxError(
      "WORKER_VERSION",
      `The worker at ${workerFile} is of build ${found ?? "unknown"}, and this module of ${buildId}: copy the folder ` +
        "dist/worker of the installed @little-stack/harness again.",
      { found, expected: buildId },
    );
  }
  const folder = dirname(workerFile);
  return nodeModule.createRequire(workerFile)(join(folder, PARSER_FILE)) as ScriptParser;
}
