/**
 * Everything a sandbox tells its host while it works. Types only; each event is plain JSON data.
 * Events of one command come in this order: `started`, its `tool_call.*`, `completed` or `failed`, then its
 * `file.*`. Only `createShellRuntime` makes them. `docs/events.md` lists every field.
 */
import type { ExecEnding } from "./executor.ts";
import type { FileChange } from "./file-change.ts";
import type { IsolationReport } from "./sandbox.ts";
import type { MountAccess } from "./workspace-spec.ts";

/** What every event carries. */
export interface HarnessEventBase {
  /** Unique per event. */
  readonly id: string;
  /** 1, 2, 3 … within one sandbox, without gaps. */
  readonly seq: number;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** Groups the events of one command or of one tool call. */
  readonly occurrenceId: string;
}

/** What held while a command ran. */
export interface IsolationRecord {
  readonly rung: IsolationReport["rung"];
  readonly walls: IsolationReport["walls"];
  readonly limits: Readonly<Record<string, number>>;
  readonly mounts: readonly { readonly path: string; readonly access: MountAccess }[];
  /** Names of the tools that the command could call, sorted. */
  readonly toolsAllowed: readonly string[];
  /** Calls by tool name, unknown names included. */
  readonly toolsCalled: Readonly<Record<string, number>>;
}

/** A command is about to run. Comes before the executor hears of it. */
export interface CommandStartedEvent extends HarnessEventBase {
  readonly type: "harness.runtime.command.started";
  /** The script; absent when the trace options leave it out. */
  readonly command?: string;
  /** Working directory asked for; absent: where the last command left the shell. */
  readonly cwd?: string;
  /** Whether a tool of a running command made the call. */
  readonly nested: boolean;
  readonly argsCount: number;
  /** Where it runs, in a sandbox of tiers; absent in any other, and for a command that none of them was given. */
  readonly tier?: 0 | 1;
  /** Fields of this event that the trace options cut. */
  readonly cut?: readonly string[];
}

/** What both ends of a command tell. */
export interface CommandEndFields extends HarnessEventBase {
  readonly exitCode: number;
  readonly ending: ExecEnding;
  readonly durationMs: number;
  /** Bytes in the result. */
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  /** Text of the streams; absent when the trace options leave it out. */
  readonly stdout?: string;
  readonly stderr?: string;
  readonly truncated: {
    readonly stdout?: { readonly totalBytes: number };
    readonly stderr?: { readonly totalBytes: number };
  };
  /** How many file changes follow. */
  readonly changes: number;
  /** Set when the tracked mounts could not be read, so that `changes` says nothing. */
  readonly changesUnknown?: string;
  readonly isolation: IsolationRecord;
  /** As of the command's start. */
  readonly tier?: 0 | 1;
  readonly cut?: readonly string[];
}

/** A command exited by itself, with whatever code. */
export interface CommandCompletedEvent extends CommandEndFields {
  readonly type: "harness.runtime.command.completed";
}

/** A command was killed or refused, or nobody knows how it ended. */
export interface CommandFailedEvent extends CommandEndFields {
  readonly type: "harness.runtime.command.failed";
}

/** What every tool call event carries. */
export interface ToolCallFields extends HarnessEventBase {
  readonly tool: string;
  readonly toolCallId: string;
  /** `occurrenceId` of the command that made the call. */
  readonly commandId: string;
  readonly cut?: readonly string[];
}

export interface ToolCallStartedEvent extends ToolCallFields {
  readonly type: "harness.tool_call.started";
  /** What the script passed, before validation; absent when there is none or the trace options leave it out. */
  readonly input?: unknown;
}

export interface ToolCallCompletedEvent extends ToolCallFields {
  readonly type: "harness.tool_call.completed";
  readonly durationMs: number;
  readonly result?: unknown;
}

export interface ToolCallFailedEvent extends ToolCallFields {
  readonly type: "harness.tool_call.failed";
  readonly durationMs: number;
  /** The message that the script got. */
  readonly error: string;
}

/** A path below a tracked mount changed. */
export interface FileEvent extends HarnessEventBase {
  readonly type: "harness.file.created" | "harness.file.modified" | "harness.file.deleted";
  readonly path: string;
  readonly kind: FileChange["kind"];
  readonly size?: number;
  readonly sha256?: string;
  readonly unreported?: true;
  /** Found when the journal was read: the host of the command had died before it could tell. */
  readonly recovered?: true;
  /**
   * Who made the change: a command, a tool that it called, a call of `sandbox.fs`, or the host itself for a turn (an
   * artifact); `unknown` for what is found when the sandbox is disposed of: somebody else on the host, or a worker
   * that kept it to itself.
   */
  readonly source: "command" | "tool" | "fs" | "host" | "unknown";
  /** `occurrenceId` of the command; present when `source` is `command` or `tool`. */
  readonly commandId?: string;
  /** Present when `source` is `tool`. */
  readonly toolCallId?: string;
}

/** Disposing of the sandbox went wrong or took too long. */
export interface DisposeFailedEvent extends HarnessEventBase {
  readonly type: "harness.runtime.dispose.failed";
  readonly error: string;
}

/** Every event of a sandbox. */
export type HarnessEvent =
  | CommandStartedEvent
  | CommandCompletedEvent
  | CommandFailedEvent
  | ToolCallStartedEvent
  | ToolCallCompletedEvent
  | ToolCallFailedEvent
  | FileEvent
  | DisposeFailedEvent;

/** Takes events in order. What it throws or rejects with never changes a result. */
export type EmitEvent = (event: HarnessEvent) => unknown;
