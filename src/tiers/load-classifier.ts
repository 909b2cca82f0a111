/** The classifier, read from the worker's folder at first use: importing this package loads neither it nor a parser. */
import nodeModule from "node:module";
import { dirname, join } from "node:path";
import { buildId } from "../parent/build-id.ts";
import { findWorker, readBuildId } from "../parent/find-worker.ts";
import { SandboxError } from "../shared/errors.ts";
import type { CommandClassification } from "./classification.ts";

// A name and not a literal in the call: webpack would follow it and take the file into the application's bundle.
const CLASSIFIER_FILE = "classify.cjs";

/** What the built file exports. */
export interface Classifier {
  classify(script: string): CommandClassification;
}

const loaded = new Map<string, Classifier>();

/**
 * @param workerPath as of `subprocessSandbox()`; null: looked up as there.
 * @throws SandboxError `WORKER_NOT_FOUND`, or `WORKER_VERSION` when the folder named is of another build.
 */
export function loadClassifier(workerPath: string | URL | null): Classifier {
  const key = workerPath === null ? "" : String(workerPath);
  let classifier = loaded.get(key);
  if (classifier === undefined) {
    classifier = read(findWorker(workerPath));
    loaded.set(key, classifier);
  }
  return classifier;
}

function read(workerFile: string): Classifier {
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
  return nodeModule.createRequire(workerFile)(join(folder, CLASSIFIER_FILE)) as Classifier;
}
