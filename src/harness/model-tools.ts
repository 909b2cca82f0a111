/** The tools of a turn as the AI SDK takes them: the host's, by names that models allow, and `bash`. */
import { SandboxError } from "../shared/errors.ts";
import { tellThrown } from "../shared/redact.ts";
import type { HarnessTool, HarnessTools, ToolBridge } from "../shared/tools.ts";
import type { AiSdk } from "./ai-sdk.ts";
import { BASH_INPUT, type BashTool } from "./bash-tool.ts";
import type { LargeOutputs } from "./large-output.ts";
import type { ModelToolCalls } from "./model-tool-calls.ts";
import { BASH, toModelNames } from "./tool-names.ts";

/** What the tools are made of. */
export interface ModelToolsOptions {
  readonly sdk: AiSdk;
  readonly tools: HarnessTools;
  readonly bridge: ToolBridge;
  readonly calls: ModelToolCalls;
  readonly outputs: LargeOutputs;
  readonly signal: AbortSignal;
  readonly bash: { readonly tool: BashTool; readonly description: string } | undefined;
  /** Told when a command found no sandbox to run in: the turn cannot go on. */
  readonly onNoSandbox: (thrown: unknown) => void;
}

interface SdkCallOptions {
  readonly toolCallId: string;
}

/** Name that the model knows → tool. Throws `TOOL_INVALID` for a schema that has no JSON Schema. */
export async function toModelTools(options: ModelToolsOptions): Promise<Record<string, object>> {
  const { tools, bash } = options;
  // No prototype: a tool may be named like something that every object has.
  const set: Record<string, object> = Object.create(null);
  if (bash !== undefined) set[BASH] = toBash(options, bash);
  for (const [name, modelName] of toModelNames(Object.keys(tools), bash !== undefined)) {
    const tool = tools[name];
    if (tool !== undefined)
      set[modelName] = isOfProvider(tool) ? tool : await toModelTool(name, modelName, tool, options);
  }
  return set;
}

function toBash(
  { sdk, calls, signal, onNoSandbox }: ModelToolsOptions,
  { tool, description }: NonNullable<ModelToolsOptions["bash"]>,
): object {
  return {
    description,
    inputSchema: sdk.jsonSchema(BASH_INPUT),
    execute: (input: unknown, { toolCallId }: SdkCallOptions) =>
      calls.call(BASH, input, toolCallId, async ({ argsJson, notes }) => {
        const json = await tool.run(argsJson, signal, onNoSandbox, notes);
        return { json, output: JSON.parse(json) };
      }),
  };
}

// The schema goes to the model without a check of its own: the bridge checks, once, for the model as for scripts. A
// schema that coerces would refuse what it has coerced already.
async function toModelTool(
  name: string,
  modelName: string,
  tool: HarnessTool,
  { sdk, bridge, calls, outputs, signal }: ModelToolsOptions,
): Promise<object> {
  const { description } = tool;
  const schema = {
    ...(description === undefined ? {} : { description }),
    inputSchema: sdk.jsonSchema(await toJsonSchema(name, tool.inputSchema, sdk)),
  };
  // A tool that the application answers itself: the turn ends with the call.
  if (tool.execute === undefined) return schema;
  return {
    ...schema,
    execute: (input: unknown, { toolCallId }: SdkCallOptions) =>
      calls.call(name, input, toolCallId, async ({ argsJson, callNumber, idempotencyKey }) => {
        const call = {
          path: name,
          argsJson,
          toolCallId,
          signal,
          commandNumber: 0,
          callNumber,
          ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
        };
        const { json } = await bridge.call(call);
        return { json, output: await outputs.fitJson(modelName, json) };
      }),
  };
}

/** A tool that the provider of the model runs itself, such as a search. */
export function isOfProvider(tool: HarnessTool): boolean {
  const { type } = tool as { type?: unknown };
  return type === "provider" || type === "provider-defined";
}

/**
 * What the model is shown of a tool's input.
 * @throws SandboxError `TOOL_INVALID`.
 */
export async function toJsonSchema(name: string, schema: unknown, sdk: AiSdk): Promise<unknown> {
  try {
    return await readJsonSchema(schema, sdk);
  } catch (cause) {
    const message = `tool ${JSON.stringify(name)}: inputSchema: no JSON Schema for the model: ${tellThrown(cause)}`;
    throw new SandboxError("TOOL_INVALID", message, { tool: name }, { cause });
  }
}

async function readJsonSchema(schema: unknown, sdk: AiSdk): Promise<unknown> {
  if (schema === undefined || typeof schema === "boolean") return { type: "object", properties: {} };
  if (typeof schema === "function" && !("~standard" in schema)) return await readJsonSchema(schema(), sdk);
  if (typeof schema !== "object" && typeof schema !== "function") return schema;
  if (schema !== null && "~standard" in schema) return await sdk.asSchema(schema).jsonSchema;
  if (schema !== null && "jsonSchema" in schema) {
    const { jsonSchema } = schema;
    return await (typeof jsonSchema === "function" ? jsonSchema() : jsonSchema);
  }
  return schema;
}
