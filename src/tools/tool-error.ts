/** What a script reads when a tool call goes wrong: always a `SandboxError`, never the host's own error. */
import { SandboxError } from "../shared/errors.ts";
import { redactHostText } from "../shared/redact.ts";

/** Characters of a message that reach the script. */
const MAX_MESSAGE_CHARACTERS = 8 * 1024;

/** The call failed: bad input, a tool that threw, a result that cannot be told. Code `TOOL_FAILED`. */
export function toolFailed(tool: string, message: string): SandboxError {
  return new SandboxError("TOOL_FAILED", message, { tool });
}

/** The call was not allowed, or not any more. Code `TOOL_REFUSED`. */
export function toolRefused(tool: string, message: string): SandboxError {
  return new SandboxError("TOOL_REFUSED", message, { tool });
}

/** The message of whatever a tool threw, without stack and host paths. */
export function describeThrown(tool: string, thrown: unknown, keepPrefixes: readonly string[]): string {
  return redactHostText(rawMessage(tool, thrown), keepPrefixes).slice(0, MAX_MESSAGE_CHARACTERS);
}

function rawMessage(tool: string, thrown: unknown): string {
  try {
    if (typeof thrown === "object" && thrown !== null && "message" in thrown) {
      const { message } = thrown;
      if (typeof message === "string" && message !== "") return message;
    }
    if (typeof thrown === "string" && thrown !== "") return thrown;
    if (thrown instanceof Error) return `tool ${tool} threw ${thrown.name} without a message`;
    if (typeof thrown === "object" && thrown !== null)
      return `tool ${tool} threw an object without a message`;
    return `tool ${tool} threw ${typeof thrown === "string" ? "an empty string" : String(thrown)}`;
  } catch {
    // A getter or proxy that throws in turn: there is nothing left that could be told.
    return `tool ${tool} threw something that cannot be read`;
  }
}
