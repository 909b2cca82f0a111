/**
 * The border between scripts and the tools of the host. A call names a tool and brings JSON text; it gets
 * JSON text back, or an error whose message may be shown to the script. Tools run in this process with its
 * credentials: their errors and results are the only things that go out. Emits nothing and counts nothing:
 * the shell runtime does both.
 */
import { SandboxError } from "../shared/errors.ts";
import { redactHostText } from "../shared/redact.ts";
import type { ToolReplay } from "../shared/sandbox.ts";
import type { HarnessTools, ToolBridge, ToolCall, ToolCallOptions, ToolOutcome } from "../shared/tools.ts";
import { type KnownTool, readTools } from "./known-tools.ts";
import { nearestNames } from "./nearest-names.ts";
import { type NormaliseLimits, toJsonText } from "./normalise.ts";
import { readInput } from "./read-input.ts";
import { callOrReplay } from "./replay.ts";
import { settleTool } from "./settle-tool.ts";
import { describeThrown, toolFailed, toolRefused } from "./tool-error.ts";

/** What a bridge is made of. */
export interface RuntimeToolBridgeOptions {
  readonly tools: HarnessTools;
  /** Handed to every tool as `experimental_context`; may be `null`, must not be `undefined`. */
  readonly toolContext: unknown;
  readonly replay?: ToolReplay | undefined;
  /** Said to `replay` with each call. @default () => undefined */
  readonly getActiveCommand?: (() => unknown) | undefined;
  /** Paths inside the sandbox; error messages keep them, and lose every other absolute path. @default [] */
  readonly sandboxPaths?: readonly string[] | undefined;
  /** How deep and large a result may be. */
  readonly resultLimits?: NormaliseLimits | undefined;
}

/** Characters of an unknown tool's name that are repeated to the script. */
const MAX_TOLD_NAME = 200;

/**
 * Builds a bridge over tools, for those who run commands by their own loop.
 * Throws `TOOLS_WITHOUT_CONTEXT` and `TOOL_INVALID`.
 */
export function createRuntimeToolBridge(options: RuntimeToolBridgeOptions): ToolBridge {
  const known = readTools(options.tools);
  if (options.toolContext === undefined) {
    throw new SandboxError(
      "TOOLS_WITHOUT_CONTEXT",
      "tools need a toolContext: pass the value that tools should get, or null if they need none",
    );
  }
  const names = [...known.keys()].sort();
  const keepPrefixes = options.sandboxPaths ?? [];
  return {
    names,
    quietNames: names.filter((name) => known.get(name)?.tool.writesFiles === false),
    async call(call) {
      const run = (idempotencyKey = call.idempotencyKey) =>
        runTool(findTool(known, names, call.path), call, options, keepPrefixes, idempotencyKey);
      if (options.replay === undefined) return await run();
      return await callOrReplay(options.replay, call, options.getActiveCommand?.(), keepPrefixes, run);
    },
  };
}

function findTool(known: ReadonlyMap<string, KnownTool>, names: readonly string[], path: string): KnownTool {
  const tool = known.get(path);
  if (tool !== undefined) return tool;
  const near = nearestNames(path, names);
  const hint = near.length === 0 ? "" : `; did you mean ${near.join(" or ")}?`;
  throw toolFailed(path.slice(0, MAX_TOLD_NAME), `unknown tool: ${path.slice(0, MAX_TOLD_NAME)}${hint}`);
}

async function runTool(
  known: KnownTool,
  call: ToolCall,
  options: RuntimeToolBridgeOptions,
  keepPrefixes: readonly string[],
  idempotencyKey: string | undefined,
): Promise<ToolOutcome> {
  const { name, tool } = known;
  if (tool.execute === undefined) throw toolFailed(name, `tool ${name} has no execute`);
  const given = readInput(name, call.argsJson);
  const validated = await settle(name, call.signal, keepPrefixes, () => known.validate(given));
  if (!validated.isValid) {
    const issues = validated.issues.join("; ");
    const told = validated.by === "host" ? redactHostText(issues, keepPrefixes) : issues;
    throw toolFailed(name, `invalid input for tool ${name}: ${told}`);
  }
  const input = validated.value;
  const callOptions: ToolCallOptions = {
    toolCallId: call.toolCallId,
    abortSignal: call.signal,
    experimental_context: options.toolContext,
    messages: [],
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  };
  // Called on the tool, which may be an instance of a class.
  const result = await settle(name, call.signal, keepPrefixes, () => tool.execute?.(input, callOptions));
  return { json: toJsonText(name, result, options.resultLimits), input };
}

/** Runs code of the host; whatever it throws leaves as an error of ours that holds nothing of the host's. */
async function settle<T>(
  name: string,
  signal: AbortSignal,
  keepPrefixes: readonly string[],
  run: () => T,
): Promise<Awaited<T>> {
  try {
    return (await settleTool(signal, run)) as Awaited<T>;
  } catch (thrown) {
    if (signal.aborted) throw toolRefused(name, "the command has ended");
    throw toolFailed(name, describeThrown(name, thrown, keepPrefixes));
  }
}
