/**
 * What a nested shell starts with: `bash -c`, a script called by its path, what `xargs` or `find -exec` run. The engine
 * gives it the variables that the outermost shell started with; here it gets what a child process would.
 */
import {
  failure,
  type Interpreter,
  type InterpreterState,
  type NestedOptions,
  NOTHING,
  type Output,
} from "./interpreter.ts";

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Variables that bash sets itself when the environment has them not. */
const OWN: Readonly<Record<string, string>> = {
  IFS: " \t\n",
  OSTYPE: "linux-gnu",
  MACHTYPE: "x86_64-pc-linux-gnu",
  HOSTTYPE: "x86_64",
  HOSTNAME: "localhost",
  OPTIND: "1",
  PATH: "/usr/bin:/bin",
  SHELLOPTS: "braceexpand:hashall:interactive-comments",
  BASHOPTS: "globskipdots",
};

/** Fills in what the caller has left open. */
export function nestedOptions(
  { state }: Interpreter,
  exported: Readonly<Record<string, string>>,
  options: NestedOptions = {},
): NestedOptions {
  const environment = options.replaceEnv ? { ...options.env } : { ...exported, ...options.env };
  const names = Object.keys(environment).filter((name) => NAME.test(name));
  const cwd = options.cwd ?? state.cwd;
  const pid = state.nextVirtualPid++;
  const functions = [...(state.exportedFunctions ?? [])].flatMap((name) => {
    const definition = state.functions.get(name);
    return definition === undefined ? [] : [[name, definition] as const];
  });
  const inherited: Partial<InterpreterState> = {
    exportedVars: new Set(names),
    functions: options.replaceEnv ? new Map() : new Map(functions),
    readonlyVars: new Set(["SHELLOPTS", "BASHOPTS"]),
    virtualPid: pid,
    virtualPpid: state.bashPid,
    bashPid: pid,
    nextVirtualPid: pid + 1,
    traps: undefined,
    control: undefined,
    currentLine: 1,
    ...(state.exportedFunctions === undefined ? {} : { exportedFunctions: new Set(state.exportedFunctions) }),
    ...(state.umask === undefined ? {} : { umask: state.umask }),
    ...descriptors(state),
  } as Partial<InterpreterState>;
  return {
    rawScript: true,
    ...options,
    cwd,
    replaceEnv: true,
    env: { ...OWN, ...environment, PWD: cwd },
    shell: { ...inherited, ...options.shell, ...flags(state, options.shell) },
  };
}

/** Options as a new shell has them, but for those that it was called with. */
function flags(state: InterpreterState, given: Partial<InterpreterState> = {}): Partial<InterpreterState> {
  const off = Object.fromEntries(Object.keys(state.options).map((name) => [name, false]));
  const shopt = Object.keys(state.shoptOptions).map((name) => [name, name === "globskipdots"] as const);
  return {
    options: { ...off, ...given.options },
    shoptOptions: { ...Object.fromEntries(shopt), ...given.shoptOptions },
  };
}

/** Files that stay open for a child; where 0, 1 and 2 go is the caller's. */
function descriptors({ fileDescriptors, inputFds }: InterpreterState): Partial<InterpreterState> {
  if (fileDescriptors === undefined || fileDescriptors.size === 0) return {};
  const open = [...fileDescriptors].filter(([fd]) => fd > 2);
  return { fileDescriptors: new Map(open), inputFds: new Set([...(inputFds ?? [])].filter((fd) => fd > 2)) };
}

/** The positional parameters as the engine keeps them. */
export function positional(name: string, args: readonly string[]): Record<string, string> {
  return {
    "0": name,
    "#": String(args.length),
    "@": args.join(" "),
    "*": args.join(" "),
    ...Object.fromEntries(args.map((arg, at) => [String(at + 1), arg])),
  };
}

/** Runs a script file that was called by its path, as a process of its own. */
export function runScriptFile(
  interpreter: Interpreter,
  exported: Readonly<Record<string, string>>,
  text: string,
  path: string,
  args: readonly string[],
  stdin: string,
): Promise<Output> {
  const { state } = interpreter;
  const options = nestedOptions(interpreter, exported, {
    env: positional(path, args),
    stdin: stdin === "" ? (state.groupStdin ?? "") : stdin,
    stdinKind: "bytes",
    shell: { currentSource: path },
    ...(state.signal === undefined ? {} : { signal: state.signal }),
  });
  return interpreter.execFn(text, options, true);
}

/** `export -f`; `null`: it is not that. */
export function exportFunctions(state: InterpreterState, args: readonly string[]): Output | null {
  const letters = args.filter((arg) => /^-[fnp]+$/.test(arg)).join("");
  if (!letters.includes("f")) return null;
  for (const name of args.filter((arg) => !arg.startsWith("-"))) {
    if (!state.functions.has(name)) return failure(state, 1, `export: ${name}: not a function`);
    state.exportedFunctions ??= new Set();
    if (letters.includes("n")) state.exportedFunctions.delete(name);
    else state.exportedFunctions.add(name);
  }
  return NOTHING;
}
