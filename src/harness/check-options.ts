/** Options of a harness and of a turn, checked where they are given. Each error names the option and what was expected. */

import { isRunId, RUN_ID_RULE } from "../session-log/run-id.ts";
import { invalidOption, isRecord, unknownOption } from "../shared/check-options.ts";
import { SandboxError } from "../shared/errors.ts";
import type { HarnessTools } from "../shared/tools.ts";
import { resolveTraceOptions } from "../shell/trace-options.ts";
import { createRuntimeToolBridge } from "../tools/tool-bridge.ts";
import { isUnknownOutcome, UNKNOWN_OUTCOME_RULE } from "../tools/unknown-outcome.ts";
import type { HarnessModelSettings, HarnessOptions, HarnessTurnOptions } from "./harness-options.ts";
import { toModelNames } from "./tool-names.ts";

/** Handed to the AI SDK as they are, and checked there. */
export const MODEL_SETTINGS = [
  "maxOutputTokens",
  "temperature",
  "topP",
  "topK",
  "presencePenalty",
  "frequencyPenalty",
  "stopSequences",
  "seed",
  "maxRetries",
  "headers",
  "providerOptions",
  "toolChoice",
] as const satisfies readonly (keyof HarnessModelSettings)[];

const TURN_SETTINGS = [
  "runtime",
  "tools",
  "toolContext",
  "system",
  "maxSteps",
  "traceOptions",
  "emitToolEvents",
  "persistentDirs",
  "sessionLog",
  ...MODEL_SETTINGS,
];
export const HARNESS_OPTIONS = ["host", "model", "bash", "maxInlineBytes", ...TURN_SETTINGS];
export const TURN_OPTIONS = [
  "harness",
  "prompt",
  "messages",
  "session",
  "runId",
  "abortSignal",
  "onEvent",
  ...TURN_SETTINGS,
];
const BASH_OPTIONS = ["timeoutMs", "maxTimeoutMs", "maxOutputBytes"];

/** What the model gets of a tool stands in one record of the session log, of which 1 MiB may be JSON. */
const MOST_INLINE_BYTES = 128 * 1024;

/** Below it head and tail say nothing. */
const LEAST_INLINE_BYTES = 256;

/** Throws `OPTION_INVALID` and `TOOL_INVALID`. */
export function checkHarnessOptions(options: HarnessOptions): void {
  checkRecord("createHarness", options, HARNESS_OPTIONS);
  const { host, model, bash, maxInlineBytes } = options;
  if (typeof host?.prepareTurn !== "function") throw invalidOption("host", "a host, such as localHost()");
  const isModel =
    typeof model === "string" ? model !== "" : isRecord(model) && typeof model.doGenerate === "function";
  if (!isModel) throw invalidOption("model", "a model of the AI SDK or the id of one");
  if (bash !== undefined && bash !== false) {
    if (!isRecord(bash)) throw invalidOption("bash", "false or an object");
    checkRecord("bash", bash, [...BASH_OPTIONS, "onUnknownOutcome"]);
    const { onUnknownOutcome = "repeat", ...counts } = bash;
    for (const [name, value] of Object.entries(counts)) checkCount(`bash.${name}`, value, 1);
    if (!isUnknownOutcome(onUnknownOutcome))
      throw invalidOption("bash.onUnknownOutcome", UNKNOWN_OUTCOME_RULE);
    const { timeoutMs, maxTimeoutMs } = bash;
    // Not a number where one of them is not given: not above.
    if (Number(timeoutMs) > Number(maxTimeoutMs))
      throw invalidOption("bash.timeoutMs", `bash.maxTimeoutMs (${maxTimeoutMs}) or less`);
  }
  checkCount("maxInlineBytes", maxInlineBytes, LEAST_INLINE_BYTES);
  checkSettings(options, bash !== false);
}

/** Throws `OPTION_INVALID` and `TOOL_INVALID`. */
export function checkTurnOptions(caller: string, options: HarnessTurnOptions): void {
  checkRecord(caller, options, TURN_OPTIONS);
  const { harness, prompt, messages, abortSignal, onEvent } = options;
  if (typeof harness?.options?.host?.prepareTurn !== "function") {
    throw invalidOption("harness", "what createHarness() gave");
  }
  if ((prompt === undefined) === (messages === undefined)) {
    throw invalidOption("prompt", `given when "messages" is not, and absent when it is`);
  }
  if (prompt !== undefined && (typeof prompt !== "string" || prompt === "")) {
    throw invalidOption("prompt", "a text that is not empty");
  }
  if (messages !== undefined && (!Array.isArray(messages) || messages.length === 0)) {
    throw invalidOption("messages", "an array of at least one message");
  }
  if (abortSignal !== undefined && !isAbortSignal(abortSignal))
    throw invalidOption("abortSignal", "an AbortSignal");
  if (onEvent !== undefined && typeof onEvent !== "function") throw invalidOption("onEvent", "a function");
  checkSettings(options, harness.options.bash !== false);
  const { sessionLog = harness.options.sessionLog, runId } = options;
  if (sessionLog === undefined) return;
  if (runId !== undefined && !isRunId(runId))
    throw invalidOption("runId", `${RUN_ID_RULE}, as the run has a session log`);
  if ((harness.options.maxInlineBytes ?? 0) > MOST_INLINE_BYTES)
    throw invalidOption("maxInlineBytes", `${MOST_INLINE_BYTES} or less for a run with a session log`);
}

function checkSettings(settings: HarnessOptions | HarnessTurnOptions, hasBash: boolean): void {
  const { runtime, tools, system, maxSteps, traceOptions, emitToolEvents, sessionLog } = settings;
  if (runtime !== undefined) {
    checkRecord("runtime", runtime, ["python", "javascript"]);
    for (const [name, value] of Object.entries(runtime)) checkSwitch(`runtime.${name}`, value);
  }
  if (tools !== undefined) checkTools(tools, hasBash);
  if (system !== undefined && typeof system !== "string") throw invalidOption("system", "a text");
  checkCount("maxSteps", maxSteps, 1);
  checkSwitch("emitToolEvents", emitToolEvents);
  const isLog = typeof sessionLog?.append === "function" && typeof sessionLog.read === "function";
  if (sessionLog !== undefined && !isLog)
    throw invalidOption("sessionLog", "a session log, with append and read");
  resolveTraceOptions(undefined, traceOptions);
}

function checkTools(tools: HarnessTools, hasBash: boolean): void {
  const { names } = createRuntimeToolBridge({ tools, toolContext: null });
  toModelNames(names, hasBash);
  for (const name of names) {
    const { needsApproval } = tools[name] as { needsApproval?: unknown };
    if (needsApproval === undefined || needsApproval === false) continue;
    // Left out silently, it would run without the approval that it asks for.
    const message = `tool ${JSON.stringify(name)}: needsApproval is not supported: ask in execute, or leave execute out and answer the call yourself`;
    throw new SandboxError("TOOL_INVALID", message, { tool: name });
  }
}

function checkRecord(what: string, given: unknown, known: readonly string[]): void {
  if (!isRecord(given)) throw invalidOption(what, "an object");
  const name = unknownOption(given, known);
  if (name === undefined) return;
  const message = `${what}: unknown option "${name}". Known options: ${known.join(", ")}.`;
  throw new SandboxError("OPTION_INVALID", message, { option: name });
}

function checkCount(option: string, value: unknown, least: number): void {
  if (value === undefined || (Number.isSafeInteger(value) && Number(value) >= least)) return;
  throw invalidOption(option, `a whole number, ${least} or more`);
}

function checkSwitch(option: string, value: unknown): void {
  if (value !== undefined && typeof value !== "boolean") throw invalidOption(option, "true or false");
}

// By shape: a signal may come from another realm or a polyfill.
function isAbortSignal(value: unknown): boolean {
  const signal = value as Partial<AbortSignal> | null;
  return typeof signal?.aborted === "boolean" && typeof signal.addEventListener === "function";
}
