/**
 * Where a shell, a subshell or a capture begins and ends. The engine's text calls these (`build/engine-faults/control.ts`);
 * each costs one comparison as long as a script has neither traps nor jobs.
 */
import type { CommandNode, ScriptNode, StatementNode } from "just-bash";
import { PROGRAMS } from "../command-names.ts";
import {
  type Collector,
  type ControlFlowError,
  endsShell,
  type Interpreter,
  type InterpreterState,
  isAborted,
  joined,
  type Output,
} from "./interpreter.ts";
import { signalShell } from "./job-builtins.ts";
import { CANNOT_FORK, drainCapture, endJobs } from "./jobs.ts";
import { liveOf } from "./live.ts";
import { enterSubshell, isCompound, runErrTrap, runExitTrap, runHandler } from "./traps.ts";

type Copy = (state: InterpreterState) => () => void;

/** After each statement of a script that has traps or jobs. */
export async function afterStatement(
  interpreter: Interpreter,
  statement: StatementNode,
  failed: boolean,
  collector: Collector,
): Promise<void> {
  const { state } = interpreter;
  if (failed && state.traps !== undefined) await runErrTrap(interpreter, statement, collector);
  const signals = state.control?.pending.get(state.bashPid);
  if (signals === undefined) return;
  state.control?.pending.delete(state.bashPid);
  for (const signal of signals) {
    const handler = signal === "KILL" ? undefined : state.traps?.handlers.get(signal);
    try {
      collector.appendResult(
        handler
          ? await runHandler(interpreter, signal, handler, liveOf(statement))
          : await signalShell(interpreter, signal),
      );
    } catch (error) {
      collector.prependTo(error);
      throw error;
    }
  }
}

/** Whether a status is one that `set -e` has let pass already, inside the command that gave it. */
export function keepsErrexitSafe(
  pipeline: { readonly commands: readonly CommandNode[] } | undefined,
): boolean {
  return pipeline !== undefined && isCompound(pipeline.commands);
}

/** How many calls a nested shell counts for: it holds a copy of the state for as long as it runs. */
const CALLS_PER_SHELL = 20;

/** Runs a shell in a function so that a recursion through shells ends before it fills the memory. */
async function deeper(state: InterpreterState, run: () => Promise<Output>): Promise<Output> {
  const { callDepth } = state;
  if (callDepth === 0) return run();
  state.callDepth = callDepth + CALLS_PER_SHELL - 1;
  try {
    return await run();
  } finally {
    state.callDepth = callDepth;
  }
}

/** `( … )`: its EXIT trap runs in it. */
export async function runSubshell(interpreter: Interpreter, run: () => Promise<Output>): Promise<Output> {
  const { state } = interpreter;
  const leave = enterSubshell(state);
  try {
    const output = await deeper(state, run);
    return state.traps === undefined ? output : await runExitTrap(interpreter, output);
  } finally {
    leave();
  }
}

const CHANGES_STATE = new WeakMap<object, boolean>();

/** Whether a part of a script may change more of a shell than its variables, which the engine puts back itself. */
function changesState(node: ScriptNode | CommandNode): boolean {
  const known = CHANGES_STATE.get(node);
  if (known !== undefined) return known;
  const found = mayChange(node);
  CHANGES_STATE.set(node, found);
  return found;
}

function mayChange(node: unknown): boolean {
  if (typeof node !== "object" || node === null) return false;
  if (Array.isArray(node)) return node.some(mayChange);
  const fields = node as Record<string, unknown>;
  if (fields.type === "FunctionDef" || fields.background === true) return true;
  if (fields.type === "SimpleCommand" && fields.name !== null) {
    const { parts } = fields.name as { parts: { type: string; value?: string }[] };
    const name = parts.length === 1 && parts[0]?.type === "Literal" ? parts[0].value : undefined;
    if (name === undefined || !(PROGRAMS.has(name) || KEEPS_STATE.has(name))) return true;
  }
  for (const key in fields) if (mayChange(fields[key])) return true;
  return false;
}

/** Builtins that change variables at most. */
const KEEPS_STATE = new Set([
  ":",
  "printf",
  "read",
  "let",
  "mapfile",
  "readarray",
  "type",
  "exit",
  "break",
  "continue",
]);

/** `$(…)` and `<(…)`: options, functions, traps stay inside; jobs that print into it are awaited. */
export async function runSubstitution(
  interpreter: Interpreter,
  script: ScriptNode,
  copy: Copy,
): Promise<Output> {
  const { state } = interpreter;
  const { options } = state;
  // As bash does without `inherit_errexit`.
  if (options.errexit && !options.posix && !state.shoptOptions.inherit_errexit)
    state.options = { ...options, errexit: false };
  try {
    return await capture(interpreter, script, copy, true, () => interpreter.executeScript(script));
  } finally {
    state.options = options;
  }
}

/** One command of a pipeline, which is a shell of its own. */
export function runPipelinePart(
  interpreter: Interpreter,
  command: CommandNode,
  isRead: boolean,
  copy: Copy,
  run: () => Promise<Output>,
): Promise<Output> {
  return capture(interpreter, command, copy, isRead, () => deeper(interpreter.state, run));
}

async function capture(
  interpreter: Interpreter,
  node: ScriptNode | CommandNode,
  copy: Copy,
  isRead: boolean,
  run: () => Promise<Output>,
): Promise<Output> {
  const { state } = interpreter;
  if (state.control === undefined && !changesState(node)) return run();
  const from = state.control?.nextSerial ?? 0;
  const leave = separate(state, copy);
  const leaveTraps = enterSubshell(state);
  try {
    let output: Output;
    try {
      output = await run();
    } catch (error) {
      // Whoever would have read it is ended too: it must not come out of the script instead.
      if (isRead && isAborted(error)) error.stdout = "";
      if (!endsShell(error) || state.control === undefined) throw error;
      output = error;
    }
    if (state.traps !== undefined) output = await runExitTrap(interpreter, plain(output));
    return isRead && state.control !== undefined ? await drainCapture(state, from, output) : output;
  } finally {
    leaveTraps();
    leave();
  }
}

function plain(output: Output | ControlFlowError): Output {
  return output instanceof Error ? joined({ stdout: "", stderr: "", exitCode: 0 }, output) : output;
}

/** Gives a state maps of its own until the returned function is called; what was read from its input stays read. */
function separate(state: InterpreterState, copy: Copy): () => void {
  const restore = copy(state);
  return () => {
    const { groupStdin, fileDescriptors, inputFds, lastExitCode, env } = state;
    const expansion = state as { expansionStderr?: string; expansionExitCode?: number };
    const { expansionStderr, expansionExitCode } = expansion;
    restore();
    state.groupStdin = groupStdin;
    if (fileDescriptors !== undefined) state.fileDescriptors = fileDescriptors;
    if (inputFds !== undefined) state.inputFds = inputFds;
    state.lastExitCode = lastExitCode;
    state.env.set("?", env.get("?") ?? "0");
    if (expansionStderr !== undefined) expansion.expansionStderr = expansionStderr;
    if (expansionExitCode !== undefined) expansion.expansionExitCode = expansionExitCode;
  };
}

/** A whole shell: `bash -c`, a script file, what `xargs` starts. Its EXIT trap runs and its jobs end with it. */
export async function runShell(
  shell: { readonly ctx: Interpreter; executeScript(script: ScriptNode): Promise<Output> },
  script: ScriptNode,
): Promise<Output> {
  return ended(shell.ctx, () => shell.executeScript(script));
}

/** The script of a sandbox's command, in the shell that stays: nothing of its traps and jobs is left behind. */
export async function runGuestScript(interpreter: Interpreter, run: () => Promise<Output>): Promise<Output> {
  const { state } = interpreter;
  try {
    return await ended(interpreter, run);
  } finally {
    state.traps = undefined;
    state.control = undefined;
    state.options.errtrace = false;
    state.options.functrace = false;
  }
}

async function ended(interpreter: Interpreter, run: () => Promise<Output>): Promise<Output> {
  const { state } = interpreter;
  let output: Output;
  try {
    output = await run();
  } catch (error) {
    if (state.control === undefined || !endsShell(error)) throw error;
    output = plain(error);
  }
  if (state.control === undefined) return output;
  if (state.traps !== undefined) output = await runExitTrap(interpreter, output);
  const rest = await endJobs(state);
  if (state.control.cannotFork) output = { ...output, exitCode: output.exitCode || CANNOT_FORK };
  return rest.stdout === "" && rest.stderr === ""
    ? output
    : { ...output, ...joined(output, rest), exitCode: output.exitCode };
}
