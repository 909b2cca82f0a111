/**
 * Everything that may be asked across the pipe, in both directions, and the checks of it. A name without both
 * of its checks does not compile. Bodies are bytes beside the message; what each holds is said at its message.
 * The same check runs on both ends: at the sender a wrong value fails its call, at the receiver the channel.
 */
import {
  type Check,
  count,
  finite,
  flag,
  integer,
  list,
  nullable,
  oneOf,
  record,
  shape,
  text,
} from "./check.ts";
import { type WireWorkspace, wireWorkspace } from "./wire-workspace.ts";

/** What the parent tells a worker once, before any other request. Body: JSON of a shell state to restore, or empty. */
export interface OpenParams {
  workspace: WireWorkspace;
  /** Whether scripts may call tools of the parent. */
  tools: boolean;
  /** Names of commands that end a script which reaches them and would not find them. */
  tripWires: string[];
  /** The engine's own counters, by its own names. */
  executionLimits: Record<string, number>;
  /** Resident MiB above which the worker ends itself. */
  maxMemoryMb: number;
  /** Bytes that one command may write to files. */
  maxWriteBytes: number;
}

/** What the worker says of itself. */
export interface OpenResult {
  engine: string;
  /** How far the engine's defence of its own process reaches. */
  defense: string;
  /** Whether the shell state in the body was taken over. */
  stateRestored: boolean;
}

/** One script. Body: `scriptBytes` bytes of the script, then `stdinBytes` bytes of its input. */
export interface ExecParams {
  scriptBytes: number;
  /** `null`: no stdin at all, which a script can tell from an empty one. */
  stdinBytes: number | null;
  /** Working directory for this command only; `null`: where the last command left the shell. */
  cwd: string | null;
  /** Variables for this command only. */
  env: Record<string, string> | null;
  /** Start from an empty environment, then apply `env`. */
  replaceEnv: boolean;
  /** Positional parameters. */
  args: string[];
  /** Made by a tool while a command of the same sandbox waits for that tool: run it at once. */
  nested: boolean;
  /** Paths inside the sandbox that are read-only during this command, besides those of the mounts. */
  readOnlyPrefixes: string[];
}

/**
 * How a script ended. Body: JSON of the shell's state when `stateChanged`, else empty; empty too when the state
 * is larger than `MAX_STATE_BYTES`.
 */
export interface ExecResult {
  exitCode: number;
  /**
   * `limit`: the engine's own counters ended it; `failed`: the engine did, and `why` says how; `tier`: the script
   * reached one of `tripWires`, and `why` is its name.
   */
  ending: "exited" | "limit" | "failed" | "tier";
  /** Empty when it exited. */
  why: string;
  stateChanged: boolean;
}

/** One file operation. Body: the content for `write` and `append`, else empty. */
export interface FsParams {
  op: FsOperation;
  path: string;
  /** Second path of `mv`, `cp` and `symlink` (the target), the cwd of `glob`; else `null`. */
  other: string | null;
  recursive: boolean;
  force: boolean;
  /** Permission bits for `chmod`; else `null`. */
  mode: number | null;
  readOnlyPrefixes: string[];
}

/** What `fs` can do. */
export type FsOperation = (typeof FS_OPERATIONS)[number];

/** Every `op` of `fs`. */
export const FS_OPERATIONS = [
  "read",
  "write",
  "append",
  "stat",
  "lstat",
  "readdir",
  "mkdir",
  "rm",
  "mv",
  "cp",
  "exists",
  "realpath",
  "chmod",
  "symlink",
  "readlink",
  "glob",
] as const;

/** A call of a tool. Body: JSON of its input, or empty for none. */
export interface ToolCallParams {
  /** Id of the `exec` whose script makes the call. */
  execId: number;
  path: string;
}

/** Paths that a command is about to change; the worker waits for the answer before it does. Body: empty. */
export interface TouchParams {
  /** Id of the `exec` whose script makes the changes. */
  execId: number;
  /** Canonical paths inside the sandbox, each for all that is below it too. */
  paths: string[];
}

/** Paths of one `touch`. */
export const MAX_TOUCHED_PATHS = 4_096;

/** Bytes of a tool call's input. */
export const MAX_TOOL_INPUT_BYTES = 33_554_432;

/** Bytes of a shell's state; of a larger one the worker says only that there is one. */
export const MAX_STATE_BYTES = 67_108_864;

/** Bytes of an answer about files, but for the content of one; a directory of 300,000 entries fits. */
export const MAX_FILE_ANSWER_BYTES = 67_108_864;

/** Bytes of an answer that says one thing about one file, or what the worker finds of its walls. */
export const MAX_SMALL_ANSWER_BYTES = 65_536;

/** A message without fields: what it says is in its body. */
export type Nothing = Record<never, never>;

/** Asked by the parent, answered by the worker. */
export interface ParentRequests {
  open: { params: OpenParams; result: OpenResult };
  /** While it is open, `stdout` and `stderr` chunks carry its output. */
  exec: { params: ExecParams; result: ExecResult };
  /** Body of the result: the file for `read`, else JSON of what the operation returns (`null` for nothing). */
  fs: { params: FsParams; result: Nothing };
  /** Body of the result: JSON of what the worker found when it tried its own walls. */
  isolation: { params: Nothing; result: Nothing };
}

/** Asked by the worker, answered by the parent. */
export interface WorkerRequests {
  /** Body of the result: JSON of the tool's result, or empty for `undefined`. */
  "tool.call": { params: ToolCallParams; result: Nothing };
  touch: { params: TouchParams; result: Nothing };
}

/** The shape of a table of requests. */
export type Requests<T> = { [N in keyof T]: { params: object; result: object } };

/** The checks of every request of a table. */
export type Table<T extends Requests<T>> = {
  readonly [N in keyof T]: {
    readonly params: Check<T[N]["params"]>;
    readonly result: Check<T[N]["result"]>;
    /** Bytes of the request's body. @default the cap on bodies */
    readonly maxBodyBytes?: number;
  };
};

const nothing = shape<Nothing>({});

/** The checks of what the parent asks. */
export const parentRequests: Table<ParentRequests> = {
  open: {
    params: shape<OpenParams>({
      workspace: wireWorkspace,
      tools: flag,
      tripWires: list(text),
      executionLimits: record(finite),
      maxMemoryMb: count,
      maxWriteBytes: count,
    }),
    result: shape<OpenResult>({ engine: text, defense: text, stateRestored: flag }),
  },
  exec: {
    params: shape<ExecParams>({
      scriptBytes: count,
      stdinBytes: nullable(count),
      cwd: nullable(text),
      env: nullable(record(text)),
      replaceEnv: flag,
      args: list(text),
      nested: flag,
      readOnlyPrefixes: list(text),
    }),
    result: shape<ExecResult>({
      exitCode: integer,
      ending: oneOf("exited", "limit", "failed", "tier"),
      why: text,
      stateChanged: flag,
    }),
  },
  fs: {
    params: shape<FsParams>({
      op: oneOf(...FS_OPERATIONS),
      path: text,
      other: nullable(text),
      recursive: flag,
      force: flag,
      mode: nullable(count),
      readOnlyPrefixes: list(text),
    }),
    result: nothing,
  },
  isolation: { params: nothing, result: nothing },
};

/** The checks of what the worker asks. */
export const workerRequests: Table<WorkerRequests> = {
  "tool.call": {
    params: shape<ToolCallParams>({ execId: count, path: text }),
    result: nothing,
    maxBodyBytes: MAX_TOOL_INPUT_BYTES,
  },
  touch: {
    params: shape<TouchParams>({ execId: count, paths: list(text, MAX_TOUCHED_PATHS) }),
    result: nothing,
    maxBodyBytes: 0,
  },
};
