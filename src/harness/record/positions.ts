/** Where in a run something is recorded, and what a tool call is there known by. */
import { canonicalJson } from "../../session-log/canonical-json.ts";
import { sha256Of } from "../keep-artifact.ts";

/** Far above what any input may have. */
const MAX_INPUT_BYTES = 64 * 1024 * 1024;

/** Types of the records of a run. */
export const RECORD = {
  started: "harness.run.started",
  resumed: "harness.run.resumed",
  stepCompleted: "harness.run.step.completed",
  stepRepeated: "harness.run.step.repeated",
  toolStarted: "harness.run.tool_call.started",
  toolRepeated: "harness.run.tool_call.repeated",
  toolCompleted: "harness.run.tool_call.completed",
  toolFailed: "harness.run.tool_call.failed",
  commandEnded: "harness.run.command.ended",
  filesChanged: "harness.run.files.changed",
  attemptEnded: "harness.run.attempt.ended",
  completed: "harness.run.completed",
} as const;

/** The end of the whole run. */
export const COMPLETED_KEY = "completed";

export function stepKey(step: number): string {
  return `step/${step}`;
}

/** @param call 1, 2, 3 … within the step */
export function toolKey(step: number, call: number): string {
  return `step/${step}/tool/${call}`;
}

/**
 * A call of a script, by what it asks and not by its number: scripts that call tools at the same time may do so in
 * another order the next time.
 * @param digest of the call
 * @param occurrence 1, 2, 3 … of calls that ask the same
 */
export function scriptCallKey(command: string, digest: string, occurrence: number): string {
  return `${command}/script/${digest.slice(0, 32)}/${occurrence}`;
}

/** The same for the same tool and input; the order of keys and blanks in the JSON do not count. */
export function callDigest(tool: string, argsJson: string): string {
  return sha256Of(`${tool}\n${canonicalText(argsJson)}`);
}

/** For tools that others work with: the same for the same position of the same run. */
export function idempotencyKeyOf(runId: string, key: string): string {
  return sha256Of(`${runId}\n${key}`);
}

function canonicalText(json: string): string {
  try {
    return canonicalJson(JSON.parse(json), "input", MAX_INPUT_BYTES);
  } catch {
    // No JSON, or none that has one text: then it is the same when it is the same text.
    return json;
  }
}
