/**
 * The tool calls of one command: counted, held below the limits, told as events, and over when the command
 * is over. A call that is still open at that moment is answered with an error there and then; whether its
 * tool had an effect is not known. An executor that forwards calls must expect that late rejection.
 */

import { randomUUID } from "node:crypto";
import { isSandboxError, SandboxError } from "../shared/errors.ts";
import { tellThrown } from "../shared/redact.ts";
import type { ToolBridge, ToolOutcome } from "../shared/tools.ts";
import type { HarnessTraceOptions } from "../shared/trace-options.ts";
import type { EventStream } from "./event-stream.ts";
import { runForCommand, type ScopedCommand } from "./tool-scope.ts";
import { TracedFields } from "./trace-text.ts";

/** What the calls of one command need to know. */
export interface CommandToolCallsOptions {
  readonly bridge: ToolBridge;
  readonly command: ScopedCommand & { readonly id: string; readonly number: number };
  /** Absent: nothing is emitted. */
  readonly events: EventStream | undefined;
  readonly traceOptions: HarnessTraceOptions;
  readonly maxToolCalls: number;
  readonly maxToolConcurrency: number;
  /** Told that a tool which may change files starts; the function returned, that it is done. */
  startTool(toolCallId: string): (() => Promise<void>) | undefined;
}

interface OpenCall {
  readonly id: string;
  readonly tool: string;
  readonly startedMs: number;
  readonly abort: AbortController;
  resolve(json: string): void;
  reject(error: SandboxError): void;
  run(): void;
}

/** Names come from scripts; a longer one is cut in events. */
const MAX_NAME_CHARACTERS = 200;
const HAS_ENDED = "the command has ended";

export class CommandToolCalls {
  readonly #options: CommandToolCallsOptions;
  readonly #open = new Set<OpenCall>();
  readonly #waiting = new Set<OpenCall>();
  readonly #counts = new Map<string, number>();
  readonly #names: ReadonlySet<string>;
  readonly #quietNames: ReadonlySet<string>;
  #count = 0;
  #running = 0;
  #isClosed = false;

  constructor(options: CommandToolCallsOptions) {
    this.#options = options;
    this.#names = new Set(options.bridge.names);
    this.#quietNames = new Set(options.bridge.quietNames);
  }

  /** Calls by tool; names that no tool has are counted together as `(unknown)`. */
  get called(): Record<string, number> {
    return Object.fromEntries([...this.#counts].sort(([left], [right]) => (left < right ? -1 : 1)));
  }

  /** Calls a tool. Rejects with a `SandboxError`: `TOOL_FAILED`, or `TOOL_REFUSED` when it did not run to its end. */
  invoke(path: string, argsJson: string): Promise<string> {
    const answer = new Promise<string>((resolve, reject) => this.#begin(path, argsJson, resolve, reject));
    // An executor that has dropped the call must not turn a late rejection into the end of the process.
    answer.catch(() => undefined);
    return answer;
  }

  /** The command is over: aborts and answers every open call, in the order in which they came. */
  close(): void {
    this.#isClosed = true;
    this.#waiting.clear();
    for (const call of [...this.#open]) {
      call.abort.abort(new SandboxError("TOOL_REFUSED", HAS_ENDED, { tool: call.tool }));
      this.#fail(call, new SandboxError("TOOL_REFUSED", HAS_ENDED, { tool: call.tool }));
    }
  }

  #begin(path: string, argsJson: string, resolve: OpenCall["resolve"], reject: OpenCall["reject"]): void {
    const tool = path.slice(0, MAX_NAME_CHARACTERS);
    if (this.#isClosed) {
      reject(new SandboxError("TOOL_REFUSED", HAS_ENDED, { tool }));
      return;
    }
    const { bridge, command, maxToolCalls, maxToolConcurrency } = this.#options;
    const callNumber = ++this.#count;
    const abort = new AbortController();
    const call: OpenCall = {
      id: randomUUID(),
      tool,
      startedMs: performance.now(),
      abort,
      resolve,
      reject,
      run: () => {
        this.#running++;
        const toolCall = {
          path,
          argsJson,
          toolCallId: call.id,
          signal: abort.signal,
          commandNumber: command.number,
          callNumber,
        };
        const mayWrite = this.#names.has(path) && !this.#quietNames.has(path);
        const toolEnded = mayWrite ? this.#options.startTool(call.id) : undefined;
        // It ends before its answer reaches the script, which may then change files itself.
        void runForCommand(command, call.id, async () => await bridge.call(toolCall))
          .finally(toolEnded)
          .then(
            (outcome) => this.#complete(call, outcome),
            (thrown: unknown) => this.#fail(call, toError(tool, thrown)),
          )
          .finally(() => this.#runNext());
      },
    };
    if (callNumber > maxToolCalls) {
      this.#refuse(call, argsJson, callNumber === maxToolCalls + 1);
      return;
    }
    const name = this.#names.has(path) ? path : "(unknown)";
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    this.#open.add(call);
    this.#emitStarted(call, argsJson);
    if (this.#running < maxToolConcurrency) call.run();
    else this.#waiting.add(call);
  }

  // Only the first refusal is told: a script that goes on for ever must not fill the host's log.
  #refuse(call: OpenCall, argsJson: string, isFirst: boolean): void {
    const why = `more than ${this.#options.maxToolCalls} tool calls in one command`;
    if (isFirst) {
      this.#open.add(call);
      this.#emitStarted(call, argsJson);
    }
    const error = new SandboxError("TOOL_REFUSED", why, { tool: call.tool });
    if (isFirst) this.#fail(call, error);
    else call.reject(error);
  }

  #runNext(): void {
    this.#running--;
    for (const next of this.#waiting) {
      this.#waiting.delete(next);
      next.run();
      return;
    }
  }

  #complete(call: OpenCall, outcome: ToolOutcome): void {
    if (!this.#open.delete(call)) return;
    const traced = new TracedFields(this.#options.traceOptions);
    const result = traced.json("result", "toolResult", outcome.json);
    this.#options.events?.emit({
      type: "harness.tool_call.completed",
      ...this.#identify(call),
      durationMs: performance.now() - call.startedMs,
      ...result,
      ...traced.cut,
    });
    call.resolve(outcome.json);
  }

  #fail(call: OpenCall, error: SandboxError): void {
    if (!this.#open.delete(call)) return;
    const traced = new TracedFields(this.#options.traceOptions);
    const { error: told = "" } = traced.text("error", "error", error.message);
    this.#options.events?.emit({
      type: "harness.tool_call.failed",
      ...this.#identify(call),
      durationMs: performance.now() - call.startedMs,
      error: told,
      ...traced.cut,
    });
    call.reject(error);
  }

  #emitStarted(call: OpenCall, argsJson: string): void {
    const traced = new TracedFields(this.#options.traceOptions);
    const input = traced.json("input", "toolInput", argsJson);
    this.#options.events?.emit({
      type: "harness.tool_call.started",
      ...this.#identify(call),
      ...input,
      ...traced.cut,
    });
  }

  #identify(call: OpenCall): { occurrenceId: string; tool: string; toolCallId: string; commandId: string } {
    return {
      occurrenceId: call.id,
      tool: call.tool,
      toolCallId: call.id,
      commandId: this.#options.command.id,
    };
  }
}

function toError(tool: string, thrown: unknown): SandboxError {
  // Only these are made to be shown; any other, also of ours, comes from a bridge that let it through.
  if (isSandboxError(thrown) && (thrown.code === "TOOL_FAILED" || thrown.code === "TOOL_REFUSED"))
    return thrown;
  return new SandboxError("TOOL_FAILED", tellThrown(thrown), { tool });
}
