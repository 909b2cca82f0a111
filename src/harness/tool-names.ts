/** Names of tools as models take them: providers allow letters, digits, `_` and `-`, 64 characters at most. */
import { SandboxError } from "../shared/errors.ts";

const MAX_NAME_CHARACTERS = 64;

/** The name by which the loop's own tool is known; no tool of the host may have it while that tool is on. */
export const BASH = "bash";

/**
 * Tool → the name that the model calls it by: every other character becomes `_`, so `orders.find` is `orders_find`.
 * Throws `TOOL_INVALID` when two tools would have the same name, or one is too long.
 */
export function toModelNames(names: readonly string[], hasBash: boolean): ReadonlyMap<string, string> {
  const owners = new Map<string, string>();
  const modelNames = new Map<string, string>();
  for (const name of names) {
    const modelName = name.replace(/[^A-Za-z0-9_-]/gu, "_");
    if (hasBash && modelName === BASH) {
      throw invalid(
        name,
        `the model has a tool "${BASH}" already; give it another name, or turn that off with bash: false`,
      );
    }
    const owner = owners.get(modelName);
    if (owner !== undefined) {
      throw invalid(name, `the model would call it "${modelName}", as the tool ${JSON.stringify(owner)}`);
    }
    if (modelName.length > MAX_NAME_CHARACTERS) {
      throw invalid(name, `expected a name of at most ${MAX_NAME_CHARACTERS} characters`);
    }
    owners.set(modelName, name);
    modelNames.set(name, modelName);
  }
  return modelNames;
}

function invalid(name: string, why: string): SandboxError {
  return new SandboxError("TOOL_INVALID", `tool ${JSON.stringify(name)}: ${why}`, { tool: name });
}
