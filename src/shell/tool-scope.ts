/** Knows, anywhere in the code of a tool, which command is waiting for that tool. */
import { AsyncLocalStorage } from "node:async_hooks";

/** A command as the tools that it called see it. */
export interface ScopedCommand {
  readonly id: string;
  /** The runtime that runs it. */
  readonly owner: object;
  readonly isOpen: boolean;
  /** `currentToolScope()` when the command was asked for: an executor calls tools from contexts of its own. */
  readonly askedFrom: ToolScope | undefined;
}

/** A command and, going outwards, the commands whose tools led to it. */
export interface ToolScope {
  readonly command: ScopedCommand;
  readonly toolCallId: string;
  readonly outer: ToolScope | undefined;
}

const scopes = new AsyncLocalStorage<ToolScope>();

/** Runs a tool for a command. Everything that the tool starts carries the command with it. */
export function runForCommand<T>(command: ScopedCommand, toolCallId: string, run: () => T): T {
  return scopes.run({ command, toolCallId, outer: command.askedFrom }, run);
}

/** The scope of the code that is running; `undefined` outside all tools. */
export function currentToolScope(): ToolScope | undefined {
  return scopes.getStore();
}

/**
 * The open command of this runtime that waits for the code which is running; `undefined` if none does.
 * Goes outwards: a tool of one sandbox may use another one whose tool comes back to the first.
 */
export function waitingCommandOf(owner: object): ScopedCommand | undefined {
  return waitingToolOf(owner)?.command;
}

/** As `waitingCommandOf`, with the tool call that the command waits for. */
export function waitingToolOf(owner: object): ToolScope | undefined {
  for (let scope = scopes.getStore(); scope !== undefined; scope = scope.outer) {
    if (scope.command.owner === owner && scope.command.isOpen) return scope;
  }
  return undefined;
}
