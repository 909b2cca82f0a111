/** The options of `localToolchainSandbox()`: their meaning, their defaults, and the check that names what is wrong. */
import { isAbsolute } from "node:path";
import { invalidOption, isRecord, refuseUnknownOptions } from "../shared/check-options.ts";
import { DEFAULT_LIMITS, type SandboxLimits } from "../shared/limits.ts";

/** The limits that a toolchain keeps. */
export type ToolchainLimits = Pick<
  SandboxLimits,
  "timeoutMs" | "graceMs" | "maxOutputBytes" | "maxStreamBytes" | "maxScriptBytes" | "maxMemoryMb"
>;

/** Options of `localToolchainSandbox()`. Each is optional. */
export interface ToolchainOptions {
  /**
   * Directories of this machine that are shown read-only at their own place, besides `/usr` and where this Node.js
   * lies. The `bin` in each goes in front of `PATH`. @default []
   */
  readonly paths?: readonly string[];
  /**
   * Whether programs may use the network of this machine, all of it: no URL of the workspace's `network` is looked
   * at. @default false
   */
  readonly network?: boolean;
  /** Variables that the shell starts with, besides `PATH`, `HOME`, `LANG` and `TERM`. @default {} */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * `graceMs` is what background processes have between SIGTERM and SIGKILL when the sandbox is disposed of.
   * `maxMemoryMb` counts all processes together, by looking at `/proc`: what grows and goes between two looks is
   * not seen. See {@link SandboxLimits} for the rest.
   */
  readonly limits?: Partial<ToolchainLimits>;
  /** The bash that runs scripts, 4.4 or later. @default "/bin/bash" */
  readonly shell?: string;
}

/** Every option with its value. */
export type ResolvedToolchainOptions = Required<Omit<ToolchainOptions, "limits">> & {
  readonly limits: ToolchainLimits;
};

const OPTIONS = ["paths", "network", "env", "limits", "shell"];
const LIMITS = [
  "timeoutMs",
  "graceMs",
  "maxOutputBytes",
  "maxStreamBytes",
  "maxScriptBytes",
  "maxMemoryMb",
] as const;

/** @throws SandboxError `OPTION_INVALID` */
export function resolveToolchainOptions(options: unknown): ResolvedToolchainOptions {
  if (!isRecord(options)) throw invalidOption("options", "an object");
  refuseUnknownOptions(options, OPTIONS);
  const { paths = [], network = false, env = {}, limits = {}, shell = "/bin/bash" } = options;
  if (!Array.isArray(paths) || !paths.every(isAbsolutePath))
    throw invalidOption("paths", "an array of absolute paths");
  if (typeof network !== "boolean") throw invalidOption("network", "true or false");
  if (!isRecord(env)) throw invalidOption("env", "an object whose values are strings");
  for (const [name, value] of Object.entries(env)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
      throw invalidOption(`env["${name}"]`, "the name of a variable");
    if (typeof value !== "string" || value.includes("\0"))
      throw invalidOption(`env.${name}`, "a string without NUL");
  }
  if (!isRecord(limits)) throw invalidOption("limits", "an object");
  refuseUnknownOptions(limits, LIMITS, "limits.");
  if (!isAbsolutePath(shell)) throw invalidOption("shell", "an absolute path");
  const { timeoutMs, graceMs, maxOutputBytes, maxStreamBytes, maxScriptBytes, maxMemoryMb } = DEFAULT_LIMITS;
  const resolved = { timeoutMs, graceMs, maxOutputBytes, maxStreamBytes, maxScriptBytes, maxMemoryMb };
  for (const name of LIMITS) {
    const value = limits[name];
    if (value === undefined) continue;
    if (typeof value !== "number" || !Number.isSafeInteger(value) || value <= 0)
      throw invalidOption(`limits.${name}`, "a positive whole number");
    resolved[name] = value;
  }
  return { paths, network, env: env as Record<string, string>, limits: resolved, shell };
}

function isAbsolutePath(value: unknown): value is string {
  return typeof value === "string" && isAbsolute(value) && !value.includes("\0");
}
