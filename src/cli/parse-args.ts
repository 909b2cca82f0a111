/** The command line → what to do, as plain data. Pure: reads no file, starts nothing. */
import { parseArgs } from "node:util";
import { checkOption } from "./check-option.ts";
import { type MountArgument, toBytes, toChoice, toDurationMs, toMount, toVariable } from "./option-values.ts";
import { DOCTOR_OPTIONS, type DoctorInvocation, parseDoctor } from "./parse-doctor.ts";
import { didYouMean, UsageError } from "./usage-error.ts";

/** Where the script comes from. */
export type ScriptSource =
  | { from: "text"; text: string }
  | { from: "file"; path: string }
  | { from: "stdin" };

/** `little-harness exec`, checked. */
export interface ExecInvocation {
  readonly command: "exec";
  readonly script: ScriptSource;
  /** Positional parameters of the script. */
  readonly args: readonly string[];
  readonly mounts: readonly MountArgument[];
  readonly sandbox: "auto" | "subprocess" | "just-bash";
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  readonly maxOutputBytes?: number;
  readonly json: boolean;
  readonly events: boolean;
  /** Whether the standard input of the command line reaches the script. */
  readonly passStdin: boolean;
  readonly python: boolean;
  readonly javascript: boolean;
}

/** What a command line asks for. */
export type Invocation =
  | { readonly command: "help"; readonly topic: "all" | "exec" | "doctor" }
  | { readonly command: "version" }
  | DoctorInvocation
  | ExecInvocation;

const EXEC_OPTIONS = {
  mount: { type: "string", multiple: true, short: "m" },
  sandbox: { type: "string" },
  cwd: { type: "string" },
  env: { type: "string", multiple: true, short: "e" },
  timeout: { type: "string" },
  "max-output": { type: "string" },
  json: { type: "boolean" },
  events: { type: "boolean" },
  "no-stdin": { type: "boolean" },
  "no-python": { type: "boolean" },
  "no-javascript": { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

const COMMANDS = ["exec", "doctor", "help"];

/** Reads the arguments after the program's name. Throws `UsageError`. */
export function parseCommandLine(argv: readonly string[]): Invocation {
  const [first, ...rest] = argv;
  if (first === undefined) throw new UsageError("no command given");
  if (first === "--help" || first === "-h") return { command: "help", topic: "all" };
  if (first === "--version" || first === "-V") return { command: "version" };
  if (first === "help") return { command: "help", topic: toTopic(rest[0]) };
  if (first === "exec") return parseExec(rest);
  if (first === "doctor") return parseDoctor(rest);
  if (first.startsWith("-")) {
    const name = first.replace(/^-+/, "").replace(/=.*/s, "");
    const owner = name in EXEC_OPTIONS ? "exec" : name in DOCTOR_OPTIONS ? "doctor" : undefined;
    if (owner !== undefined)
      throw new UsageError(
        `"${first}" belongs to a command; did you mean "little-harness ${owner} ${first} …"?`,
      );
    throw new UsageError(`unknown option "${first}"${didYouMean(name, ["help", "version"], "--")}`);
  }
  const hint = didYouMean(first, COMMANDS) || `; to run a script: little-harness exec -- '${first} …'`;
  throw new UsageError(`unknown command "${first}"${hint}`);
}

function toTopic(text: string | undefined): "all" | "exec" | "doctor" {
  return text === "exec" || text === "doctor" ? text : "all";
}

function parseExec(argv: readonly string[]): Invocation {
  const { optionArgs, operands, literal } = splitAtScript(argv);
  const { values, tokens } = parseArgs({
    args: optionArgs,
    options: EXEC_OPTIONS,
    strict: false,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    checkOption(EXEC_OPTIONS, token);
  }
  if (values.help === true) return { command: "help", topic: "exec" };

  const text = (name: "sandbox" | "cwd" | "timeout" | "max-output"): string | undefined => {
    const value = values[name];
    return typeof value === "string" ? value : undefined;
  };
  const texts = (name: "mount" | "env"): string[] => (values[name] ?? []).map(String);

  const mounts = texts("mount").map(toMount);
  for (const [index, mount] of mounts.entries())
    if (mounts.findIndex((other) => other.path === mount.path) !== index)
      throw new UsageError(`--mount ${mount.path} is given twice`);
  const timeout = text("timeout");
  const maxOutput = text("max-output");
  const cwd = text("cwd");
  if (cwd !== undefined && !cwd.startsWith("/"))
    throw new UsageError(`--cwd takes an absolute path inside the sandbox; did you mean "/${cwd}"?`);

  return {
    command: "exec",
    ...toScript(operands, literal),
    mounts,
    sandbox: toChoice("--sandbox", text("sandbox") ?? "subprocess", ["auto", "subprocess", "just-bash"]),
    ...(cwd === undefined ? {} : { cwd }),
    env: Object.fromEntries(texts("env").map(toVariable)),
    ...(timeout === undefined ? {} : { timeoutMs: toDurationMs("--timeout", timeout) }),
    ...(maxOutput === undefined ? {} : { maxOutputBytes: toBytes("--max-output", maxOutput) }),
    json: values.json === true,
    events: values.events === true,
    passStdin: values["no-stdin"] !== true,
    python: values["no-python"] !== true,
    javascript: values["no-javascript"] !== true,
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
