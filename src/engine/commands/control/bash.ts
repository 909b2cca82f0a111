/** `bash` and `sh` as programs: options, scripts from a string, a file or stdin. */
import {
  type Command,
  type CommandContext,
  decodeBytesToUtf8,
  defineCommand,
  type ExecResult,
} from "just-bash";
import { quote } from "../../../shared/quote.ts";
import type { NestedOptions } from "../../control/interpreter.ts";
import { positional } from "../../control/nested-shell.ts";
import { type Readable, readablePart } from "../../control/readable-prefix.ts";

const VERSION = `GNU bash, version 5.2.15(1)-release (x86_64-pc-linux-gnu)
Copyright (C) 2022 Free Software Foundation, Inc.
License GPLv3+: GNU GPL version 3 or later <http://gnu.org/licenses/gpl.html>

This is free software; you are free to change and redistribute it.
There is NO WARRANTY, to the extent permitted by law.
`;

const HELP = `GNU bash, version 5.2.15(1)-release-(x86_64-pc-linux-gnu)
Usage:	bash [GNU long option] [option] ...
	bash [GNU long option] [option] script-file ...
GNU long options:
	--debug
	--debugger
	--dump-po-strings
	--dump-strings
	--help
	--init-file
	--login
	--noediting
	--noprofile
	--norc
	--posix
	--pretty-print
	--rcfile
	--restricted
	--verbose
	--version
Shell options:
	-ilrsD or -c command or -O shopt_option		(invocation only)
	-abefhkmnptuvxBCEHPT or -o option
Type \`bash -c "help set"' for more information about shell options.
Type \`bash -c help' for more information about shell builtin commands.
Use the \`bashbug' command to report bugs.
`;

const LETTERS: Readonly<Record<string, string | null>> = {
  a: "allexport",
  e: "errexit",
  f: "noglob",
  n: "noexec",
  u: "nounset",
  v: "verbose",
  x: "xtrace",
  C: "noclobber",
  E: "errtrace",
  T: "functrace",
  ...Object.fromEntries([..."bhikmlprtBDHP"].map((letter) => [letter, null])),
};

const LONG_WITHOUT_MEANING =
  /^--(debug|debugger|login|noediting|noprofile|norc|posix|restricted|pretty-print|dump-strings|dump-po-strings)$/;

/** Names that `-o` takes and that change something here. */
const OPTIONS = new Set([...Object.values(LETTERS).filter((name) => name !== null), "pipefail", "posix"]);
const OTHER_OPTIONS =
  "braceexpand emacs hashall histexpand history ignoreeof interactive-comments keyword monitor nolog notify onecmd physical privileged vi".split(
    " ",
  );

interface Invocation {
  readonly options: Record<string, boolean>;
  readonly shopt: Record<string, boolean>;
  readonly isString: boolean;
  readonly isStdin: boolean;
  readonly operands: readonly string[];
}

export const bash: Command = shell("bash");
export const sh: Command = shell("sh");

function shell(name: string): Command {
  return defineCommand(name, async (args, ctx) => {
    const invocation = readArguments(name, args);
    if ("exitCode" in invocation) return invocation;
    const [first, ...rest] = invocation.operands;
    if (invocation.isString) {
      if (first === undefined) return failed(`${name}: -c: option requires an argument\n`, 2);
      const [zero = name, ...parameters] = rest;
      return run(ctx, invocation, { text: first, zero, parameters, shown: `${zero}: -c`, source: null });
    }
    if (first === undefined || invocation.isStdin) {
      const text = decodeBytesToUtf8(ctx.stdin);
      const parameters = invocation.operands;
      // The rest of its stdin is what the script reads: nothing, since all of it is the script.
      return run(ctx, invocation, { text, zero: name, parameters, shown: name, source: null, stdin: "" });
    }
    const found = await readScript(name, first, ctx);
    if (typeof found !== "string") return found;
    return run(ctx, invocation, { text: found, zero: first, parameters: rest, shown: first, source: first });
  });
}

function failed(stderr: string, exitCode: number): ExecResult {
  return { stdout: "", stderr, exitCode };
}

function readArguments(name: string, args: readonly string[]): Invocation | ExecResult {
  const options: Record<string, boolean> = {};
  const shopt: Record<string, boolean> = {};
  let isString = false;
  let isStdin = false;
  let at = 0;
  for (; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--" || arg === "-") {
      at++;
      break;
    }
    if (arg === "--version") return { stdout: VERSION, stderr: "", exitCode: 0 };
    if (arg === "--help") return { stdout: HELP, stderr: "", exitCode: 0 };
    if (arg === "--verbose") options.verbose = true;
    else if (arg === "--rcfile" || arg === "--init-file") at++;
    else if (LONG_WITHOUT_MEANING.test(arg)) continue;
    else if (arg.startsWith("--")) return failed(`${name}: ${arg}: invalid option\n${HELP}`, 2);
    else if (/^[-+]./.test(arg)) {
      const on = arg.startsWith("-");
      for (const letter of arg.slice(1)) {
        if (letter === "c") isString = true;
        else if (letter === "s") isStdin = true;
        else if (letter === "o" || letter === "O") {
          const value = args[++at];
          if (value === undefined) return failed(`${name}: -${letter}: option requires an argument\n`, 2);
          if (letter === "O") shopt[value] = on;
          else if (OPTIONS.has(value)) options[value] = on;
          else if (!OTHER_OPTIONS.includes(value))
            return failed(`${name}: line 0: ${name}: ${value}: invalid option name\n`, 2);
        } else {
          const option = LETTERS[letter];
          if (option === undefined) return failed(`${name}: -${letter}: invalid option\n${HELP}`, 2);
          if (option !== null) options[option] = on;
        }
      }
    } else break;
  }
  return { options, shopt, isString, isStdin, operands: args.slice(at) };
}

async function readScript(name: string, path: string, ctx: CommandContext): Promise<string | ExecResult> {
  const candidates = [ctx.fs.resolvePath(ctx.cwd, path)];
  if (!path.includes("/"))
    for (const folder of (ctx.env.get("PATH") ?? "").split(":"))
      if (folder !== "") candidates.push(`${folder}/${path}`);
  for (const candidate of candidates) {
    try {
      if ((await ctx.fs.stat(candidate)).isDirectory)
        return failed(`${name}: ${path}: Is a directory\n`, 126);
      const text = await ctx.fs.readFile(candidate);
      if (text.slice(0, 256).split("\n", 1)[0]?.includes("\0"))
        return failed(`${name}: ${path}: cannot execute binary file\n`, 126);
      return text;
    } catch {
      // Not there: the next place is asked.
    }
  }
  return failed(`${name}: ${path}: No such file or directory\n`, 127);
}

interface Script {
  readonly text: string;
  readonly zero: string;
  readonly parameters: readonly string[];
  /** What stands before the line in a syntax error. */
  readonly shown: string;
  readonly source: string | null;
  readonly stdin?: string;
}

async function run(ctx: CommandContext, invocation: Invocation, script: Script): Promise<ExecResult> {
  const { exec, execWithInheritedStdin } = ctx;
  if (exec === undefined) return failed("bash: the shell runs no commands here\n", 126);
  const readable = readablePart(script.text);
  if (invocation.options.noexec)
    return readable.error === null ? failed("", 0) : failed(told(script, readable), 2);
  const { options, shopt } = invocation;
  const nested: NestedOptions = {
    env: positional(script.zero, script.parameters),
    cwd: ctx.cwd,
    ...(ctx.signal === undefined ? {} : { signal: ctx.signal }),
    shell: {
      options,
      shoptOptions: shopt,
      ...(script.source === null ? {} : { currentSource: script.source }),
    },
  };
  const text = readable.error === null ? script.text : `${readable.text}\n${refusal(script, readable)}`;
  if (script.stdin !== undefined || execWithInheritedStdin === undefined)
    return exec(text, { ...nested, stdin: script.stdin ?? "", stdinKind: "bytes" } as Parameters<
      typeof exec
    >[1]);
  return execWithInheritedStdin(text, nested as Parameters<typeof execWithInheritedStdin>[1]);
}

/** Ends the script where its syntax error stands. */
function refusal(script: Script, readable: Readable): string {
  return `builtin printf %s ${quote(told(script, readable))} >&2; builtin exit 2`;
}

function told({ shown }: Script, { error }: Readable): string {
  return error === null ? "" : `${shown}: line ${error.line}: ${error.why}\n`;
}
