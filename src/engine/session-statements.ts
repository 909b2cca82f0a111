/**
 * The statements that stand around a guest's script in a shell that never ends. Nothing here is typed by a
 * guest; names that a guest could have redefined go through `builtin`.
 */
import { type CommandNode, parse, type StatementNode } from "just-bash";
import { quote } from "../shared/quote.ts";
import { openAlready } from "./control/live.ts";
import { guestStep } from "./control/session-step.ts";
import { liveOutput, wrapInStatement } from "./live-output.ts";
import { DUMP_SCRIPT } from "./shell-state.ts";

type GroupNode = Extract<CommandNode, { type: "Group" }>;

/** Where one shell's streams lie in the file system. */
export interface DevicePaths {
  readonly out: string;
  readonly err: string;
  readonly stdin: string;
  readonly cwd: string;
  readonly state: string;
}

/** The fixed statements of one shell. */
export interface SessionStatements {
  /** Undoes an `exec >file` of the script. */
  resetStreams(): StatementNode[];
  tellCwd(): StatementNode[];
  dumpState(): StatementNode[];
  /** The same statements with their output dropped. */
  quietly(statements: StatementNode[]): StatementNode[];
  /** The script, with what surrounds it; `onStatus` is told what it exited with. */
  wrap(
    script: readonly StatementNode[],
    parts: WrapParts,
    onStatus: (exitCode: number) => void,
  ): StatementNode;
}

/** What surrounds one script. */
export interface WrapParts {
  readonly before: readonly StatementNode[];
  readonly hasStdin: boolean;
  /** Run in a subshell: nothing that the script sets stays. */
  readonly apart: boolean;
  /** See `liveOutput`. */
  readonly safeFunctions: ReadonlySet<string>;
}

export function buildStatements(paths: DevicePaths): SessionStatements {
  const output = liveOutput(paths.out, paths.err);
  const plain = frame(`{ true; } >>${paths.out} 2>>${paths.err}`);
  const withStdin = frame(`{ true; } <${paths.stdin} >>${paths.out} 2>>${paths.err}`);
  return {
    // A bare `exec`: the interpreter takes redirections of `builtin exec` for passing ones.
    resetStreams: parsedOnce("exec 0<&- 1>|/dev/stdout 2>|/dev/stderr"),
    // Not `$PWD`, which a script may set to anything.
    tellCwd: parsedOnce(`builtin pwd >|${paths.cwd}`),
    dumpState: parsedOnce(`${DUMP_SCRIPT} >|${paths.state} 2>/dev/null`),
    quietly(statements) {
      const wrapped = first(parse("{ true; } >/dev/null 2>&1").statements);
      const pipeline = first(wrapped.pipelines);
      const group = { ...(first(pipeline.commands) as GroupNode), body: statements };
      return [{ ...wrapped, pipelines: [{ ...pipeline, commands: [group] }] }];
    },
    wrap(script, { before, hasStdin, apart, safeFunctions }, onStatus) {
      const body = [...before, ...output.stream(script, safeFunctions)];
      return guestStep((hasStdin ? withStdin : plain)(apart ? [subshell(body)] : body), onStatus);
    },
  };
}

/** Parsed when it is first needed: many a shell runs one command, which needs none of these. */
function parsedOnce(source: string): () => StatementNode[] {
  let statements: StatementNode[] | undefined;
  return () => {
    statements ??= parse(source).statements;
    return statements;
  };
}

/** The group around a script. Its redirections catch what the interpreter itself prints between the commands. */
function frame(source: string): (body: StatementNode[]) => GroupNode {
  // `isGuest`: the script's own traps and jobs end with it.
  const mark = { isGuest: true };
  let group: GroupNode | undefined;
  return (body) => {
    if (group === undefined) {
      const parsed = first(first(first(parse(source).statements).pipelines).commands) as GroupNode;
      group = { ...parsed, ...mark, redirections: openAlready(parsed.redirections) };
    }
    return { ...group, body };
  };
}

function subshell(body: StatementNode[]): StatementNode {
  return wrapInStatement({ type: "Subshell", body, redirections: [] });
}

function first<T>(items: readonly T[]): T {
  const item = items[0];
  if (item === undefined) throw new Error("the engine's parser returned nothing");
  return item;
}

/** `set -- …`; also with no arguments, to drop those of the script before. */
export function setArguments(args: readonly string[]): StatementNode[] {
  return parse(`builtin set -- ${args.map(quote).join(" ")}`).statements;
}

/** Variables for one script. */
export function exportVariables(env: Readonly<Record<string, string>>): StatementNode[] {
  const entries = Object.entries(env);
  if (entries.length === 0) return [];
  return parse(`builtin export ${entries.map(([name, value]) => `${name}=${quote(value)}`).join(" ")}`)
    .statements;
}

/** Takes `exportVariables` back: each name as it was declared before, or unset. */
export function restoreVariables(
  names: readonly string[],
  declarations: ReadonlyMap<string, string>,
): StatementNode[] {
  const lines = names.flatMap((name) => [`builtin unset -v ${name}`, declarations.get(name) ?? []].flat());
  return parse(lines.join("\n")).statements;
}

export function changeDirectory(path: string): StatementNode[] {
  return parse(`builtin cd -- ${quote(path)} >/dev/null`).statements;
}

/** Unsets everything exported but what bash itself sets. */
export function unsetVariables(names: readonly string[]): StatementNode[] {
  return names.length === 0 ? [] : parse(`builtin unset -v ${names.join(" ")}`).statements;
}

/** Shell options do not stay from script to script: brings them back to how a fresh shell has them. */
export function resetOptions(fresh: ShellOptions, now: ShellOptions): StatementNode[] {
  const commands = [
    ...difference(now.set, fresh.set).map((name) => `builtin set +o ${name}`),
    ...difference(fresh.set, now.set).map((name) => `builtin set -o ${name}`),
    ...difference(now.shopt, fresh.shopt).map((name) => `builtin shopt -u ${name}`),
    ...difference(fresh.shopt, now.shopt).map((name) => `builtin shopt -s ${name}`),
  ];
  return commands.length === 0 ? [] : parse(commands.join("\n")).statements;
}

/** `$SHELLOPTS` and `$BASHOPTS`. */
export interface ShellOptions {
  readonly set: string;
  readonly shopt: string;
}

function difference(from: string, without: string): string[] {
  if (from === without) return [];
  const known = new Set(without.split(":"));
  return from.split(":").filter((name) => name !== "" && !known.has(name));
}
