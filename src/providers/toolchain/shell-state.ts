/**
 * What one command leaves for the next, as its bash told it: variables as declarations of bash, the directory, and
 * the functions. The host takes it apart by its NULs and looks at names, at nothing else: it is only ever read by
 * another bash in the same jail, so a guest that lies about it lies to itself.
 */
import type { ExecuteInput } from "../../shared/executor.ts";
import { quote } from "../../shared/quote.ts";
import { CONTROL, exitTrap, mayTrapExit, OWN_EXIT_TRAP } from "./shell-texts.ts";

/** More than this in one word, and the kernel starts no program whose environment has it. */
const MAX_VARIABLE_BYTES = 128 * 1024;
/** Variables go to each program together, and the kernel has a limit for all of them too. */
const MAX_STATE_BYTES = 1024 * 1024;

const ALIASES = "BASH_ALIASES";
const LINE = Buffer.from("\n");

export interface ShellState {
  /** By name: `declare -x NAME="value"`. */
  readonly variables: ReadonlyMap<string, Buffer>;
  readonly cwd: Buffer;
  readonly functions: Buffer;
}

/** What a command's bash and the one around it said at the end. */
export interface Report {
  readonly exitCode: number;
  /** `null` when the state was not told: by `exec`, a kill, or an error before the first command. */
  readonly state: ShellState | null;
}

/** Bash's own: it sets them itself, or they belong to one command. */
const OWN =
  /^(?:BASH|BASHOPTS|BASHPID|BASH_(?!ALIASES$).*|COMP_.*|DIRSTACK|EPOCHREALTIME|EPOCHSECONDS|EUID|FUNCNAME|GROUPS|HISTCMD|HOSTTYPE|LINENO|MACHTYPE|OPTERR|OPTIND|OSTYPE|PIPESTATUS|POSIXLY_CORRECT|PPID|PWD|RANDOM|SECONDS|SHELLOPTS|SHLVL|SRANDOM|UID|_|__harness_.*)$/;

/** The shell before its first command. */
export function freshState(cwd: string, variables: Readonly<Record<string, string>>): ShellState {
  const declared = Object.entries(variables).map(
    ([name, value]) => [name, Buffer.from(`declare -x ${name}=${quote(value)}`)] as const,
  );
  return { variables: new Map(declared), cwd: Buffer.from(cwd), functions: Buffer.alloc(0) };
}

/** `null` when nobody said how the command ended: what was around it is gone. */
export function readReport(bytes: Buffer): Report | null {
  const variables = new Map<string, Buffer>();
  let cwd: Buffer | null = null;
  let functions: Buffer | null = null;
  let isWhole = false;
  let exitCode: number | null = null;
  for (let start = 0; ; ) {
    const end = bytes.indexOf(0, start);
    if (end === -1) break;
    const text = bytes.subarray(start + 1, end);
    switch (String.fromCharCode(bytes[start] ?? 0)) {
      case "v": {
        const name = /^declare -\S+ ([A-Za-z_][A-Za-z0-9_]*)(?:=|\n|$)/.exec(
          text.toString("latin1", 0, 4096),
        )?.[1];
        if (name !== undefined && !OWN.test(name)) variables.set(name, text);
        break;
      }
      case "d":
        cwd = text.at(-1) === 0x0a ? text.subarray(0, -1) : text;
        break;
      case "f":
        functions = text;
        break;
      case "z":
        isWhole = true;
        break;
      case "e": {
        const code = text.toString("latin1", 0, 4);
        exitCode = /^\d{1,3}$/.test(code) && Number(code) < 256 ? Number(code) : null;
        break;
      }
    }
    start = end + 1;
  }
  if (exitCode === null) return null;
  if (!isWhole || cwd === null || functions === null) return { exitCode, state: null };
  return { exitCode, state: { variables, cwd, functions } };
}

/** The state after a command, without what was for this command only. */
export function stateAfter(before: ShellState, told: ShellState, input: ExecuteInput): ShellState {
  if (input.replaceEnv === true) return before;
  const variables = new Map(told.variables);
  for (const name of Object.keys(input.env ?? {})) {
    const old = before.variables.get(name);
    if (old === undefined) variables.delete(name);
    else variables.set(name, old);
  }
  return { variables, cwd: input.cwd === undefined ? told.cwd : before.cwd, functions: told.functions };
}

/** What makes a state too large for the next command, in words; `null` when it is not. */
export function tellTooLarge({ variables, cwd, functions }: ShellState): string | null {
  const sizes = [...variables].map(([name, { length }]) => ({ name, length }));
  const [largest] = sizes.sort((a, b) => b.length - a.length);
  const total = sizes.reduce((sum, { length }) => sum + length, cwd.length + functions.length);
  if (total <= MAX_STATE_BYTES && (largest?.length ?? 0) <= MAX_VARIABLE_BYTES) return null;
  const most =
    largest === undefined || functions.length > largest.length
      ? `its functions have ${functions.length} bytes`
      : `the variable ${largest.name.slice(0, 100)} has ${largest.length} bytes`;
  return `what the shell leaves is too large to be kept (${most}); the next command starts from what was before`;
}

/** The text that makes a fresh bash the shell that the last command left; `folder` is the command's own in the jail. */
export function startText(state: ShellState, input: ExecuteInput, folder: string): Buffer {
  const env = input.env ?? {};
  const kept = input.replaceEnv === true ? [] : [...state.variables].filter(([name]) => !(name in env));
  const own = Object.entries(env).map(([name, value]) => `export ${name}=${quote(value)}\n`);
  // A bash without PATH gives itself one.
  const hasPath = input.replaceEnv === true || state.variables.has("PATH") || "PATH" in env;
  return Buffer.concat([
    enterDirectory(input.cwd === undefined ? state.cwd : Buffer.from(input.cwd), input.cwd !== undefined),
    Buffer.from(exitTrap(folder)),
    Buffer.from(mayTrapExit(`${input.command}\n${state.functions}`) ? OWN_EXIT_TRAP : ""),
    Buffer.from(`set -- ${(input.args ?? []).map(quote).join(" ")}\n${hasPath ? "" : "unset PATH\n"}`),
    Buffer.from(own.join("")),
    ...kept.flatMap(([name, declaration]) => (name === ALIASES ? [] : [declaration, LINE])),
    state.functions,
    // Last: no word of ours, and none of a function, must be read as an alias.
    ...kept.flatMap(([name, declaration]) => (name === ALIASES ? [LINE, declaration] : [])),
  ]);
}

/**
 * A directory that was asked for and is not there ends the command: a script that removes files must not start in
 * another one. One that went away under the shell is left for an empty one in which nothing can be made.
 */
function enterDirectory(path: Buffer, isAskedFor: boolean): Buffer {
  const quoted = quote(path.toString("latin1"));
  const say = `printf 'bash: cd: %s: No such file or directory\\n' ${quoted} >&2`;
  const otherwise = isAskedFor ? `{ ${say}; exit 126; }` : `{ ${say}; cd ${CONTROL}/void; }`;
  return Buffer.from(`cd -- ${quoted} 2>/dev/null || ${otherwise}\nunset OLDPWD\n`, "latin1");
}
