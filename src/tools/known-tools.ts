/** A `tools` object → the table that calls are answered from. Read once: later changes of the object do not count. */
import { SandboxError } from "../shared/errors.ts";
import type { HarnessTool } from "../shared/tools.ts";
import { isUnknownOutcome, UNKNOWN_OUTCOME_RULE } from "./unknown-outcome.ts";
import { toInputValidator, type ValidateInput } from "./validate-input.ts";

/** One tool, ready to be called. */
export interface KnownTool {
  readonly name: string;
  readonly tool: HarnessTool;
  readonly validate: ValidateInput;
}

/** Segments that mean something else than a tool on every JavaScript object. */
const RESERVED: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** Checks names, shapes and schemas. Throws `TOOL_INVALID`, naming the tool and what was expected. */
export function readTools(tools: unknown): ReadonlyMap<string, KnownTool> {
  if (typeof tools !== "object" || tools === null || Array.isArray(tools)) {
    throw new SandboxError("TOOL_INVALID", "tools: expected an object of tools by name");
  }
  const known = new Map<string, KnownTool>();
  for (const [name, tool] of Object.entries(tools)) {
    checkName(name);
    known.set(name, { name, tool: checkTool(name, tool), validate: readSchema(name, tool as HarnessTool) });
  }
  return known;
}

function checkName(name: string): void {
  for (const segment of name.split(".")) {
    if (segment === "") throw invalid(name, "expected a name without empty parts between its dots");
    if (RESERVED.has(segment)) throw invalid(name, `"${segment}" cannot be part of a name`);
  }
}

function checkTool(name: string, tool: unknown): HarnessTool {
  if (typeof tool !== "object" || tool === null) throw invalid(name, "expected an object with execute");
  const { execute, parameters } = tool as { execute?: unknown; parameters?: unknown };
  // The name that AI SDK 4 had. Left out silently, every input would pass.
  if (parameters !== undefined && (tool as HarnessTool).inputSchema === undefined)
    throw invalid(name, 'expected the schema of its input as "inputSchema", got "parameters"');
  if (execute !== undefined && typeof execute !== "function") {
    throw invalid(name, `expected execute to be a function, got ${typeof execute}`);
  }
  const { onUnknownOutcome = "tell" } = tool as { onUnknownOutcome?: unknown };
  if (!isUnknownOutcome(onUnknownOutcome))
    throw invalid(name, `expected onUnknownOutcome to be ${UNKNOWN_OUTCOME_RULE}`);
  return tool;
}

function readSchema(name: string, tool: HarnessTool): ValidateInput {
  try {
    return toInputValidator(tool.inputSchema);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new SandboxError("TOOL_INVALID", `tool ${name}: inputSchema: ${why}`, { tool: name }, { cause });
  }
}

function invalid(name: string, why: string): SandboxError {
  return new SandboxError("TOOL_INVALID", `tool ${JSON.stringify(name)}: ${why}`, { tool: name });
}
