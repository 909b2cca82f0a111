/** Puts a recording between a call and its tool: what was recorded is answered from there, the rest is recorded. */
import { isSandboxError } from "../shared/errors.ts";
import type { ReplayableCall, ReplayOutcome, ToolReplay } from "../shared/sandbox.ts";
import type { ToolCall, ToolOutcome } from "../shared/tools.ts";
import { readInput } from "./read-input.ts";
import { settleTool } from "./settle-tool.ts";
import { describeThrown, toolFailed, toolRefused } from "./tool-error.ts";

/**
 * Answers from the recording, or runs the tool and records what it said. A call that its command's end cut
 * short is not recorded: nobody knows what the tool did. Failures of the recording fail the call, since a
 * side effect that is not on record would happen twice.
 */
export async function callOrReplay(
  replay: ToolReplay,
  call: ToolCall,
  activeCommand: unknown,
  keepPrefixes: readonly string[],
  run: (idempotencyKey?: string) => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  const known: ReplayableCall = {
    tool: call.path,
    argsJson: call.argsJson,
    commandNumber: call.commandNumber ?? 0,
    callNumber: call.callNumber ?? 0,
    activeCommand,
  };
  const ask = async <T>(question: () => T | Promise<T>): Promise<T> => {
    try {
      return (await settleTool(call.signal, question)) as T;
    } catch (thrown) {
      if (call.signal.aborted) throw toolRefused(call.path, "the command has ended");
      throw toolFailed(
        call.path,
        `the recording of tool calls failed: ${describeThrown(call.path, thrown, keepPrefixes)}`,
      );
    }
  };
  const recorded = await ask(() => replay.lookup(known));
  if (recorded !== undefined && !("idempotencyKey" in recorded)) return fromRecord(call, recorded);
  let outcome: ToolOutcome;
  try {
    outcome = await run(recorded?.idempotencyKey);
  } catch (thrown) {
    if (isSandboxError(thrown) && thrown.code === "TOOL_FAILED") {
      await ask(() => replay.record(known, { error: thrown.message }));
    }
    throw thrown;
  }
  await ask(() => replay.record(known, { json: outcome.json }));
  return outcome;
}

function fromRecord(call: ToolCall, recorded: ReplayOutcome): ToolOutcome {
  if ("error" in recorded) throw toolFailed(call.path, recorded.error);
  return { json: recorded.json, input: readInput(call.path, call.argsJson) };
}
