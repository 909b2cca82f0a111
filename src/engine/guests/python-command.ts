/**
 * The command line of `python3`. CPython takes its options itself; what must be known before it starts is read
 * here: `-E` and `-I` make it forget where its library lies, so they come to it in other words, and some words
 * have an answer without an interpreter.
 */
import type { CommandContext, ExecResult } from "just-bash";

/** The engine's own way to its thread; `args` is everything after the program's name. */
type Run = (
  code: string,
  stdin: CommandContext["stdin"],
  ctx: CommandContext,
  path: string,
  args: string[],
) => Promise<ExecResult>;

const VERSION = "Python 3.13.2\n";
const NO_PIP =
  "python3: there is no pip here: packages cannot be installed, only the standard library and modules of the workspace can be imported\n";

export async function runPython(args: string[], ctx: CommandContext, run: Run): Promise<ExecResult> {
  const read = readOptions(args);
  if (read.answer === "version") return { stdout: VERSION, stderr: "", exitCode: 0 };
  if (read.answer === "pip") return { stdout: "", stderr: NO_PIP, exitCode: 1 };
  const exported = Object.entries(ctx.exportedEnv ?? {}).filter(
    ([name]) => !(read.ignoresEnvironment && name.startsWith("PYTHON")),
  );
  return run("", ctx.stdin, { ...ctx, env: new Map(exported) }, "", read.args);
}

interface ReadOptions {
  readonly args: string[];
  readonly ignoresEnvironment: boolean;
  readonly answer?: "version" | "pip";
}

function readOptions(args: readonly string[]): ReadOptions {
  const kept: string[] = [];
  let ignoresEnvironment = false;
  let at = 0;
  for (; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--version" || arg === "-V") return { args: [], ignoresEnvironment, answer: "version" };
    if (!arg.startsWith("-") || arg === "-" || arg === "--") break;
    if (arg.startsWith("--")) {
      kept.push(arg);
      if (arg === "--check-hash-based-pycs") kept.push(...args.slice(++at, at + 1));
      continue;
    }
    let letters = "";
    let index = 1;
    for (; index < arg.length; index++) {
      const letter = arg[index] ?? "";
      if ("cmWX".includes(letter)) break;
      if (letter === "E" || letter === "I") ignoresEnvironment = true;
      letters += letter === "E" ? "" : letter === "I" ? "sP" : letter;
    }
    if (index === arg.length) {
      if (letters !== "") kept.push(`-${letters}`);
      continue;
    }
    const letter = arg[index] ?? "";
    const isAttached = index + 1 < arg.length;
    kept.push(`-${letters}${arg.slice(index)}`);
    if (!isAttached && at + 1 < args.length) kept.push(args[++at] ?? "");
    if (letter === "c" || letter === "m") {
      const module = isAttached ? arg.slice(index + 1) : kept.at(-1);
      if (letter === "m" && (module === "pip" || module === "ensurepip"))
        return { args: [], ignoresEnvironment, answer: "pip" };
      at++;
      break;
    }
  }
  return { args: [...kept, ...args.slice(at)], ignoresEnvironment };
}
