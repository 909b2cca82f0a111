/** Where a statement's output leaves at once: `live-output.ts` put it there, and what runs beside it goes the same way. */
import {
  type CommandNode,
  type IFileSystem,
  parse,
  type ScriptNode,
  type StatementNode,
  serialize,
} from "just-bash";
import type { Output } from "./interpreter.ts";

type Redirection = Extract<CommandNode, { type: "Group" }>["redirections"][number];
export type LiveRedirections = readonly Redirection[];

/** Set on statements whose output streams. */
export interface LiveStatement {
  readonly live?: LiveRedirections;
}

/** Where the devices of the shells lie: no script can write its name in a redirection and be streamed by it. */
const DEVICES = "/dev/.shell/";

export function liveOf(statement: StatementNode): LiveRedirections | null {
  return (statement as StatementNode & LiveStatement).live ?? null;
}

/**
 * Redirections to devices of ours, which the interpreter then takes for open: `build/engine-faults/control.ts`. A
 * script that writes the name of a device gets no such node from the parser.
 */
export function openAlready(redirections: readonly Redirection[]): Redirection[] {
  return redirections.map((redirection) => {
    const part = redirection.target.type === "Word" ? redirection.target.parts[0] : undefined;
    return part?.type === "Literal" && redirection.operator === ">>"
      ? { ...redirection, device: part.value }
      : redirection;
  });
}

/** The redirections that stream one command. */
export function liveOfCommand(command: CommandNode): LiveRedirections | null {
  if (command.type === "FunctionDef") return null;
  const live = command.redirections.filter(isDevice);
  return live.length === 0 ? null : live;
}

function isDevice({ target }: Redirection): boolean {
  if (target.type !== "Word") return false;
  const part = target.parts[0];
  return part?.type === "Literal" && part.value.startsWith(DEVICES);
}

/** The device that gets all of a command's standard output; none if the script itself redirects it. */
export function stdoutDeviceOf(redirections: LiveRedirections): string | undefined {
  let device: string | undefined;
  for (const redirection of redirections) {
    const { operator, fdVariable } = redirection;
    const fd = redirection.fd ?? (operator.startsWith("<") ? 0 : 1);
    const own = (redirection as Redirection & { readonly device?: string }).device;
    if (own === undefined && (fdVariable !== undefined || (fd !== 0 && fd !== 2))) return undefined;
    if (own !== undefined && fd === 1) device = own;
  }
  return device;
}

/** The statement under redirections of its own. */
export function redirected(statement: StatementNode, live: LiveRedirections | null): StatementNode {
  if (live === null) return statement;
  const group: CommandNode = { type: "Group", body: [statement], redirections: [...live] };
  return {
    type: "Statement",
    operators: [],
    background: false,
    pipelines: [{ type: "Pipeline", negated: false, commands: [group] }],
  };
}

/** Writes where a live statement's output goes. */
export async function writeLive(fs: IFileSystem, live: LiveRedirections, output: Output): Promise<void> {
  for (const { fd, target } of live) {
    const part = target.type === "Word" ? target.parts[0] : undefined;
    const text = fd === 2 ? output.stderr : output.stdout;
    if (part?.type === "Literal" && text !== "") await fs.appendFile(part.value, text);
  }
}

/** Text → script whose commands keep the line number of whatever runs it. */
export function parseWithoutLines(text: string): ScriptNode {
  return strip(parse(text), (key) => key === "line") as ScriptNode;
}

/** The source of a statement as the script had it. */
export function sourceOf(statement: StatementNode): string {
  const plain = strip({ ...statement, background: false }, () => false) as StatementNode;
  try {
    const text = serialize({ type: "Script", statements: [plain] }).trim();
    const isSubshell = statement.pipelines.length === 1 && /^\(([^(].*)\)$/s.exec(text);
    return isSubshell ? `( ${isSubshell[1]} )` : text;
  } catch {
    // The engine cannot print every tree that it can run.
    return "…";
  }
}

function strip(node: unknown, drop: (key: string) => boolean): unknown {
  if (typeof node !== "object" || node === null) return node;
  if (Array.isArray(node)) {
    const kept = node.filter((item) => (item as Redirection)?.type !== "Redirection" || !isDevice(item));
    return kept.map((item) => strip(item, drop));
  }
  const entries = Object.entries(node).filter(([key]) => !drop(key));
  return Object.fromEntries(entries.map(([key, value]) => [key, strip(value, drop)]));
}
