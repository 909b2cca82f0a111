/**
 * Makes output stream. The engine collects what a script prints and returns it at the end; here each command
 * of the parsed script gets `>>out 2>>err` in front of its own redirections, the two being devices of our file
 * system, so that its output leaves when it finishes, both streams in true order.
 *
 * Only where the script's own text shows that the output goes nowhere else: not in `$(…)`, not before a pipe,
 * not under a redirection, not inside a function (it may be called from such a place; its output leaves when it
 * returns). `exec 1>>out` in front of the script would be simpler, but under it the interpreter ignores the
 * redirections of compound commands and captures nothing in `$(…)` (measured, just-bash 3.4.2).
 */
import {
  type CommandNode,
  type PipelineNode,
  parse,
  type SimpleCommandNode,
  type StatementNode,
} from "just-bash";
import { ORDINARY_COMMANDS } from "./command-names.ts";
import { type LiveStatement, openAlready } from "./control/live.ts";

type WordNode = SimpleCommandNode["args"][number];
type Redirection = SimpleCommandNode["redirections"][number];
type Compound = Exclude<CommandNode, { type: "SimpleCommand" | "FunctionDef" }>;

/** Where output goes. */
export interface LiveOutput {
  /** The same script, with output that leaves as it comes. */
  stream(statements: readonly StatementNode[], safeFunctions: ReadonlySet<string>): StatementNode[];
}

/** Commands that must not get redirections: they make them last, or leave the construct they stand in. */
const LEAVE_ALONE = new Set([
  "exec",
  "eval",
  "source",
  ".",
  "command",
  "builtin",
  "break",
  "continue",
  "return",
  "exit",
]);

/** After one of these the script's own redirections may hold for good, and ours would go before them. */
const MAY_REDIRECT_FOR_GOOD = new Set(["exec", "eval", "source", ".", "command", "builtin"]);

export function liveOutput(outPath: string, errPath: string): LiveOutput {
  const [out, err] = redirectionsOf(`true >>${outPath} 2>>${errPath}`);
  const both = [out, err];

  function statement(node: StatementNode): StatementNode {
    const live: LiveStatement = { live: both };
    return { ...node, ...live, pipelines: node.pipelines.map(pipeline) };
  }

  function pipeline(node: PipelineNode): PipelineNode {
    if (node.timed === true) return node;
    const last = node.commands.length - 1;
    return {
      ...node,
      commands: node.commands.map((command, index) => {
        if (index === last) return live(command);
        return node.pipeStderr?.[index] === true ? command : prepend(command, [err]);
      }),
    };
  }

  function live(command: CommandNode): CommandNode {
    if (command.type === "FunctionDef") return command;
    if (command.type === "SimpleCommand" || !command.redirections.every(isInput))
      return prepend(command, both);
    return inside(command);
  }

  function inside(command: Compound): Compound {
    switch (command.type) {
      case "If":
        return {
          ...command,
          clauses: command.clauses.map(({ condition, body }) => ({
            condition: condition.map(statement),
            body: body.map(statement),
          })),
          elseBody: command.elseBody?.map(statement) ?? null,
        };
      case "While":
      case "Until":
        return { ...command, condition: command.condition.map(statement), body: command.body.map(statement) };
      case "For":
      case "CStyleFor":
      case "Group":
      case "Subshell":
        return { ...command, body: command.body.map(statement) };
      case "Case":
        return {
          ...command,
          items: command.items.map((item) => ({ ...item, body: item.body.map(statement) })),
        };
      default:
        return command;
    }
  }

  /** What the interpreter itself prints, or a command without ours, leaves at the end of the statement. */
  function grouped(node: StatementNode): StatementNode {
    const group: CommandNode = { type: "Group", body: [node], redirections: both };
    return wrapInStatement(group);
  }

  return {
    stream(statements, safeFunctions) {
      let mayBeRedirected = false;
      const stopsAtUnset = statements.some(setsNounset);
      return statements.map((node) => {
        mayBeRedirected ||= mayRedirectForGood(node, safeFunctions);
        if (mayBeRedirected) return grouped(node);
        const streaming = statement(node);
        // The interpreter forgets at the end of a compound command that `set -u` has ended the script.
        if (stopsAtUnset && isOneSimpleCommand(node)) return streaming;
        // The frame around the whole script catches what a single command leaves; among several, order counts.
        return statements.length === 1 && isOneSimpleCommand(node) ? streaming : grouped(streaming);
      });
    },
  };
}

function prepend<C extends CommandNode>(command: C, redirections: Redirection[]): C {
  if (command.type === "SimpleCommand") {
    // With a redirection the interpreter forgets what `$(…)` of a bare assignment exits with and prints.
    if (command.name === null) return command;
    const name = literalName(command);
    if (name !== null && LEAVE_ALONE.has(name)) return command;
  }
  return { ...command, redirections: [...redirections, ...command.redirections] };
}

function isInput({ operator, fd, fdVariable }: Redirection): boolean {
  const reads = operator === "<" || operator === "<<" || operator === "<<-" || operator === "<<<";
  return reads && fdVariable === undefined && (fd ?? 0) === 0;
}

function isOneSimpleCommand({ pipelines, background }: StatementNode): boolean {
  const pipeline = pipelines[0];
  if (background || pipelines.length !== 1 || pipeline === undefined) return false;
  const command = pipeline.commands[0];
  if (pipeline.commands.length !== 1 || pipeline.timed === true || command?.type !== "SimpleCommand")
    return false;
  const name = literalName(command);
  return name === null || !LEAVE_ALONE.has(name);
}

/** Whether something in a statement is `set -u` or `set -o nounset`. */
function setsNounset(node: unknown): boolean {
  if (typeof node !== "object" || node === null) return false;
  if (Array.isArray(node)) return node.some(setsNounset);
  const fields = node as Record<string, unknown>;
  if (fields.type === "SimpleCommand" && fields.name !== null) {
    const { args } = node as SimpleCommandNode;
    if (literalName(node as SimpleCommandNode) === "set") return args.some(namesNounset);
  }
  return Object.values(fields).some(setsNounset);
}

function namesNounset({ parts }: WordNode): boolean {
  const part = parts[0];
  return part?.type === "Literal" && /^(?:-[a-zA-Z]*u[a-zA-Z]*|nounset)$/.test(part.value);
}

/** Whether a statement runs something that may be `exec` with redirections, in the open or hidden. */
function mayRedirectForGood(node: unknown, safeFunctions: ReadonlySet<string>): boolean {
  if (typeof node !== "object" || node === null) return false;
  if (Array.isArray(node)) return node.some((item) => mayRedirectForGood(item, safeFunctions));
  const fields = node as Record<string, unknown>;
  if (fields.type === "SimpleCommand" && fields.name !== null) {
    const name = literalName(node as SimpleCommandNode);
    if (name === null || MAY_REDIRECT_FOR_GOOD.has(name)) return true;
    if (!ORDINARY_COMMANDS.has(name) && !safeFunctions.has(name)) return true;
  }
  for (const key in fields) if (mayRedirectForGood(fields[key], safeFunctions)) return true;
  return false;
}

/** Names of the functions that neither hold `exec` nor could come by it through another. */
export function functionsWithoutExec(definitions: ReadonlyMap<string, CommandNode>): ReadonlySet<string> {
  const safe = new Set(definitions.keys());
  for (let size = -1; size !== safe.size; ) {
    size = safe.size;
    for (const [name, definition] of definitions) {
      if (safe.has(name) && mayRedirectForGood(definition, safe)) safe.delete(name);
    }
  }
  return safe;
}

function literalName({ name }: SimpleCommandNode): string | null {
  const part = name?.parts[0];
  return name?.parts.length === 1 && part?.type === "Literal" ? part.value : null;
}

/** One command as a statement of its own. */
export function wrapInStatement(command: CommandNode): StatementNode {
  const pipelines: PipelineNode[] = [{ type: "Pipeline", negated: false, commands: [command] }];
  return { type: "Statement", operators: [], background: false, pipelines };
}

function redirectionsOf(source: string): [Redirection, Redirection] {
  const command = parse(source).statements[0]?.pipelines[0]?.commands[0];
  const [first, second] = command?.type === "SimpleCommand" ? openAlready(command.redirections) : [];
  if (first === undefined || second === undefined)
    throw new Error("the engine's parser returned no redirection");
  return [first, second];
}
