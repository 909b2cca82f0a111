/** What commands print, where the script alone says so: `echo`, `printf` and `cat` of literal text. */
import type { CommandNode, ScriptNode, SimpleCommandNode, StatementNode } from "../engine/parse-script.ts";
import { expandFields, expandText, type OutputOf } from "./expand-word.ts";
import { whyTierOne } from "./rules.ts";
import { MANY, type ShellState, UNKNOWN } from "./shell-state.ts";

const MOST_DEPTH = 10;
const MOST_OUTPUT = 1_000_000;

/** The output of the body of a substitution, or null when only run time can tell. */
export function outputOfScript(state: ShellState, depth = 0): OutputOf {
  return (body: ScriptNode) => (depth > MOST_DEPTH ? null : outputOfList(body.statements, state, depth));
}

function outputOfList(statements: readonly StatementNode[], state: ShellState, depth: number): string | null {
  let printed = "";
  for (const { pipelines, background } of statements) {
    const [pipeline, ...others] = pipelines;
    if (pipeline === undefined || others.length > 0 || background || pipeline.negated) return null;
    let output: string | null = null;
    for (const command of pipeline.commands) {
      output = outputOfCommand(command, state, output, depth);
      if (output === null) return null;
    }
    printed += output ?? "";
    if (printed.length > MOST_OUTPUT) return null;
  }
  return printed;
}

/** What one command prints that reads `stdin`, or null. */
export function outputOfCommand(
  command: CommandNode,
  state: ShellState,
  stdin: string | null,
  depth = 0,
): string | null {
  if (command.type === "Group" || command.type === "Subshell")
    return command.redirections.length > 0 || depth > MOST_DEPTH
      ? null
      : outputOfList(command.body, state, depth + 1);
  if (command.type !== "SimpleCommand" || command.name === null) return null;
  const outputOf = outputOfScript(state, depth + 1);
  if (command.redirections.some(({ operator, fd }) => operator.includes(">") && fd !== 2)) return null;
  const fields: string[] = [];
  for (const word of [command.name, ...command.args]) {
    const [only, ...others] = expandFields(word, state, outputOf);
    if (only === undefined || others.length > 0) return null;
    fields.push(...only.map((field) => field.replaceAll(MANY, UNKNOWN)));
  }
  const [name = "", ...args] = fields;
  if (state.functions.has(name) || state.aliases.has(name)) return null;
  if (name === "echo") return echo(args);
  if (name === "printf") return printf(args);
  const searched = /^(?:which|command -v|type -[pP]) (\S+)$/.exec(fields.join(" "))?.[1];
  // In place of a command it means that command: tier 0, which has none of the name, would find nothing.
  if (searched !== undefined) return whyTierOne(searched) === null ? null : searched;
  if (name === "cat" && args.every((arg) => arg === "-")) return inputOf(command, state, stdin, depth);
  return null;
}

/** What a command reads from its standard input: a here-document, a here-string, or `piped`; null: not certain. */
export function inputOf(
  command: SimpleCommandNode,
  state: ShellState,
  piped: string | null,
  depth = 0,
): string | null {
  let input = piped;
  for (const { operator, fd, target } of command.redirections) {
    if ((fd ?? 0) !== 0 || !operator.startsWith("<")) continue;
    const word = target.type === "HereDoc" ? target.content : target;
    const isText = target.type === "HereDoc" || operator === "<<<";
    const [only, ...others] = isText ? expandText(word, state, outputOfScript(state, depth + 1)) : [];
    const stripped = target.type === "HereDoc" && target.stripTabs ? only?.replace(/^\t+/gm, "") : only;
    input = stripped === undefined || others.length > 0 ? null : stripped + (operator === "<<<" ? "\n" : "");
  }
  return input;
}

function echo(args: readonly string[]): string {
  let from = 0;
  let escapes = false;
  let newline = "\n";
  for (; /^-[neE]+$/.test(args[from] ?? ""); from++) {
    for (const letter of args[from] ?? "") {
      if (letter === "n") newline = "";
      else if (letter !== "-") escapes = letter === "e";
    }
  }
  const line = args.slice(from).join(" ");
  return (escapes ? unescaped(line) : line) + newline;
}

function printf(args: readonly string[]): string | null {
  const [format = "", ...values] = args[0] === "--" ? args.slice(1) : args;
  if (format.startsWith("-") || /%[^%sbdq]/.test(format)) return null;
  const shown = unescaped(format);
  let output = "";
  let at = 0;
  do {
    output += shown.replace(/%([%sbdq])/g, (_, kind: string) => {
      if (kind === "%") return "%";
      const value = values[at++] ?? "";
      return kind === "b" ? unescaped(value) : value;
    });
  } while (at > 0 && at < values.length && output.length < MOST_OUTPUT);
  return output;
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\x07",
  b: "\b",
  f: "\f",
  v: "\v",
  e: "\x1b",
};

function unescaped(text: string): string {
  return text.replace(/\\(?:x([0-9a-fA-F]{1,2})|0?([0-7]{1,3})|(.))/gs, (whole, hex, octal, other) => {
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 255);
    return other === "\\" ? "\\" : (ESCAPES[other] ?? whole);
  });
}
