/**
 * The port that every command executor implements: a child process, the engine in this process, a
 * machine elsewhere. Types only. `createShellRuntime` wraps an executor into a `HarnessSandbox`.
 */

/** How a command came to its end. `exitCode` alone cannot tell these apart. */
export type ExecEnding =
  | { kind: "exited" }
  | { kind: "killed"; by: "deadline" | "abort" | "memory" | "output" | "dispose" }
  | { kind: "refused"; by: "limit" | "tier" | "policy" }
  | { kind: "unknown"; why: string };

/** One command, as the runtime hands it to an executor. All fields are already checked. */
export interface ExecuteInput {
  /** The script. */
  readonly command: string;
  /** Working directory for this command only; absolute path inside the sandbox. */
  readonly cwd?: string;
  /** Variables for this command only. */
  readonly env?: Readonly<Record<string, string>>;
  /** Start from an empty environment, then apply `env`. @default false */
  readonly replaceEnv?: boolean;
  readonly stdin?: Uint8Array;
  /** Positional parameters: reach the script as `"$@"`, with no shell quoting. */
  readonly args?: readonly string[];
  /** Aborted when the caller's own signal aborts or the sandbox is disposed of. */
  readonly signal: AbortSignal;
  /** Milliseconds from now to the deadline; absent: the executor's own default. */
  readonly timeoutMs?: number;
  /** Bytes kept per output stream; absent: the executor's own default. */
  readonly maxOutputBytes?: number;
  /** True for a call that a tool makes while a command of the same sandbox waits for that tool: run it at once. */
  readonly nested: boolean;
  /** Paths inside the sandbox that are read-only at this moment, besides the static ones of the mounts. */
  readonly readOnlyPrefixes: readonly string[];
  onStdout(chunk: Uint8Array): void;
  onStderr(chunk: Uint8Array): void;
  /**
   * To be called, and waited for, before the command changes anything at these paths: absolute, normalised, inside
   * the sandbox, links resolved; each stands for all below it. Only executors that say so (`tellsTouchedPaths`) are
   * relied on to call it.
   */
  touch(paths: readonly string[]): Promise<void>;
  /**
   * Calls a tool of the host. Resolves to JSON text, or `""` for `undefined`; rejects with a message that
   * may be shown to the guest. Absent when the sandbox has no tools.
   */
  invokeTool?(path: string, argsJson: string): Promise<string>;
}

/** What an executor reports. Only `exitCode` and the two streams are required. */
export interface ExecuteOutput {
  readonly exitCode: number;
  /** What the command wrote, or the part of it that was kept. */
  readonly stdout: string | Uint8Array;
  readonly stderr: string | Uint8Array;
  /** @default { kind: "exited" } */
  readonly ending?: ExecEnding;
  /** Set per stream when not all of it was kept. */
  readonly truncated?: { readonly stdout?: { totalBytes: number }; readonly stderr?: { totalBytes: number } };
  /** Whether the command started with the cwd and variables of the last one that ended well. @default true */
  readonly stateRestored?: boolean;
}

/** Runs one command. Reports failures as a result; must not reject. */
export type Execute = (input: ExecuteInput) => Promise<ExecuteOutput>;
