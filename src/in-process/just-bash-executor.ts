/**
 * Runs commands with the engine in this process: the executor behind `justBashSandbox()`. A compatibility
 * layer for trusted scripts, no boundary: the engine's defenses are off, because they would patch the globals
 * of the host application, and a script that never yields keeps the host's event loop until its deadline.
 */

import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { EngineInput, EngineOptions, EngineShell, ShellState } from "../engine/port.ts";
import { abortedBy, CommandOutput, exitCodeOf, refuseLargeScript } from "../shared/command-output.ts";
import { defenseInDepthForAdapter } from "../shared/defense.ts";
import type { ExecEnding, ExecuteInput, ExecuteOutput } from "../shared/executor.ts";
import { DEFAULT_LIMITS, type SandboxLimits } from "../shared/limits.ts";
import type { HarnessWorkspaceSpec } from "../shared/workspace-spec.ts";
import { MountFs } from "../workspace/mount-fs.ts";
import { type TouchLog, TouchLogs } from "../workspace/touch-log.ts";

/** The built engine. Its types come from the source, its code from the worker's folder. */
type EngineModule = typeof import("../engine/index.ts");

/** How long an aborted script may take to answer before the shell is given up. */
const ABORT_GRACE_MS = 200;

/** A shell, and what it has told of its command's changes. */
interface TellingShell {
  readonly shell: EngineShell;
  readonly touched: TouchLog;
}

export interface JustBashExecutor {
  execute(input: ExecuteInput): Promise<ExecuteOutput>;
  /** Runs a call that changes files for somebody else than a command. */
  between<T>(run: () => Promise<T>): Promise<T>;
  engineName(): Promise<string>;
  dispose(): Promise<void>;
}

/** What the executor is made from. */
export interface JustBashSetup {
  readonly workspace: HarnessWorkspaceSpec;
  readonly tools: boolean;
  readonly limits: Partial<
    Pick<
      SandboxLimits,
      "timeoutMs" | "maxOutputBytes" | "maxStreamBytes" | "maxScriptBytes" | "maxWriteBytes"
    >
  >;
  readonly executionLimits: Readonly<Record<string, number>>;
  readonly tripWires: readonly string[];
  /** The built worker's main file; the engine lies beside it. */
  workerFile(): string;
}

export function createJustBashExecutor(setup: JustBashSetup): JustBashExecutor {
  const limits = { ...DEFAULT_LIMITS, ...setup.limits };
  const { capabilities, cwd, mounts } = setup.workspace;
  const { network } = capabilities;
  const options: EngineOptions = {
    cwd,
    python: capabilities.python,
    javascript: capabilities.javascript,
    tools: setup.tools,
    network: network === undefined ? null : { allowOnlyMethods: ["GET", "HEAD"], ...network },
    executionLimits: setup.executionLimits,
    defenseInDepth: defenseInDepthForAdapter("just-bash"),
    tripWires: setup.tripWires,
  };
  let loaded: Promise<{ engine: EngineModule; fs: MountFs }> | null = null;
  const touches = new TouchLogs(mounts);
  let shell: TellingShell | null = null;
  let state: ShellState | null = null;
  /** When the command under way that is not nested must end. */
  let outerEndMs = Number.POSITIVE_INFINITY;

  const load = (): Promise<{ engine: EngineModule; fs: MountFs }> => {
    loaded ??= (async () => {
      const url = pathToFileURL(join(dirname(setup.workerFile()), "engine.js")).href;
      const engine = (await import(
        /* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ url
      )) as EngineModule;
      return {
        engine,
        fs: new MountFs({
          mounts,
          createError: engine.createShellFsError,
          maxWriteBytes: limits.maxWriteBytes,
        }),
      };
    })();
    return loaded;
  };

  const openShell = (engine: EngineModule, fs: MountFs, isolated: boolean): TellingShell => {
    const touched = touches.open();
    return { shell: engine.openShell(options, fs.view(touched), state, isolated), touched };
  };

  async function execute(input: ExecuteInput): Promise<ExecuteOutput> {
    const { engine, fs } = await load();
    const scriptBytes = new TextEncoder().encode(input.command).length;
    const tooLarge = refuseLargeScript(scriptBytes, limits.maxScriptBytes);
    if (tooLarge !== null) return tooLarge;
    fs.setReadOnlyPrefixes(input.readOnlyPrefixes);
    if (!input.nested) fs.forgetWrittenBytes();
    const output = new CommandOutput(input, input.maxOutputBytes ?? limits.maxOutputBytes);
    const stop = new AbortController();
    let ended: ExecEnding | null = null;
    const end = (ending: ExecEnding): void => {
      ended ??= ending;
      stop.abort();
    };
    const askedMs = input.timeoutMs ?? limits.timeoutMs;
    // A nested command blocks this process as the one around it does: it has no longer than that one has left.
    const timeoutMs = input.nested ? Math.max(1, Math.min(askedMs, outerEndMs - performance.now())) : askedMs;
    if (!input.nested) outerEndMs = performance.now() + timeoutMs;
    const timer = setTimeout(() => end({ kind: "killed", by: "deadline" }), timeoutMs);
    const onAbort = (): void => end({ kind: "killed", by: abortedBy(input.signal) });
    input.signal.addEventListener("abort", onAbort, { once: true });
    if (input.signal.aborted) onAbort();
    try {
      if (!input.nested) shell ??= openShell(engine, fs, false);
      const { shell: own, touched } = (input.nested ? null : shell) ?? openShell(engine, fs, true);
      const task: EngineInput = {
        script: input.command,
        args: input.args ?? [],
        stdin: input.stdin ?? null,
        cwd: input.cwd ?? null,
        env: input.env ?? null,
        replaceEnv: input.replaceEnv === true,
        deadlineMs: timeoutMs,
        signal: stop.signal,
        onOutput(stream, bytes) {
          if (ended !== null) return;
          if (output.push(stream, bytes) > limits.maxStreamBytes) end({ kind: "killed", by: "output" });
        },
        invokeTool: input.invokeTool
          ? (path, json) => input.invokeTool?.(path, json) ?? Promise.reject()
          : null,
      };
      const result = await touches.command(
        touched,
        (paths) => input.touch(paths),
        () => Promise.race([own.run(task), afterAbort(stop.signal)]),
      );
      if (result !== null && result.ending === "aborted") ended ??= { kind: "killed", by: "deadline" };
      if (input.nested || result === null || result.ending !== "exited") touches.close(touched);
      if (input.nested) own.close();
      else if (result === null || result.ending !== "exited") {
        own.close();
        shell = null;
      } else if (result.state !== null) state = result.state;
      const ending: ExecEnding = ended ?? toEnding(result);
      // What comes after this is no longer the command's.
      ended ??= ending;
      const exitCode = ending.kind === "exited" ? (result?.exitCode ?? 1) : exitCodeOf(ending);
      return { exitCode, ending, ...output.take() };
    } finally {
      clearTimeout(timer);
      input.signal.removeEventListener("abort", onAbort);
    }
  }

  return {
    execute,
    between: (run) => touches.between(run),
    engineName: async () => (await load()).engine.ENGINE_NAME,
    async dispose() {
      shell?.shell.close();
      shell = null;
    },
  };
}

function toEnding(result: { ending: string; why: string } | null): ExecEnding {
  if (result === null) return { kind: "unknown", why: "the engine gave no answer" };
  if (result.ending === "exited") return { kind: "exited" };
  if (result.ending === "tier") return { kind: "refused", by: "tier" };
  return result.ending === "limit" ? { kind: "refused", by: "limit" } : { kind: "unknown", why: result.why };
}

function afterAbort(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => setTimeout(resolve, ABORT_GRACE_MS, null), { once: true });
  });
}
