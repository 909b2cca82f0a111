/** Programs that run another one in a way that makes no difference here: one process, one user, no terminal. */
import {
  type Command,
  type CommandContext,
  defineCommand,
  type ExecResult,
  latin1FromBytes,
} from "just-bash";
import { quote } from "../../../shared/quote.ts";
import { type GnuOption, type GnuProgram, parseGnuOptions, usageError } from "../gnu-options.ts";
import { answer } from "./answer.ts";

const FAILED = 125;

export const nohup = prefix(
  "nohup",
  "COMMAND [ARG]...",
  "Run COMMAND; there is no terminal that could hang up.",
  {},
);
export const nice = prefix(
  "nice",
  "[-n N] COMMAND [ARG]...",
  "Run COMMAND; all commands have the same priority here.",
  {
    adjustment: { short: "n", long: "adjustment", value: "required" },
  },
);
export const ionice = prefix(
  "ionice",
  "[-c CLASS] [-n LEVEL] [-t] COMMAND [ARG]...",
  "Run COMMAND; all commands have the same priority here.",
  {
    class: { short: "c", long: "class", value: "required" },
    level: { short: "n", long: "classdata", value: "required" },
    ignore: { short: "t", long: "ignore" },
  },
);
export const stdbuf = prefix(
  "stdbuf",
  "OPTION... COMMAND [ARG]...",
  "Run COMMAND; output is passed on when a command ends.",
  {
    input: { short: "i", long: "input", value: "required" },
    output: { short: "o", long: "output", value: "required" },
    error: { short: "e", long: "error", value: "required" },
  },
);
export const setsid = prefix(
  "setsid",
  "[-cfw] COMMAND [ARG]...",
  "Run COMMAND; there are no sessions here.",
  {
    ctty: { short: "c", long: "ctty" },
    fork: { short: "f", long: "fork" },
    wait: { short: "w", long: "wait" },
  },
);

function prefix(
  name: string,
  usage: string,
  what: string,
  options: Readonly<Record<string, GnuOption>>,
): Command {
  const program: GnuProgram<string> = {
    name,
    options,
    compatibleWith: name === "ionice" || name === "setsid" ? "util-linux 2.38.1" : "GNU coreutils 9.1",
    stopAtOperand: true,
    usageStatus: name === "ionice" || name === "setsid" ? 1 : FAILED,
    help: `Usage: ${name} ${usage}\n${what}\n\n      --help     display this help and exit\n      --version  output version information and exit\n`,
  };
  return defineCommand(name, async (args, ctx) => {
    // `nice -5 command` is an old way to say `-n 5`.
    const plain = name === "nice" && /^-\d+$/.test(args[0] ?? "") ? args.slice(1) : args;
    const parsed = parseGnuOptions(program, plain);
    if (!parsed.ok) return parsed.result;
    const { operands } = parsed.args;
    if (operands.length > 0) return run(operands, ctx);
    return name === "nice"
      ? answer("0\n")
      : usageError(program, name === "setsid" ? "no command specified" : "missing operand");
  });
}

async function run(
  [name = "", ...args]: readonly string[],
  { exec, cwd, stdin }: CommandContext,
): Promise<ExecResult> {
  if (exec === undefined) return answer("", "the shell runs no commands here\n", FAILED);
  return exec(quote(name), { cwd, stdin: latin1FromBytes(stdin), stdinKind: "bytes", args });
}
