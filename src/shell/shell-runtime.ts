/**
 * Any command executor → a `HarnessSandbox`. The executor runs one command and keeps cwd and variables; the
 * runtime does what is the same everywhere: checks options, keeps order, lets tools be called, finds file
 * changes, and is the only place that emits events. Nothing here knows how or where a command runs.
 */

import { randomUUID } from "node:crypto";
import { SandboxError } from "../shared/errors.ts";
import type { EmitEvent } from "../shared/events.ts";
import type { Execute } from "../shared/executor.ts";
import type { FileChange } from "../shared/file-change.ts";
import type { SandboxFileSystem } from "../shared/file-system.ts";
import { DEFAULT_LIMITS, type SandboxLimits } from "../shared/limits.ts";
import { tellThrown } from "../shared/redact.ts";
import type {
  ExecOptions,
  ExecResult,
  HarnessRuntimeOptions,
  HarnessSandbox,
  IsolationReport,
} from "../shared/sandbox.ts";
import type { ToolBridge } from "../shared/tools.ts";
import type { HarnessTraceOptions } from "../shared/trace-options.ts";
import type { HarnessWorkspaceSpec } from "../shared/workspace-spec.ts";
import { waitAtMost } from "./bounded-wait.ts";
import { ChangeJournal } from "./change-journal.ts";
import { ChangeTracker, FS_CALL } from "./change-tracker.ts";
import { checkExec } from "./check-exec-options.ts";
import { CommandQueue } from "./command-queue.ts";
import { createDefaultFiles } from "./default-files.ts";
import { EventStream } from "./event-stream.ts";
import { withoutReport } from "./exec-result.ts";
import { type ChangeSource, FileEvents } from "./file-events.ts";
import { IsolationKeeper } from "./isolation-record.ts";
import { OpenCommands } from "./open-commands.ts";
import { readPrefixes } from "./read-prefixes.ts";
import { disposed, RunningCommand, stopped } from "./running-command.ts";
import type { RuntimeParts } from "./runtime-parts.ts";
import { StopSwitch } from "./stop-switch.ts";
import { waitingCommandOf, waitingToolOf } from "./tool-scope.ts";
import { resolveTraceOptions } from "./trace-options.ts";
import { createTrackedFiles } from "./tracked-files.ts";

/** What a runtime is made of. */
export interface ShellRuntimeOptions {
  readonly workspace: HarnessWorkspaceSpec;
  /** Makes `invokeTool` of the executor's input; left out when JavaScript is off. */
  readonly toolBridge?: ToolBridge | undefined;
  readonly runtime?: HarnessRuntimeOptions | undefined;
  /** Called at once and in order. Promises it returns are not waited for, except by `dispose`. */
  readonly emit: EmitEvent;
  /** Whether `harness.tool_call.*` is emitted. @default true */
  readonly emitToolEvents?: boolean | undefined;
  /** @default resolveTraceOptions(undefined, undefined) */
  readonly traceOptions?: HarnessTraceOptions | undefined;
  /** The `fs` of the sandbox. @default the mounts' directories on this host */
  readonly files?: SandboxFileSystem | undefined;
  /** Runs one command. */
  readonly execute: Execute;
  /**
   * Told that a command is about to run, before the tracked mounts are walked for it: what the executor needs
   * may start meanwhile. Not waited for; must not throw.
   */
  readonly prepare?: (() => void) | undefined;
  /**
   * Whether `execute` calls `touch` before each change, so that only what it names has to be looked at. Without it
   * the tracked mounts are walked before and after each command.
   * @default false
   */
  readonly tellsTouchedPaths?: boolean | undefined;
  /** Releases what the executor holds. Its error becomes `harness.runtime.dispose.failed`. */
  readonly dispose?: (() => Promise<void> | void) | undefined;
  /** @default a report that claims nothing */
  readonly isolation?: (() => Promise<IsolationReport>) | undefined;
  readonly getReadOnlyPrefixes?: (() => readonly string[]) | undefined;
  /** See `CreateSandboxOptions.changeJournal`. */
  readonly changeJournal?: string | undefined;
  /**
   * `maxToolCalls` and `maxToolConcurrency` are applied here, `timeoutMs` and `maxOutputBytes` are handed to
   * the executor with commands that have none of their own; all of them stand in the isolation record.
   */
  readonly limits?: Partial<SandboxLimits> | undefined;
  /** Milliseconds that an executor gets to end a command after its deadline or an abort. @default 2000 */
  readonly lastResortMs?: number | undefined;
  /** Milliseconds that `dispose` waits for the executor's. @default 5000 */
  readonly disposeTimeoutMs?: number | undefined;
}

/** Builds a sandbox over an executor. Throws `OPTION_INVALID` when `execute`, `emit` or `workspace` is missing. */
export function createShellRuntime(options: ShellRuntimeOptions): HarnessSandbox {
  for (const name of ["execute", "emit"] as const) {
    if (typeof options[name] !== "function")
      throw new SandboxError("OPTION_INVALID", `${name}: expected a function`);
  }
  if (!Array.isArray(options.workspace?.mounts)) {
    throw new SandboxError("OPTION_INVALID", "workspace: expected a workspace spec with mounts");
  }
  return new ShellRuntime(options);
}

class ShellRuntime implements HarnessSandbox {
  readonly fs: SandboxFileSystem;
  readonly #options: ShellRuntimeOptions;
  readonly #parts: RuntimeParts;
  readonly #queue = new CommandQueue();
  readonly #journal: ChangeJournal | undefined;
  readonly #open = new OpenCommands();
  #commands = 0;
  #disposed: Promise<void> | undefined;

  constructor(options: ShellRuntimeOptions) {
    this.#options = options;
    const { workspace, runtime } = options;
    const hasJavascript = workspace.capabilities.javascript && runtime?.javascript !== false;
    const { mounts } = workspace;
    const journal =
      options.changeJournal === undefined ? undefined : new ChangeJournal(options.changeJournal, mounts);
    this.#journal = journal;
    const events = new EventStream(options.emit);
    const fileEvents = new FileEvents(events, journal);
    this.#parts = {
      execute: options.execute,
      prepare: options.prepare ?? (() => undefined),
      events,
      fileEvents,
      tracker: new ChangeTracker({
        mounts,
        isTold: options.tellsTouchedPaths === true,
        journal,
        onRecovered: ({ id, events: told }, changes) => {
          if (told === undefined) fileEvents.tell(changes, sourceOf(id), id);
          else fileEvents.tellAgain(told, id);
        },
      }),
      isolation: new IsolationKeeper(options.isolation),
      toolBridge: hasJavascript ? options.toolBridge : undefined,
      emitToolEvents: options.emitToolEvents ?? true,
      traceOptions: options.traceOptions ?? resolveTraceOptions(undefined, undefined),
      limits: {
        ...options.limits,
        maxToolCalls: options.limits?.maxToolCalls ?? DEFAULT_LIMITS.maxToolCalls,
        maxToolConcurrency: options.limits?.maxToolConcurrency ?? DEFAULT_LIMITS.maxToolConcurrency,
      },
      mounts: workspace.mounts.map(({ path, access }) => ({ path, access })),
      lastResortMs: options.lastResortMs ?? 2_000,
      readReadOnlyPrefixes: () => readPrefixes(options.getReadOnlyPrefixes),
    };
    const { files, refresh } = options.files ? { files: options.files } : createDefaultFiles(workspace);
    this.fs = createTrackedFiles({
      files,
      tracker: this.#parts.tracker,
      cwd: workspace.cwd,
      beforeCall: () => {
        this.#throwIfDisposed();
        refresh?.(this.#prefixesOrThrow());
      },
      onChanges: (changes, id) => this.#emitFileChanges(changes, id),
    });
  }

  async exec(command: string, options?: ExecOptions): Promise<ExecResult> {
    const checked = checkExec(command, options, this.#options.workspace.cwd);
    const exec = "problem" in checked ? { command: typeof command === "string" ? command : "" } : checked;
    const waiting = waitingCommandOf(this) as RunningCommand | undefined;
    const stop = new StopSwitch("problem" in checked ? undefined : checked.signal);
    const run = { owner: this, number: ++this.#commands, nested: waiting !== undefined, stop };
    const running = new RunningCommand(this.#parts, exec, run);
    if (this.#disposed !== undefined) {
      // Its event stream has ended; the result alone tells.
      stop.stop("dispose");
      return { ...disposed(), durationMs: 0, changes: [] };
    }
    if ("problem" in checked) {
      return await running.refuse(
        withoutReport(126, { kind: "refused", by: "policy" }, `exec: ${checked.problem}`),
      );
    }
    const result = waiting === undefined ? this.#runInTurn(running) : runNested(running, waiting);
    return await this.#open.keep(stop, result);
  }

  async isolation(): Promise<IsolationReport> {
    return await this.#parts.isolation.report();
  }

  dispose(): Promise<void> {
    this.#disposed ??= this.#end();
    return this.#disposed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose();
  }

  async #runInTurn(running: RunningCommand): Promise<ExecResult> {
    return await this.#queue.run(
      running.stop.signal,
      () => running.run(),
      () => running.refuse(stopped(running.stop)),
    );
  }

  // Order: commands first, so that the executor is not taken apart under a command that could still end well.
  async #end(): Promise<void> {
    const { disposeTimeoutMs = 5_000 } = this.#options;
    // One step later, so that whoever hears of the stop finds the sandbox disposed of.
    await Promise.resolve();
    this.#open.stopAll("dispose");
    await this.#open.ended();
    try {
      const given = Promise.resolve(this.#options.dispose?.());
      const ended = await waitAtMost(given, disposeTimeoutMs);
      if (!ended.inTime) this.#emitDisposeFailed(`dispose took longer than ${disposeTimeoutMs} ms`);
    } catch (thrown) {
      this.#emitDisposeFailed(tellThrown(thrown));
    }
    try {
      // Once nothing of the executor is left that could still change anything.
      const compared = await waitAtMost(this.#emitUnreported(), disposeTimeoutMs);
      this.#parts.tracker.stop();
      if (!compared.inTime)
        this.#emitDisposeFailed(`the last comparison of the mounts took longer than ${disposeTimeoutMs} ms`);
    } catch (thrown) {
      this.#emitDisposeFailed(tellThrown(thrown));
    }
    await waitAtMost(this.#parts.events.settled(), disposeTimeoutMs);
  }

  #emitDisposeFailed(error: string): void {
    this.#parts.events.emit({ type: "harness.runtime.dispose.failed", occurrenceId: randomUUID(), error });
  }

  #emitFileChanges(changes: readonly FileChange[], id: string): void {
    const tool = waitingToolOf(this);
    const by =
      tool === undefined
        ? sourceOf(id)
        : ({
            occurrenceId: tool.toolCallId,
            source: "tool",
            commandId: tool.command.id,
            toolCallId: tool.toolCallId,
          } as const);
    this.#parts.fileEvents.tell(changes, by, id);
  }

  /** What differs although no command said so. */
  async #emitUnreported(): Promise<void> {
    const changes = await this.#parts.tracker.findUnreported();
    this.#parts.fileEvents.tell(changes, { occurrenceId: randomUUID(), source: "unknown" });
    this.#journal?.close();
  }

  #throwIfDisposed(): void {
    if (this.#disposed !== undefined) throw new SandboxError("SANDBOX_DISPOSED", "the sandbox was disposed");
  }

  #prefixesOrThrow(): readonly string[] {
    const read = this.#parts.readReadOnlyPrefixes();
    if ("prefixes" in read) return read.prefixes;
    throw new SandboxError("FS_ERROR", read.problem, { errno: "EROFS" });
  }
}

/** Of an id as `ChangeTracker` gives them to calls of `sandbox.fs` and as commands have them. */
function sourceOf(id: string): ChangeSource {
  return id.startsWith(FS_CALL)
    ? { occurrenceId: id.slice(FS_CALL.length), source: "fs" }
    : { occurrenceId: id, source: "command", commandId: id };
}

async function runNested(running: RunningCommand, outer: RunningCommand): Promise<ExecResult> {
  outer.adopt(running.stop);
  try {
    return await running.run();
  } finally {
    outer.disown(running.stop);
  }
}
