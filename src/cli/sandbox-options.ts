/** The options that `exec` and `shell` share: text → values. Pure. */
import type { MountOptions } from "../sandbox/open-sandbox.ts";
import type { ArgumentTokens } from "./check-options.ts";
import { type MountArgument, toBytes, toChoice, toDurationMs, toMount, toVariable } from "./option-values.ts";
import { UsageError } from "./usage-error.ts";

/** Long names of the options. */
export const SANDBOX_OPTIONS = {
  mount: { type: "string", multiple: true, short: "m" },
  sandbox: { type: "string" },
  cwd: { type: "string" },
  env: { type: "string", multiple: true, short: "e" },
  timeout: { type: "string" },
  "max-output": { type: "string" },
  events: { type: "boolean" },
  "no-python": { type: "boolean" },
  "no-javascript": { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

/** Their values. */
export interface SandboxArguments {
  readonly mounts: readonly MountArgument[];
  readonly sandbox: "auto" | "subprocess" | "just-bash";
  /** Absolute path inside. */
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string>>;
  /** Of one command. */
  readonly timeoutMs?: number;
  /** Per stream of one command. */
  readonly maxOutputBytes?: number;
  readonly events: boolean;
  readonly python: boolean;
  readonly javascript: boolean;
}

/** What `parseArgs` read. */
export interface ParsedOptions {
  readonly values: Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;
  readonly tokens: ArgumentTokens;
}

/** The one value of an option, or `undefined`. */
export function textOf({ values }: ParsedOptions, name: string): string | undefined {
  const value = values[name];
  return typeof value === "string" ? value : undefined;
}

/** Throws `UsageError`. */
export function toSandboxArguments(parsed: ParsedOptions): SandboxArguments {
  const texts = (name: "mount" | "env"): string[] => {
    const given = parsed.values[name];
    return Array.isArray(given) ? given.map(String) : [];
  };
  const mounts = texts("mount").map(toMount);
  for (const [index, mount] of mounts.entries())
    if (mounts.findIndex((other) => other.path === mount.path) !== index)
      throw new UsageError(`--mount ${mount.path} is given twice`);
  const timeout = textOf(parsed, "timeout");
  const maxOutput = textOf(parsed, "max-output");
  const cwd = textOf(parsed, "cwd");
  if (cwd !== undefined && !cwd.startsWith("/"))
    throw new UsageError(`--cwd takes an absolute path inside the sandbox; did you mean "/${cwd}"?`);
  const sandbox = textOf(parsed, "sandbox") ?? "subprocess";
  return {
    mounts,
    sandbox: toChoice("--sandbox", sandbox, ["auto", "subprocess", "just-bash"]),
    ...(cwd === undefined ? {} : { cwd }),
    env: Object.fromEntries(texts("env").map(toVariable)),
    ...(timeout === undefined ? {} : { timeoutMs: toDurationMs("--timeout", timeout) }),
    ...(maxOutput === undefined ? {} : { maxOutputBytes: toBytes("--max-output", maxOutput) }),
    events: parsed.values.events === true,
    python: parsed.values["no-python"] !== true,
    javascript: parsed.values["no-javascript"] !== true,
  };
}

/** As `openSandbox` takes them. */
export function toOpenMounts(mounts: readonly MountArgument[]): Record<string, MountOptions> {
  return Object.fromEntries(
    mounts.map(({ path, backingPath, access }) => [path, { path: backingPath, access }]),
  );
}
