/**
 * One command, from its `started` event to its result. The order of steps is a promise to the host: started,
 * walk, execute, open tool calls answered, walk, completed or failed, file events, result.
 */
import { AsyncResource } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import type { ExecuteInput } from "../shared/executor.ts";
import type { FileChange } from "../shared/file-change.ts";
import { DEFAULT_LIMITS } from "../shared/limits.ts";
import type { ExecResult } from "../shared/sandbox.ts";
import { waitAtMost } from "./bounded-wait.ts";
import type { ChangeFrame } from "./change-frame.ts";
import type { ChangeReport } from "./change-tracker.ts";
import type { CheckedExec } from "./check-exec-options.ts";
import { CommandToolCalls } from "./command-tool-calls.ts";
import { type BareResult, withoutReport } from "./exec-result.ts";
import { Listener } from "./listener.ts";
import type { RuntimeParts } from "./runtime-parts.ts";
import { settleExecution } from "./settle-execution.ts";
import type { StopSwitch } from "./stop-switch.ts";
import { currentToolScope, type ScopedCommand } from "./tool-scope.ts";
import { TracedFields } from "./trace-text.ts";

/** Milliseconds that files are read for their digest after a command that did not end by itself. */
const READ_AFTER_KILL_MS = 50;

export class RunningCommand implements ScopedCommand {
  readonly id = randomUUID();
  readonly owner: object;
  readonly number: number;
  readonly nested: boolean;
  readonly stop: StopSwitch;
  readonly askedFrom = currentToolScope();
  readonly #parts: RuntimeParts;
  readonly #exec: CheckedExec;
  readonly #tools: CommandToolCalls | undefined;
  readonly #children = new Set<StopSwitch>();
  #frame: ChangeFrame | undefined;
  #isOpen = false;

  constructor(
    parts: RuntimeParts,
    exec: CheckedExec,
    run: {
      readonly owner: object;
      readonly number: number;
      readonly nested: boolean;
      readonly stop: StopSwitch;
    },
  ) {
    this.#parts = parts;
    this.#exec = exec;
    this.owner = run.owner;
    this.number = run.number;
    this.nested = run.nested;
    this.stop = run.stop;
    const { toolBridge, limits } = parts;
    this.#tools =
      toolBridge &&
      new CommandToolCalls({
        bridge: toolBridge,
        command: this,
        events: parts.emitToolEvents ? parts.events : undefined,
        traceOptions: parts.traceOptions,
        maxToolCalls: limits.maxToolCalls,
        maxToolConcurrency: limits.maxToolConcurrency,
        startTool: (toolCallId) => this.#frame && parts.tracker.startTool(this.#frame, toolCallId),
      });
  }

  /** Whether tools may still be called, and what they call still counts as nested in this command. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** A command that a tool of this one started: it is stopped when this one ends. */
  adopt(child: StopSwitch): void {
    this.#children.add(child);
  }

  disown(child: StopSwitch): void {
    this.#children.delete(child);
  }

  /** A command that never ran: told as started and failed all the same. */
  async refuse(result: BareResult): Promise<ExecResult> {
    this.#emitStarted();
    return await this.#finish(result, 0, { changes: [] });
  }

  async run(): Promise<ExecResult> {
    const prefixes = this.#parts.readReadOnlyPrefixes();
    if ("problem" in prefixes) {
      return await this.refuse(withoutReport(126, { kind: "refused", by: "policy" }, prefixes.problem));
    }
    this.#emitStarted();
    if (!this.stop.signal.aborted) this.#parts.prepare();
    const startedMs = performance.now();
    const opened = this.#parts.tracker.open(this.id);
    const frame = await this.#inTime(opened);
    if (frame === undefined) {
      void opened.then((late) => this.#parts.tracker.close(late));
      const late = this.stop.signal.aborted ? stopped(this.stop) : this.#tooLate();
      const unknown = "the tracked mounts were still being read";
      return await this.#finish(late, performance.now() - startedMs, { changes: [], unknown });
    }
    this.#frame = frame;
    this.#isOpen = true;
    const result = this.stop.signal.aborted ? stopped(this.stop) : await this.#execute(prefixes.prefixes);
    this.#isOpen = false;
    for (const child of this.#children) child.stop("abort");
    this.#tools?.close();
    const durationMs = performance.now() - startedMs;
    return await this.#finish(result, durationMs, await this.#closeFrame(frame, result));
  }

  /** The first command waits until it is known what lies in the mounts: not for longer than it may run. */
  async #inTime(opened: Promise<ChangeFrame>): Promise<ChangeFrame | undefined> {
    const { signal } = this.stop;
    let onAbort = (): void => undefined;
    const aborted = new Promise<undefined>((resolve) => {
      onAbort = () => resolve(undefined);
      signal.addEventListener("abort", onAbort, { once: true });
    });
    const timeoutMs = this.#exec.timeoutMs ?? this.#parts.limits.timeoutMs ?? DEFAULT_LIMITS.timeoutMs;
    try {
      const inTime = waitAtMost(opened, timeoutMs).then((wait) => (wait.inTime ? wait.value : undefined));
      return await (signal.aborted ? inTime : Promise.race([inTime, aborted]));
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  #tooLate(): BareResult {
    return withoutReport(
      124,
      { kind: "killed", by: "deadline" },
      "the deadline passed before the command started",
    );
  }

  /** A command that was ended for being late must not wait for gigabytes to be read. */
  async #closeFrame(frame: ChangeFrame, { ending }: BareResult): Promise<ChangeReport> {
    return await this.#parts.tracker.close(frame, ending.kind === "exited" ? undefined : READ_AFTER_KILL_MS);
  }

  async #execute(readOnlyPrefixes: readonly string[]): Promise<BareResult> {
    const { limits, execute } = this.#parts;
    const { cwd, env, replaceEnv, stdin, args, command } = this.#exec;
    const timeoutMs = this.#exec.timeoutMs ?? limits.timeoutMs;
    const maxOutputBytes = this.#exec.maxOutputBytes ?? limits.maxOutputBytes;
    const stdout = this.#forwarder(this.#exec.onStdout);
    const stderr = this.#forwarder(this.#exec.onStderr);
    const tools = this.#tools;
    const input: ExecuteInput = {
      command,
      ...(cwd !== undefined && { cwd }),
      ...(env !== undefined && { env }),
      ...(replaceEnv !== undefined && { replaceEnv }),
      ...(stdin !== undefined && { stdin }),
      ...(args !== undefined && { args }),
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(maxOutputBytes !== undefined && { maxOutputBytes }),
      signal: this.stop.signal,
      nested: this.nested,
      readOnlyPrefixes,
      touch: async (paths) => {
        if (this.#frame !== undefined) await this.#parts.tracker.touch(this.#frame, paths);
      },
      onStdout: stdout.forward,
      onStderr: stderr.forward,
      ...(tools && { invokeTool: (path: string, argsJson: string) => tools.invoke(path, argsJson) }),
    };
    const running = settleExecution(execute, input, this.stop, this.#parts.lastResortMs);
    // Asked for while the first command runs, so that the end of the command need not wait for it.
    this.#parts.isolation.report().catch(() => undefined); // `known` tells a failure
    const result = await running;
    // An executor that does not stream still serves callers that do.
    stdout.forwardIfNothingCame(result.stdoutBytes);
    stderr.forwardIfNothingCame(result.stderrBytes);
    const isDispose =
      this.stop.reason === "dispose" && result.ending.kind === "killed" && result.ending.by === "abort";
    return isDispose ? { ...result, ending: { kind: "killed", by: "dispose" } } : result;
  }

  #forwarder(callback: ((chunk: Uint8Array) => unknown) | undefined): {
    forward(chunk: Uint8Array): void;
    forwardIfNothingCame(bytes: Uint8Array): void;
  } {
    let hasCome = false;
    // A tool's callback may run commands too: they belong to the tool wherever the output comes from.
    const listener = new Listener(callback && AsyncResource.bind(callback));
    const forward = (chunk: Uint8Array): void => {
      if (!this.#isOpen || chunk.byteLength === 0) return;
      hasCome = true;
      // A copy, which `slice` of a `Buffer` would not be: the executor may use the chunk's memory again.
      if (callback !== undefined) listener.tell(new Uint8Array(chunk));
    };
    const forwardIfNothingCame = (bytes: Uint8Array): void => {
      if (!hasCome) forward(bytes);
    };
    return { forward, forwardIfNothingCame };
  }

  #emitStarted(): void {
    const traced = new TracedFields(this.#parts.traceOptions);
    const command = traced.text("command", "command", this.#exec.command);
    this.#parts.events.emit({
      type: "harness.runtime.command.started",
      occurrenceId: this.id,
      ...command,
      ...(this.#exec.cwd !== undefined && { cwd: this.#exec.cwd }),
      nested: this.nested,
      argsCount: this.#exec.args?.length ?? 0,
      ...traced.cut,
    });
  }

  async #finish(
    bare: BareResult,
    durationMs: number,
    report: { readonly changes: readonly FileChange[]; readonly unknown?: string },
  ): Promise<ExecResult> {
    const isolation = await this.#isolationRecord();
    const traced = new TracedFields(this.#parts.traceOptions);
    const { ending, exitCode, truncated } = bare;
    this.#parts.events.emit({
      type: ending.kind === "exited" ? "harness.runtime.command.completed" : "harness.runtime.command.failed",
      occurrenceId: this.id,
      exitCode,
      ending,
      durationMs,
      stdoutBytes: bare.stdoutBytes.byteLength,
      stderrBytes: bare.stderrBytes.byteLength,
      ...traced.text("stdout", "stdout", bare.stdout),
      ...traced.text("stderr", "stderr", bare.stderr),
      truncated,
      changes: report.changes.length,
      ...(report.unknown !== undefined && { changesUnknown: report.unknown }),
      isolation,
      ...traced.cut,
    });
    const { id } = this;
    this.#parts.fileEvents.tell(report.changes, { occurrenceId: id, source: "command", commandId: id }, id);
    return { ...bare, durationMs, changes: report.changes };
  }

  async #isolationRecord() {
    const { limits, mounts, toolBridge, isolation } = this.#parts;
    const { rung, walls } = await isolation.known();
    const { timeoutMs = limits.timeoutMs, maxOutputBytes = limits.maxOutputBytes } = this.#exec;
    return {
      rung,
      walls,
      limits: {
        ...limits,
        ...(timeoutMs !== undefined && { timeoutMs }),
        ...(maxOutputBytes !== undefined && { maxOutputBytes }),
      },
      mounts,
      toolsAllowed: toolBridge?.names ?? [],
      toolsCalled: this.#tools?.called ?? {},
    };
  }
}

/** The result of a command that was stopped before it could start. */
export function stopped(stop: StopSwitch): BareResult {
  if (stop.reason === "dispose") return disposed();
  return withoutReport(137, { kind: "killed", by: "abort" }, "the command was aborted before it started");
}

/** The result of a command for a sandbox that is no more. */
export function disposed(): BareResult {
  return withoutReport(126, { kind: "refused", by: "policy" }, "the sandbox was disposed");
}
