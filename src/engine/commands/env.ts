import {
  type Command,
  type CommandContext,
  defineCommand,
  type ExecResult,
  latin1FromBytes,
} from "just-bash";
import { quote } from "../../shared/quote.ts";
import { BUILTIN_NAMES } from "../builtin-names.ts";
import { type GnuProgram, parseGnuOptions } from "./gnu-options.ts";

type Key = "ignore" | "zero" | "unset" | "chdir" | "split" | "verbose" | "ignored";

const FAILED = 125;
const NOT_FOUND = 127;

/** Builtins that lie in `/bin` too. */
const PROGRAMS_TOO = new Set("[ echo false kill printf pwd test true".split(" "));

const program: GnuProgram<Key> = {
  name: "env",
  options: {
    ignore: { short: "i", long: "ignore-environment" },
    zero: { short: "0", long: "null" },
    unset: { short: "u", long: "unset", value: "required" },
    chdir: { short: "C", long: "chdir", value: "required" },
    split: { short: "S", long: "split-string", value: "required" },
    verbose: { short: "v", long: "debug" },
    ignored: { long: "block-signal", value: "optional" },
  },
  compatibleWith: "GNU coreutils 9.1",
  stopAtOperand: true,
  usageStatus: FAILED,
  help: `Usage: env [OPTION]... [-] [NAME=VALUE]... [COMMAND [ARG]...]
Set each NAME to VALUE in the environment and run COMMAND, or print the environment.

  -i, --ignore-environment  start with an empty environment
  -0, --null                end each line with NUL, not newline
  -u, --unset=NAME          remove a variable
  -C, --chdir=DIR           run COMMAND in DIR
  -S, --split-string=S      make arguments of S, for first lines of scripts
      --help                display this help and exit
      --version             output version information and exit
`,
};

/** `env` as coreutils has it; the engine's own prints unexported variables and the interpreter's bookkeeping too. */
export const env: Command = defineCommand("env", async (args, ctx) => {
  const parsed = parseGnuOptions(program, splitStrings(args, ctx));
  if (!parsed.ok) return parsed.result;
  const { given, has, value } = parsed.args;
  const operands = [...parsed.args.operands];
  const isBare = operands[0] === "-";
  if (isBare) operands.shift();
  const variables = new Map(has("ignore") || isBare ? [] : Object.entries(ctx.exportedEnv ?? {}));
  for (const { key, value: name = "" } of given) if (key === "unset") variables.delete(name);
  for (let at = operands[0]?.indexOf("=") ?? -1; at > 0; at = operands[0]?.indexOf("=") ?? -1) {
    const operand = operands.shift() ?? "";
    variables.set(operand.slice(0, at), operand.slice(at + 1));
  }
  if (operands.length > 0 && has("zero")) return failure(FAILED, "cannot specify --null (-0) with command");
  if (operands.length > 0) return run(operands, variables, value("chdir"), ctx);
  if (has("chdir")) return failure(FAILED, "must specify command with --chdir (-C)");
  const end = has("zero") ? "\0" : "\n";
  const stdout = [...variables].map(([name, content]) => `${name}=${content}${end}`).join("");
  return { stdout, stderr: "", exitCode: 0 };
});

async function run(
  [name = "", ...args]: readonly string[],
  variables: ReadonlyMap<string, string>,
  directory: string | undefined,
  { exec, cwd, fs, stdin, getRegisteredCommands }: CommandContext,
): Promise<ExecResult> {
  if (exec === undefined) return failure(FAILED, "the shell runs no commands here");
  const path = directory === undefined ? cwd : fs.resolvePath(cwd, directory);
  if (!(await fs.stat(path).catch(() => null))?.isDirectory)
    return failure(FAILED, `cannot change directory to '${directory}': No such file or directory`);
  const notFound = failure(NOT_FOUND, `‘${name}’: No such file or directory`);
  // A builtin alone is no program; any other name may be a script on PATH.
  const isBuiltinAlone = BUILTIN_NAMES.includes(name) && !PROGRAMS_TOO.has(name);
  if (isBuiltinAlone && getRegisteredCommands?.().includes(name) !== true) return notFound;
  // Only names that a shell can have reach the command; `command` leaves the functions of the shell out.
  const names = [...variables.keys()].filter((one) => /^[A-Za-z_]\w*$/.test(one));
  const line = `${names.length === 0 ? "" : `export ${names.join(" ")}; `}command ${[name, ...args].map(quote).join(" ")}`;
  const result = await exec(line, {
    cwd: path,
    env: Object.fromEntries(names.map((one) => [one, variables.get(one) ?? ""])),
    replaceEnv: true,
    stdin: latin1FromBytes(stdin),
    stdinKind: "bytes",
  });
  const isMissing =
    result.exitCode === NOT_FOUND && result.stderr.startsWith(`bash: ${name}: command not found`);
  return isMissing && !result.stderr.slice(0, -1).includes("\n") ? notFound : result;
}

/** Puts the words of `-S "…"` in its place. */
function splitStrings(args: readonly string[], ctx: CommandContext): string[] {
  const [first = "", second = "", ...rest] = args;
  const attached = /^(?:-v?S|--split-string=)(.+)$/s.exec(first)?.[1];
  if (attached !== undefined) return [...words(attached, ctx), ...args.slice(1)];
  return first === "-S" || first === "-vS" || first === "--split-string"
    ? [...words(second, ctx), ...rest]
    : [...args];
}

const WORD = /(?:[^\s"'\\$]|\\.|"(?:[^"\\]|\\.)*"|'[^']*'|\$\{\w+\}|\$)+/gs;

function words(text: string, { exportedEnv }: CommandContext): string[] {
  const parts = text.match(WORD) ?? [];
  return parts.map((part) =>
    part.replace(
      /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|\$\{(\w+)\}/gs,
      (_, plain, quoted, escaped, variable) => {
        if (plain !== undefined) return plain;
        if (variable !== undefined) return exportedEnv?.[variable] ?? "";
        if (escaped !== undefined) return escaped === "_" ? " " : escaped;
        return String(quoted).replace(
          /\\(.)|\$\{(\w+)\}/gs,
          (__, one, name) => one ?? exportedEnv?.[name] ?? "",
        );
      },
    ),
  );
}

function failure(exitCode: number, why: string): ExecResult {
  return { stdout: "", stderr: `env: ${why}\n`, exitCode };
}
