/**
 * `trap`: what a shell does on its end, on a failed command, on the return of a function, on signals. Longer than most
 * files because all of them run their handlers by one rule.
 */
import type { CommandNode, ScriptNode, StatementNode } from "just-bash";
import { quote } from "../../shared/quote.ts";
import { controlOf } from "./control-state.ts";
import {
  type Collector,
  endsShell,
  failure,
  type Interpreter,
  type InterpreterState,
  joined,
  NOTHING,
  type Output,
} from "./interpreter.ts";
import {
  type LiveRedirections,
  liveOf,
  liveOfCommand,
  parseWithoutLines,
  redirected,
  sourceOf,
} from "./live.ts";
import { isSentToProcess, shownName, signalName, signalNumber, signalTable } from "./signals.ts";

export interface Traps {
  /** Signal name → command; an empty command means that the signal is ignored. */
  readonly handlers: Map<string, string>;
  /** What `trap -p` prints in a subshell that has set none: the traps of its parent. */
  shown: ReadonlyMap<string, string> | null;
  /** Handlers that run: none of them is started by itself. */
  readonly running: Set<string>;
  /** The simple command that ran last: in a function, too, as `$BASH_COMMAND` has it. */
  last: CommandNode | null;
}

const USAGE = "trap: usage: trap [-lp] [[arg] signal_spec ...]";

function trapsOf(state: InterpreterState): Traps {
  controlOf(state);
  state.traps ??= { handlers: new Map(), shown: null, running: new Set(), last: null };
  return state.traps;
}

/** The builtin. */
export function trapBuiltin(state: InterpreterState, args: readonly string[]): Output {
  let at = 0;
  let print = false;
  for (; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--") {
      at++;
      break;
    }
    if (!/^-./.test(arg)) break;
    for (const letter of arg.slice(1)) {
      if (letter === "l") return { ...NOTHING, stdout: signalTable() };
      if (letter !== "p") return usage(state, `trap: -${letter}: invalid option\n`);
      print = true;
    }
  }
  const operands = args.slice(at);
  if (print || operands.length === 0) return printTraps(state, operands);
  const [first = "", ...rest] = operands;
  if (rest.length === 0) {
    if (signalName(first) === null) return usage(state, "");
    return setTraps(state, null, [first]);
  }
  if (first === "-") return setTraps(state, null, rest);
  // As POSIX has it: a number in the place of the command is a signal like the others.
  if (/^\d+$/.test(first)) return setTraps(state, null, operands);
  return setTraps(state, first, rest);
}

function usage(state: InterpreterState, why: string): Output {
  const before = why === "" ? "" : `bash: line ${state.currentLine}: ${why}`;
  return { stdout: "", stderr: `${before}${USAGE}\n`, exitCode: 2 };
}

function setTraps(state: InterpreterState, command: string | null, specs: readonly string[]): Output {
  const traps = trapsOf(state);
  let output = NOTHING;
  for (const spec of specs) {
    const name = signalName(spec);
    if (name === null) {
      output = joined(output, failure(state, 1, `trap: ${spec}: invalid signal specification`));
      continue;
    }
    traps.shown = null;
    if (command === null) traps.handlers.delete(name);
    else traps.handlers.set(name, command);
  }
  return output;
}

function printTraps(state: InterpreterState, specs: readonly string[]): Output {
  const handlers = state.traps?.shown ?? state.traps?.handlers ?? new Map<string, string>();
  const names = specs.length > 0 ? specs.map(signalName) : [...handlers.keys()].sort(byNumber);
  const unknown = specs.find((spec) => signalName(spec) === null);
  const lines = names.flatMap((name) => {
    const command = name === null ? undefined : handlers.get(name);
    return name === null || command === undefined
      ? []
      : `trap -- ${quoteAlways(command)} ${shownName(name)}\n`;
  });
  const output = { ...NOTHING, stdout: lines.join("") };
  if (unknown === undefined) return output;
  return joined(output, failure(state, 1, `trap: ${unknown}: invalid signal specification`));
}

function byNumber(a: string, b: string): number {
  return signalNumber(a) - signalNumber(b);
}

function quoteAlways(text: string): string {
  return text === "" ? "''" : quote(text);
}

/** A subshell begins: only what is ignored stays, and what `set -E` and `set -T` hand down. Returns what puts it back. */
export function enterSubshell(state: InterpreterState): () => void {
  const outer = state.traps;
  if (outer === undefined) {
    return () => {
      state.traps = undefined;
    };
  }
  const kept = [...outer.handlers].filter(
    ([name, command]) =>
      (isSentToProcess(name) && command === "") ||
      (name === "ERR" && state.options.errtrace) ||
      ((name === "DEBUG" || name === "RETURN") && state.options.functrace),
  );
  state.traps = {
    handlers: new Map(kept),
    shown: outer.shown ?? new Map(outer.handlers),
    running: outer.running,
    last: null,
  };
  return () => {
    state.traps = outer;
  };
}

/** Traps that a function does not inherit, taken away for the time of the call. */
export function enterFunction(state: InterpreterState): ReadonlyMap<string, string> | undefined {
  const handlers = state.traps?.handlers;
  if (handlers === undefined || handlers.size === 0) return undefined;
  const { errtrace, functrace } = state.options;
  const saved = new Map<string, string>();
  for (const name of [...(errtrace ? [] : ["ERR"]), ...(functrace ? [] : ["DEBUG", "RETURN"])]) {
    const command = handlers.get(name);
    if (command === undefined) continue;
    saved.set(name, command);
    handlers.delete(name);
  }
  return saved;
}

/** The function has returned: its RETURN trap runs, and the caller's traps come back unless it set others. */
export async function leaveFunction(
  interpreter: Interpreter,
  saved: ReadonlyMap<string, string> | undefined,
  output: Output,
): Promise<Output> {
  const { state } = interpreter;
  state.currentLine = state.callLineStack?.[0] ?? state.currentLine;
  const command = state.traps?.handlers.get("RETURN");
  let result = output;
  if (command !== undefined && command !== "") {
    state.lastExitCode = output.exitCode;
    const said = await runHandler(interpreter, "RETURN", command, null);
    result = { ...joined(output, said), exitCode: output.exitCode };
  }
  restoreTraps(state, saved);
  return result;
}

/** The same for a function that an error leaves: `return` is one of those. */
export async function leaveFunctionThrown(
  interpreter: Interpreter,
  saved: ReadonlyMap<string, string> | undefined,
  error: unknown,
): Promise<unknown> {
  if (error instanceof Error && error.name === "ReturnError") {
    const { exitCode } = error as Error & { exitCode: number };
    const said = await leaveFunction(interpreter, saved, { ...NOTHING, exitCode });
    append(error as unknown as Output, said);
  } else restoreTraps(interpreter.state, saved);
  return error;
}

function append(error: { stdout: string; stderr: string }, output: Output): void {
  error.stdout += output.stdout;
  error.stderr += output.stderr;
}

function restoreTraps(state: InterpreterState, saved: ReadonlyMap<string, string> | undefined): void {
  for (const [name, command] of saved ?? []) {
    const handlers = trapsOf(state).handlers;
    if (!handlers.has(name)) handlers.set(name, command);
  }
}

const parsed = new Map<string, ScriptNode>();

function parseHandler(text: string): ScriptNode {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const script = parseWithoutLines(text);
  // Scripts have few traps; the bound is for those that make new ones in a loop.
  if (parsed.size > 256) parsed.clear();
  parsed.set(text, script);
  return script;
}

/** Runs the command of a trap with `$?` as it is and leaves it so. */
export async function runHandler(
  interpreter: Interpreter,
  name: string,
  command: string,
  live: LiveRedirections | null,
): Promise<Output> {
  const { state } = interpreter;
  const traps = trapsOf(state);
  const status = state.lastExitCode;
  const line = state.currentLine;
  let script: ScriptNode;
  try {
    script = parseHandler(command);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return failure(state, status, `${shownName(name)} trap: ${why}`);
  }
  state.env.set("?", String(status));
  traps.running.add(name);
  const { inCondition } = state;
  try {
    const statements =
      live === null ? script.statements : script.statements.map((one) => redirected(one, live));
    return await interpreter.executeScript({ ...script, statements });
  } finally {
    traps.running.delete(name);
    state.inCondition = inCondition;
    state.currentLine = line;
    state.lastExitCode = status;
    state.env.set("?", String(status));
  }
}

const COMPOUND = new Set<CommandNode["type"]>(["If", "For", "CStyleFor", "While", "Until", "Case", "Group"]);

/** Whether the status of a pipeline is that of a command inside it, which has had its own trap. */
export function isCompound(commands: readonly CommandNode[]): boolean {
  const [only] = commands;
  return commands.length === 1 && only !== undefined && COMPOUND.has(only.type);
}

/** The ERR trap of a statement that has failed. */
export async function runErrTrap(
  interpreter: Interpreter,
  statement: StatementNode,
  collector: Collector,
): Promise<void> {
  const { state } = interpreter;
  const command = state.traps?.handlers.get("ERR");
  if (command === undefined || command === "" || state.traps?.running.has("ERR")) return;
  const last = statement.pipelines.at(-1);
  if (last === undefined || isCompound(last.commands)) return;
  const [only] = last.commands;
  if (only?.type !== "SimpleCommand") state.currentLine = firstLine(only) ?? state.currentLine;
  const called = last.commands.length === 1 && only?.type === "SimpleCommand" ? state.traps?.last : null;
  const shown = called == null ? [last] : [{ ...last, commands: [called] }];
  state.env.set("BASH_COMMAND", sourceOf({ ...statement, operators: [], pipelines: shown }));
  try {
    collector.appendResult(await runHandler(interpreter, "ERR", command, liveOf(statement)));
  } catch (error) {
    collector.prependTo(error);
    throw error;
  }
}

/** The line of the first command inside a compound one, which has none of its own. */
function firstLine(node: unknown): number | undefined {
  if (typeof node !== "object" || node === null) return undefined;
  const { line } = node as { line?: unknown };
  if (typeof line === "number") return line;
  for (const part of Object.values(node)) {
    const found = firstLine(part);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** One simple command, with the DEBUG trap before it. */
export async function runWithDebugTrap(
  interpreter: Interpreter,
  command: CommandNode,
  run: () => Promise<Output>,
): Promise<Output> {
  const { state } = interpreter;
  if (state.traps !== undefined && state.traps.running.size === 0) state.traps.last = command;
  const handler = state.traps?.handlers.get("DEBUG");
  if (handler === undefined || handler === "" || (state.traps?.running.size ?? 0) > 0) return run();
  const { line } = command as { line?: number };
  if (line !== undefined) state.currentLine = line;
  const pipelines = [{ type: "Pipeline" as const, negated: false, commands: [command] }];
  state.env.set("BASH_COMMAND", sourceOf({ type: "Statement", operators: [], background: false, pipelines }));
  const said = await runHandler(interpreter, "DEBUG", handler, liveOfCommand(command));
  const output = await run();
  return said.stdout === "" && said.stderr === "" ? output : { ...output, ...joined(said, output) };
}

/** The shell ends with a status: its EXIT trap runs, and may change it. */
export async function runExitTrap(interpreter: Interpreter, output: Output): Promise<Output> {
  const { state } = interpreter;
  const command = state.traps?.handlers.get("EXIT");
  if (command === undefined || command === "") return output;
  state.traps?.handlers.delete("EXIT");
  state.lastExitCode = output.exitCode;
  try {
    const said = await runHandler(interpreter, "EXIT", command, null);
    return { ...joined(output, said), exitCode: output.exitCode };
  } catch (error) {
    if (!endsShell(error)) throw error;
    return joined(output, error);
  }
}
