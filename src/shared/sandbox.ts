/// <reference lib="esnext.disposable" preserve="true" />
/**
 * What a host holds: a sandbox, the factory that makes one, and what they take and give. Types only.
 * Every adapter (child process, this process, a machine elsewhere) offers exactly this.
 */
import type { EmitEvent } from "./events.ts";
import type { ExecEnding } from "./executor.ts";
import type { FileChange } from "./file-change.ts";
import type { SandboxFileSystem } from "./file-system.ts";
import type { HarnessTools } from "./tools.ts";
import type { HarnessTraceOptions } from "./trace-options.ts";
import type { HarnessWorkspaceSpec } from "./workspace-spec.ts";

/** Which sandbox a host builds; `"auto"`: `"subprocess"` if Python or JavaScript is on, else `"just-bash"`. */
export type HarnessSandboxMode = "auto" | "subprocess" | "just-bash";

/** Makes one sandbox. Rejects with a `SandboxError` for bad options. */
export type HarnessSandboxFactory = (options: CreateSandboxOptions) => Promise<HarnessSandbox>;

/** Languages that scripts may use; absent: what the workspace's capabilities say. Can only turn off. */
export interface HarnessRuntimeOptions {
  readonly python?: boolean | undefined;
  readonly javascript?: boolean | undefined;
}

/** A tool call as a recording knows it: the same in the first run and in a replay. */
export interface ReplayableCall {
  readonly tool: string;
  /** JSON text of the input as the script passed it, or `""` for none. */
  readonly argsJson: string;
  /** 1, 2, 3 … per sandbox, nested commands included; 0 when the caller of the bridge does not count. */
  readonly commandNumber: number;
  /** 1, 2, 3 … per command, in the order in which the calls arrived; 0 as above. */
  readonly callNumber: number;
  /** What `getActiveCommand` of `createEnvironmentToolBridge` said when the call arrived. */
  readonly activeCommand: unknown;
}

/** How a recorded tool call ended: JSON text of its result, or the message that the script got. */
export type ReplayOutcome = { readonly json: string } | { readonly error: string };

/** What a recording says of a call: how it ended, or that the tool is to run, by a key that is the same in every run. */
export type ReplayAnswer = ReplayOutcome | { readonly idempotencyKey: string };

/** Where tool results are kept, so that a repeated run does not repeat their side effects. */
export interface ToolReplay {
  /**
   * The recorded outcome; or, to run the tool, `undefined` or the key that its `execute` gets as `idempotencyKey`. A
   * rejection fails the call.
   */
  lookup(call: ReplayableCall): ReplayAnswer | undefined | Promise<ReplayAnswer | undefined>;
  /** Called before the script sees the outcome of a tool that ran. A rejection fails the call. */
  record(call: ReplayableCall, outcome: ReplayOutcome): void | Promise<void>;
}

/** What a factory gets. */
export interface CreateSandboxOptions {
  readonly workspace: HarnessWorkspaceSpec;
  /** The `fs` of the sandbox. @default the mounts' directories on this host */
  readonly files?: SandboxFileSystem | undefined;
  /** Tools of the host that `js-exec` may call. They need `toolContext`. */
  readonly tools?: HarnessTools | undefined;
  /** Handed to every tool; may be `null`, must not be `undefined` when there are tools. */
  readonly toolContext?: unknown;
  readonly runtime?: HarnessRuntimeOptions | undefined;
  readonly replay?: ToolReplay | undefined;
  readonly emit: EmitEvent;
  /** Whether `harness.tool_call.*` is emitted. @default true */
  readonly emitToolEvents?: boolean | undefined;
  readonly traceOptions?: HarnessTraceOptions | undefined;
  /** Absolute paths inside that are read-only at this moment; asked before each command and each call of `fs`. */
  readonly getReadOnlyPrefixes?: (() => readonly string[]) | undefined;
  /**
   * A file of the host, outside of the mounts, in which the changes of commands under way are kept: when the host
   * dies, the next sandbox with this file tells them (`recovered`), each once. One sandbox at a time.
   */
  readonly changeJournal?: string | undefined;
  /**
   * Names of commands that a script must not go on without: where the shell finds no function, alias, builtin or
   * file of such a name, the whole script ends with 126 and the ending `refused` by `tier`, whatever stands around it.
   * Sandboxes that cannot do that ignore them.
   */
  readonly tripWires?: readonly string[] | undefined;
}

/** Options of one command. */
export interface ExecOptions {
  /** Working directory for this command only; a relative one starts at the workspace's `cwd`. */
  readonly cwd?: string | undefined;
  /** Variables for this command only. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Start from an empty environment, then apply `env`. @default false */
  readonly replaceEnv?: boolean | undefined;
  /** Strings are passed as UTF-8. */
  readonly stdin?: string | Uint8Array | undefined;
  /** Reach the script as `"$@"`, with no shell quoting. */
  readonly args?: readonly string[] | undefined;
  /** Aborting it ends the command, also while it waits for its turn. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds from the start of the run (not of the wait for earlier commands) to its deadline. */
  readonly timeoutMs?: number | undefined;
  /** Bytes kept per stream. */
  readonly maxOutputBytes?: number | undefined;
  /** Output as it comes. What the callback throws is dropped. The chunk is the callback's to keep. */
  readonly onStdout?: ((chunk: Uint8Array) => void) | undefined;
  readonly onStderr?: ((chunk: Uint8Array) => void) | undefined;
}

/** What became of a command. */
export interface ExecResult {
  /** 124 deadline, 137 killed, 126 refused or cannot run, 127 no such command; else the script's own. */
  readonly exitCode: number;
  /** The bytes as UTF-8 text; what is no UTF-8 becomes U+FFFD. */
  readonly stdout: string;
  readonly stderr: string;
  readonly stdoutBytes: Uint8Array;
  readonly stderrBytes: Uint8Array;
  readonly ending: ExecEnding;
  /** Milliseconds from the start of the run. */
  readonly durationMs: number;
  /** Set per stream when not all of it was kept. */
  readonly truncated: {
    readonly stdout?: { readonly totalBytes: number };
    readonly stderr?: { readonly totalBytes: number };
  };
  /** What the command changed below tracked mounts, sorted by path; without what its nested commands changed. */
  readonly changes: readonly FileChange[];
  /** Whether the command started with the cwd and variables that the last one that ended well had left. */
  readonly stateRestored: boolean;
  /** Where it ran, in a sandbox of tiers; absent in any other, and for a command that none of them was given. */
  readonly tier?: 0 | 1;
}

/** One layer, a rung of the ladder or a part of one: whether it is on, and what it is or why it is off. */
export interface IsolationLayer {
  /** `"seccomp"` is no rung: `"namespace"` has it, or is not given. */
  readonly name: "process" | "hardened" | "namespace" | "seccomp";
  readonly on: boolean;
  readonly reason: string;
}

/** Which walls stand around a script, measured where possible. */
export interface IsolationReport {
  /** The highest rung that is on; `"none"`: scripts run in the host's process. */
  readonly rung: Exclude<IsolationLayer["name"], "seccomp"> | "none";
  /** The ladder from the bottom; absent where there is none. */
  readonly layers?: readonly IsolationLayer[];
  /** Whose report it is, in a sandbox of tiers: commands run there from now on. */
  readonly tier?: 0 | 1;
  readonly engine: string;
  readonly defense: string;
  readonly walls: readonly {
    readonly name: string;
    readonly state: "holds" | "open" | "not-claimed";
    readonly reason: string;
  }[];
}

/** One shell over one workspace. Parallel `exec` calls run in order, except those that a tool makes. */
export interface HarnessSandbox extends AsyncDisposable {
  /** Runs a script. Never rejects: bad options, kills and broken executors are results too. */
  exec(command: string, options?: ExecOptions): Promise<ExecResult>;
  readonly fs: SandboxFileSystem;
  isolation(): Promise<IsolationReport>;
  /** Ends everything; each call gives the same promise, which never rejects. */
  dispose(): Promise<void>;
}
