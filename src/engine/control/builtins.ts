/** Builtins of bash that the engine lacks, and those that it has in name only. */

import { BUILTIN_NAMES } from "../builtin-names.ts";
import { failure, type Interpreter, type InterpreterState, NOTHING, type Output } from "./interpreter.ts";
import { disownBuiltin, jobsBuiltin, killBuiltin, waitBuiltin } from "./job-builtins.ts";
import { trapBuiltin } from "./traps.ts";
import { ulimitBuiltin } from "./ulimit.ts";
import { umaskBuiltin } from "./umask.ts";

type Builtin = (interpreter: Interpreter, args: readonly string[]) => Output | Promise<Output>;

const BUILTINS: ReadonlyMap<string, Builtin> = new Map<string, Builtin>([
  ["trap", ({ state }, args) => trapBuiltin(state, args)],
  ["wait", waitBuiltin],
  ["jobs", ({ state }, args) => jobsBuiltin(state, args)],
  ["kill", killBuiltin],
  ["disown", ({ state }, args) => disownBuiltin(state, args)],
  ["fg", ({ state }) => failure(state, 1, "fg: no job control")],
  ["bg", ({ state }) => failure(state, 1, "bg: no job control")],
  ["suspend", ({ state }) => failure(state, 1, "suspend: cannot suspend: no job control")],
  ["logout", ({ state }) => failure(state, 1, "logout: not login shell: use `exit'")],
  ["fc", ({ state }) => failure(state, 1, "fc: no command found")],
  ["bind", ({ state }) => ({ ...failure(state, 0, "bind: warning: line editing not enabled") })],
  ["coproc", ({ state }) => failure(state, 1, "coproc: a pipe in both directions is not available here")],
  ["umask", ({ state }, args) => umaskBuiltin(state, args)],
  ["ulimit", ({ state }, args) => ulimitBuiltin(state, args)],
  ["times", () => ({ ...NOTHING, stdout: "0m0.000s 0m0.000s\n0m0.000s 0m0.000s\n" })],
  ["enable", ({ state }, args) => enableBuiltin(state, args)],
  ["caller", ({ state }, args) => callerBuiltin(state, args)],
]);

/** The output of a builtin; `null`: it is none of ours. */
export function controlBuiltin(
  interpreter: Interpreter,
  name: string,
  args: readonly string[],
): Output | Promise<Output> | null {
  const builtin = BUILTINS.get(name);
  return builtin === undefined ? null : builtin(interpreter, args);
}

function enableBuiltin(state: InterpreterState, args: readonly string[]): Output {
  const names = args.filter((arg) => !arg.startsWith("-"));
  const unknown = names.find((name) => !BUILTIN_NAMES.includes(name));
  if (unknown !== undefined) return failure(state, 1, `enable: ${unknown}: not a shell builtin`);
  const off = args.some((arg) => /^-[a-z]*n/.test(arg));
  if (names.length > 0) {
    return off ? failure(state, 1, `enable: ${names[0]}: builtins cannot be switched off here`) : NOTHING;
  }
  return { ...NOTHING, stdout: off ? "" : BUILTIN_NAMES.map((name) => `enable ${name}\n`).join("") };
}

/** Where the function that runs was called. */
function callerBuiltin(state: InterpreterState, args: readonly string[]): Output {
  const [spec] = args;
  const lines = state.callLineStack ?? [];
  const depth = spec === undefined ? 0 : Number(spec);
  if (spec !== undefined && !/^\d+$/.test(spec)) return failure(state, 2, `caller: ${spec}: invalid number`);
  const line = lines[depth];
  if (line === undefined) return { ...NOTHING, exitCode: 1 };
  const file = state.sourceStack?.[depth + 1] ?? (state.currentSource || undefined);
  if (spec === undefined) return { ...NOTHING, stdout: `${line} ${file ?? "NULL"}\n` };
  const name = state.funcNameStack?.[depth + 1];
  // A script given as a string has no outermost frame.
  if (name === undefined && file === undefined) return { ...NOTHING, exitCode: 1 };
  return { ...NOTHING, stdout: `${line} ${name ?? "main"} ${file ?? "environment"}\n` };
}
