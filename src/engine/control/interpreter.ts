/** The parts of the engine's interpreter that the control of scripts reads and writes. Its own types do not name them. */
import type { CommandNode, IFileSystem, ScriptNode, StatementNode } from "just-bash";
import type { Control } from "./control-state.ts";
import type { Traps } from "./traps.ts";

export type PipelineNode = StatementNode["pipelines"][number];

/** What running something gives. */
export interface Output {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** The variables and flags of one shell; a subshell of the engine's is the same object with values put back. */
export interface InterpreterState {
  env: Map<string, string>;
  arrays?: Map<string, { readonly elements: Map<string, string> }>;
  functions: Map<string, unknown>;
  options: Record<string, boolean>;
  shoptOptions: Record<string, boolean>;
  exportedVars?: Set<string>;
  exportedFunctions?: Set<string>;
  cwd: string;
  previousDir: string;
  lastExitCode: number;
  lastBackgroundPid: number;
  /** `$$` */
  virtualPid: number;
  virtualPpid: number;
  /** `$BASHPID` */
  bashPid: number;
  /** How many jobs this shell runs in, one in the other. */
  jobDepth?: number;
  nextVirtualPid: number;
  /** When `$SECONDS` was 0, in milliseconds. */
  startTime: number;
  currentLine: number;
  currentSource?: string;
  callLineStack?: number[];
  funcNameStack?: string[];
  sourceStack?: string[];
  callDepth: number;
  inCondition: boolean;
  loopDepth: number;
  parentHasLoopContext?: boolean;
  groupStdin?: string | undefined;
  groupStdinSourceFd?: number | undefined;
  /** `$_` */
  lastArg?: string;
  signal?: AbortSignal;
  fileDescriptors?: Map<number, string>;
  inputFds?: Set<number>;
  processSubstitutions?: unknown[] | undefined;
  umask?: number;
  traps?: Traps | undefined;
  /** Set by the first trap or background job. */
  control?: Control | undefined;
}

/** What a nested shell is started with. */
export interface NestedOptions {
  env?: Record<string, string>;
  replaceEnv?: boolean;
  cwd?: string;
  stdin?: string;
  stdinKind?: "bytes" | "text";
  args?: string[];
  signal?: AbortSignal;
  rawScript?: boolean;
  /** Replaces values of the nested shell's state. */
  shell?: Partial<InterpreterState>;
}

export interface Interpreter {
  readonly state: InterpreterState;
  readonly fs: IFileSystem;
  readonly commands: ReadonlyMap<string, unknown>;
  readonly limits: unknown;
  execFn(script: string, options: NestedOptions, inheritedStdin: boolean): Promise<Output>;
  executeScript(script: ScriptNode): Promise<Output>;
  executeStatement(statement: StatementNode): Promise<Output>;
  executeCommand(command: CommandNode, stdin: string, hasStdin?: boolean): Promise<Output>;
}

/** Collects the output of one statement. */
export interface Collector {
  appendResult(output: Output): void;
  prependTo(error: unknown): void;
}

/** An error of the interpreter's that carries what was printed before it. */
export interface ControlFlowError extends Error {
  stdout: string;
  stderr: string;
  exitCode: number;
}

/** `exit`, or `set -e` ended the shell. */
export function endsShell(error: unknown): error is ControlFlowError {
  return error instanceof Error && (error.name === "ExitError" || error.name === "ErrexitError");
}

/** A deadline, an abort or a trip wire ended the script. */
export function isAborted(error: unknown): error is ControlFlowError {
  return error instanceof Error && error.name === "ExecutionAbortedError";
}

export const NOTHING: Output = { stdout: "", stderr: "", exitCode: 0 };

export function failure(state: InterpreterState, exitCode: number, why: string): Output {
  return { stdout: "", stderr: `bash: line ${state.currentLine}: ${why}\n`, exitCode };
}

/** Two outputs, one after the other; the status is the second's. */
export function joined(first: Output, second: Output): Output {
  return {
    stdout: first.stdout + second.stdout,
    stderr: first.stderr + second.stderr,
    exitCode: second.exitCode,
  };
}
