/** The command line → what to do, as plain data. Pure: reads no file, starts nothing. */
import { parseArgs } from "node:util";
import { checkOptions } from "./check-options.ts";
import {
  type DataDirInvocation,
  DOCTOR_OPTIONS,
  type DoctorInvocation,
  parseDoctor,
} from "./parse-doctor.ts";
import { parseServeLog, SERVE_LOG_OPTIONS, type ServeLogInvocation } from "./parse-serve-log.ts";
import { parseShell, SHELL_OPTIONS, type ShellInvocation } from "./parse-shell.ts";
import { parseVerify, VERIFY_OPTIONS, type VerifyInvocation } from "./parse-verify.ts";
import { SANDBOX_OPTIONS, type SandboxArguments, toSandboxArguments } from "./sandbox-options.ts";
import { didYouMean, UsageError } from "./usage-error.ts";

/** Where the script comes from. */
export type ScriptSource =
  | { from: "text"; text: string }
  | { from: "file"; path: string }
  | { from: "stdin" };

/** `little-harness exec`, checked. */
export interface ExecInvocation extends SandboxArguments {
  readonly command: "exec";
  readonly script: ScriptSource;
  /** Positional parameters of the script. */
  readonly args: readonly string[];
  readonly json: boolean;
  /** Whether the standard input of the command line reaches the script. */
  readonly passStdin: boolean;
}

/** What `help` may be asked about. */
export type HelpTopic = "all" | "exec" | "shell" | "doctor" | "verify" | "serve-log";

/** What a command line asks for. */
export type Invocation =
  | { readonly command: "help"; readonly topic: HelpTopic }
  | { readonly command: "version" }
  | DoctorInvocation
  | DataDirInvocation
  | ExecInvocation
  | ShellInvocation
  | VerifyInvocation
  | ServeLogInvocation;

const EXEC_OPTIONS = {
  ...SANDBOX_OPTIONS,
  json: { type: "boolean" },
  "no-stdin": { type: "boolean" },
} as const;

const TABLES = {
  exec: EXEC_OPTIONS,
  shell: SHELL_OPTIONS,
  doctor: DOCTOR_OPTIONS,
  verify: VERIFY_OPTIONS,
  "serve-log": SERVE_LOG_OPTIONS,
} as const;
const COMMANDS = [...Object.keys(TABLES), "help"];

/** Reads the arguments after the program's name. Throws `UsageError`. */
export function parseCommandLine(argv: readonly string[]): Invocation {
  const [first, ...rest] = argv;
  if (first === undefined) throw new UsageError("no command given");
  if (first === "--help" || first === "-h") return { command: "help", topic: "all" };
  if (first === "--version" || first === "-V") return { command: "version" };
  if (first === "help") return { command: "help", topic: toTopic(rest[0]) };
  if (first === "exec") return parseExec(rest);
  if (first === "shell") return parseShell(rest);
  if (first === "doctor") return parseDoctor(rest);
  if (first === "verify") return parseVerify(rest);
  if (first === "serve-log") return parseServeLog(rest);
  if (first.startsWith("-")) {
    const name = first.replace(/^-+/, "").replace(/=.*/s, "");
    const owner = Object.entries(TABLES).find(([, table]) => name in table)?.[0];
    if (owner !== undefined)
      throw new UsageError(
        `"${first}" belongs to a command; did you mean "little-harness ${owner} ${first} …"?`,
      );
    throw new UsageError(`unknown option "${first}"${didYouMean(name, ["help", "version"], "--")}`);
  }
  const hint = didYouMean(first, COMMANDS) || `; to run a script: little-harness exec -- '${first} …'`;
  throw new UsageError(`unknown command "${first}"${hint}`);
}

function toTopic(text: string | undefined): HelpTopic {
  return text !== undefined && Object.hasOwn(TABLES, text) ? (text as keyof typeof TABLES) : "all";
}

function parseExec(argv: readonly string[]): Invocation {
  const { optionArgs, operands, literal } = splitAtScript(argv);
  const parsed = parseArgs({ args: optionArgs, options: EXEC_OPTIONS, strict: false, tokens: true });
  checkOptions(EXEC_OPTIONS, parsed);
  if (parsed.values.help === true) return { command: "help", topic: "exec" };
  return {
    command: "exec",
    ...toScript(operands, literal),
    ...toSandboxArguments(parsed),
    json: parsed.values.json === true,
    passStdin: parsed.values["no-stdin"] !== true,
  };
}

/** Everything from the first operand on belongs to the script, also what looks like an option of ours. */
function splitAtScript(argv: readonly string[]): {
  optionArgs: string[];
  operands: string[];
  literal: boolean;
} {
  const { tokens } = parseArgs({
    args: [...argv],
    options: EXEC_OPTIONS,
    strict: false,
    tokens: true,
    allowPositionals: true,
  });
  const cut = tokens.find((token) => token.kind !== "option");
  if (cut === undefined) return { optionArgs: [...argv], operands: [], literal: false };
  const literal = cut.kind === "option-terminator";
  return {
    optionArgs: argv.slice(0, cut.index),
    operands: argv.slice(literal ? cut.index + 1 : cut.index),
    literal,
  };
}

function toScript(
  operands: readonly string[],
  literal: boolean,
): { script: ScriptSource; args: readonly string[] } {
  const [first, ...args] = operands;
  if (literal) {
    if (first === undefined) throw new UsageError(`no script after "--"`);
    return { script: { from: "text", text: first }, args };
  }
  if (first === undefined || first === "-") return { script: { from: "stdin" }, args };
  return { script: { from: "file", path: first }, args };
}
