/**
 * What the worker and the in-process adapter see of the engine. Types only: the in-process adapter loads
 * the built engine at run time and must not pull just-bash in by importing a value.
 */

import type { DefenseInDepth } from "../shared/defense.ts";

/** What one command may leave behind for the next, in a form that another process can take up. */
export interface ShellState {
  /** Absolute path inside the sandbox. */
  readonly cwd: string;
  /** One `declare` command per variable or array, by name. */
  readonly variables: Readonly<Record<string, string>>;
  /** Names of variables that every shell starts with and that a command has unset. */
  readonly unset: readonly string[];
  /**
   * Syntax tree of each function as JSON, by name: the engine's own way back to source text loses here-documents
   * and `declare -a` (just-bash 3.4.2).
   */
  readonly functions: Readonly<Record<string, string>>;
  /** `alias` commands, by name. */
  readonly aliases: Readonly<Record<string, string>>;
}

/** One script, as the engine takes it. */
export interface EngineInput {
  readonly script: string;
  readonly args: readonly string[];
  readonly stdin: Uint8Array | null;
  /** Working directory for this script only. */
  readonly cwd: string | null;
  /** Variables for this script only. */
  readonly env: Readonly<Record<string, string>> | null;
  /** Start with no exported variable but `env`; nothing that the script sets stays. */
  readonly replaceEnv: boolean;
  /** Milliseconds; checked between statements. Only the in-process adapter needs it: a worker is killed. */
  readonly deadlineMs: number | null;
  readonly signal: AbortSignal | null;
  /** Receives output as it comes; a promise holds the script back. */
  onOutput(stream: "stdout" | "stderr", bytes: Uint8Array): void | Promise<void>;
  invokeTool: ((path: string, argsJson: string) => Promise<string>) | null;
}

/** How a script ended. */
export interface EngineResult {
  readonly exitCode: number;
  /**
   * `limit`: a counter of the engine; `aborted`: the signal or the deadline; `failed`: a fault of the engine; `tier`:
   * the script reached one of `tripWires`.
   */
  readonly ending: "exited" | "limit" | "aborted" | "failed" | "tier";
  /** Set when `ending` is not `exited`; the name of the command when it is `tier`. */
  readonly why: string;
  /** The state after the script; `null` when it is as it was. */
  readonly state: ShellState | null;
}

/** One shell with its engine. Scripts of one shell run one after the other. */
export interface EngineShell {
  run(input: EngineInput): Promise<EngineResult>;
  /** Ends the shell; a script that runs is aborted as far as the engine lets it. */
  close(): void;
}

/** A shell that was made before its workspace was known, and may wait for it since. */
export interface PreparedShell extends EngineShell {
  /** Once, and before the first script. */
  enter(place: EnginePlace): void;
  /** Resolves when a shell that was closed is gone, with all that it holds up. */
  readonly ended: Promise<void>;
}

/** Where a shell starts. */
export interface EnginePlace {
  readonly cwd: string;
  /** Names that end a script which would not find them. */
  readonly tripWires: readonly string[];
  /** The state that another shell left. */
  readonly restore: ShellState | null;
}

/** The device hook of the file system: how output, input and state leave the interpreter. */
export interface DeviceHost {
  addDevice(
    path: string,
    device: { read?(): Uint8Array; write?(bytes: Uint8Array): void | Promise<void>; hidden?: boolean },
  ): () => void;
  /** A number that no other shell of this file system has. */
  nextNumber(): number;
}

/** What an engine is built from, wherever it runs. */
export interface EngineKind {
  readonly python: boolean;
  readonly javascript: boolean;
  /** Whether `js-exec` has a `tools` object. */
  readonly tools: boolean;
  readonly network: {
    readonly allowOnlyUrlPrefixes: readonly string[];
    readonly allowOnlyMethods: readonly string[];
  } | null;
  /** Limits of just-bash that are to be tighter than ours, by its own names. */
  readonly executionLimits: Readonly<Record<string, number>>;
  readonly defenseInDepth: DefenseInDepth;
}

/** A kind of engine, and where its shells start. */
export interface EngineOptions extends EngineKind, Omit<EnginePlace, "restore"> {}
