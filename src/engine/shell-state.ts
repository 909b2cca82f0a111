/**
 * The state of a shell as plain data: read out of what `declare -p` and `declare -F` print, and turned back
 * into a script. The engine's `exec()` forgets all but files, and one interpreter cannot be moved to another
 * process, so this is what a new child starts from after the old one was killed.
 */
import { type CommandNode, parse, type ScriptNode, type StatementNode } from "just-bash";
import { quote } from "../shared/quote.ts";
import { wrapInStatement } from "./live-output.ts";
import type { ShellState } from "./port.ts";

export type FunctionDefNode = Extract<CommandNode, { type: "FunctionDef" }>;

/** Prints the state. `builtin`, because the guest may have functions of these names. */
export const DUMP_SCRIPT =
  "{ builtin declare -p; builtin echo --; builtin declare -F; builtin echo --; builtin alias; }";

/** What stands between the parts of a dump. */
const DIVIDER = "--";

/** What the interpreter keeps among the variables but which belongs to one command or to the shell itself. */
const NOT_STATE = new Set([
  "PWD",
  "OLDPWD",
  "BASHOPTS",
  "SHELLOPTS",
  "PIPESTATUS",
  "BASH_REMATCH",
  "_",
  "OPTIND",
]);
const DECLARATION = /^declare -[-a-zA-Z]+ ([A-Za-z_][A-Za-z0-9_]*)(=|$)/;
const ALIAS = /^alias ([^=\s]+)=/;
/** Positional and special parameters: one command's, not state. */
const SPECIAL = /^declare -[-a-zA-Z]+ [^A-Za-z_]/;

/** What one dump says. */
export interface Dump {
  /** `declare` command by name. */
  readonly variables: ReadonlyMap<string, string>;
  readonly functionNames: readonly string[];
  /** `alias` command by name. */
  readonly aliases: ReadonlyMap<string, string>;
}

/** Reads a dump. A line that starts no command goes on with the value above it. */
export function readDump(text: string): Dump {
  const aliasesAt = text.lastIndexOf(`${DIVIDER}\n`);
  const functionsAt = text.lastIndexOf(`${DIVIDER}\n`, aliasesAt - 1);
  const functions = text.slice(functionsAt + DIVIDER.length + 1, aliasesAt).split("\n");
  const variables = readCommands(text.slice(0, functionsAt), DECLARATION);
  for (const name of NOT_STATE) variables.delete(name);
  return {
    variables,
    functionNames: functions.flatMap((line) => /^declare -f[a-z]* (.+)$/.exec(line)?.[1] ?? []),
    aliases: readCommands(text.slice(aliasesAt + DIVIDER.length + 1), ALIAS),
  };
}

function readCommands(text: string, start: RegExp): Map<string, string> {
  const commands = new Map<string, string>();
  let current: string | null = null;
  for (const line of text.split("\n")) {
    const name = start.exec(line)?.[1];
    if (name !== undefined) {
      current = name;
      commands.set(name, line);
    } else if (SPECIAL.test(line)) {
      current = null;
    } else if (current !== null) {
      commands.set(current, `${commands.get(current)}\n${line}`);
    }
  }
  for (const [name, command] of commands) commands.set(name, command.replace(/\n+$/, ""));
  return commands;
}

/** Remembers each function that a script defines where the parser can see it. */
export function collectFunctions(script: ScriptNode, into: Map<string, FunctionDefNode>): void {
  visit(script);
  function visit(node: unknown): void {
    if (typeof node !== "object" || node === null) return;
    if (Array.isArray(node)) {
      for (const item of node) visit(item);
      return;
    }
    const fields = node as Record<string, unknown>;
    if (fields.type === "FunctionDef") {
      const definition = node as FunctionDefNode;
      into.set(definition.name, definition);
    }
    for (const key in fields) visit(fields[key]);
  }
}

/** Two dumps, the first of the fresh shell → the state. */
export function toShellState(
  fresh: Dump,
  now: Dump,
  cwd: string,
  definitions: ReadonlyMap<string, FunctionDefNode>,
): ShellState {
  const variables: Record<string, string> = Object.create(null);
  for (const [name, declaration] of now.variables) {
    if (fresh.variables.get(name) !== declaration) variables[name] = declaration;
  }
  const functions: Record<string, string> = Object.create(null);
  for (const name of now.functionNames) {
    const definition = definitions.get(name);
    if (definition !== undefined) functions[name] = JSON.stringify(definition);
  }
  const unset = [...fresh.variables.keys()].filter((name) => !now.variables.has(name));
  return { cwd, variables, unset, functions, aliases: Object.fromEntries(now.aliases) };
}

/** Statements that bring a fresh shell into a state. Functions first: a variable's value calls nothing. */
export function toRestoreStatements(
  state: ShellState,
  functions: Iterable<FunctionDefNode>,
): StatementNode[] {
  const script = [
    ...state.unset.map((name) => `unset -v ${name}`),
    ...Object.values(state.variables).map(toAssignment),
    ...Object.values(state.aliases),
    `builtin cd -- ${quote(state.cwd)}`,
  ];
  return [...[...functions].map(wrapInStatement), ...parse(script.join("\n")).statements];
}

/** The functions of a state. */
export function readFunctions(state: ShellState): Map<string, FunctionDefNode> {
  const entries = Object.entries(state.functions);
  return new Map(entries.map(([name, json]) => [name, JSON.parse(json) as FunctionDefNode]));
}

/**
 * Value first, attributes after it: an integer or a read-only name would not take its value as it is. A name
 * reference keeps its one form: assigned to, it would write through.
 */
function toAssignment(declaration: string): string {
  const [, flags, name, value] = /^declare -([-a-zA-Z]+) ([^=]+)=(.*)$/s.exec(declaration) ?? [];
  if (flags === undefined || flags.includes("n")) return declaration;
  const kind = /[aA]/.exec(flags)?.[0];
  return [
    ...(kind === undefined ? [] : [`declare -${kind} ${name}`]),
    `${name}=${value}`,
    ...(flags === "-" ? [] : [`declare -${flags} ${name}`]),
  ].join("\n");
}
