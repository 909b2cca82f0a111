/** The arguments of `little-harness shell` → what to do, as plain data. Pure. */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { isSafeName, SAFE_NAME_RULE } from "../host/safe-name.ts";
import { checkOptions } from "./check-options.ts";
import { RUNGS, type Rung } from "./doctor-report.ts";
import { type MountArgument, toChoice } from "./option-values.ts";
import { SANDBOX_OPTIONS, type SandboxArguments, textOf, toSandboxArguments } from "./sandbox-options.ts";
import { UsageError } from "./usage-error.ts";

/** What the shell is over. */
export type ShellPlace =
  | { readonly is: "mounts"; readonly mounts: readonly MountArgument[] }
  | {
      readonly is: "session";
      /** Absolute. */
      readonly dataDir: string;
      /** Absent: a new one. */
      readonly sessionId?: string;
    };

/** `little-harness shell`, checked. */
export interface ShellInvocation extends Omit<SandboxArguments, "mounts"> {
  readonly command: "shell";
  readonly place: ShellPlace;
  /** Absent: the library's default. */
  readonly isolation?: Rung | "auto";
  /** Whether commands that the sandbox lacks run in a jail with this machine's own programs. */
  readonly hasTierOne: boolean;
  /** Whether control characters of commands reach a terminal. */
  readonly isRaw: boolean;
}

/** Long names of the options. */
export const SHELL_OPTIONS = {
  ...SANDBOX_OPTIONS,
  "data-dir": { type: "string" },
  session: { type: "string" },
  isolation: { type: "string" },
  tier1: { type: "boolean" },
  raw: { type: "boolean" },
} as const;

/** Throws `UsageError`. */
export function parseShell(argv: readonly string[]): ShellInvocation | { command: "help"; topic: "shell" } {
  const parsed = parseArgs({
    args: [...argv],
    options: SHELL_OPTIONS,
    strict: false,
    tokens: true,
    allowPositionals: true,
  });
  checkOptions(SHELL_OPTIONS, parsed);
  if (parsed.values.help === true) return { command: "help", topic: "shell" };
  const [operand] = parsed.positionals;
  if (operand !== undefined)
    throw new UsageError(
      `shell takes options only, not "${operand}"; to run a script: little-harness exec -- '${operand} …'`,
    );
  const { mounts, ...shared } = toSandboxArguments(parsed);
  const isolation = textOf(parsed, "isolation");
  if (isolation !== undefined && shared.sandbox === "just-bash")
    throw new UsageError(`--isolation needs a process of its own; it does not go with --sandbox just-bash`);
  return {
    command: "shell",
    ...shared,
    place: toPlace(mounts, textOf(parsed, "data-dir"), textOf(parsed, "session")),
    ...(isolation === undefined
      ? {}
      : { isolation: toChoice("--isolation", isolation, [...RUNGS, "auto"] as const) }),
    hasTierOne: parsed.values.tier1 === true,
    isRaw: parsed.values.raw === true,
  };
}

function toPlace(
  mounts: readonly MountArgument[],
  dataDir: string | undefined,
  sessionId: string | undefined,
): ShellPlace {
  if (mounts.length > 0) {
    const other = dataDir !== undefined ? "--data-dir" : sessionId !== undefined ? "--session" : undefined;
    if (other !== undefined)
      throw new UsageError(`--mount and ${other} do not go together: a session has mounts of its own`);
    return { is: "mounts", mounts };
  }
  if (dataDir === "") throw new UsageError("--data-dir takes a directory");
  if (sessionId !== undefined && !isSafeName(sessionId))
    throw new UsageError(`--session takes ${SAFE_NAME_RULE}, not "${sessionId}"`);
  return {
    is: "session",
    dataDir: resolve(dataDir ?? ".little-harness"),
    ...(sessionId === undefined ? {} : { sessionId }),
  };
}
