/** The options of `subprocessSandbox()`: their meaning, their defaults, and the check that names what is wrong. */

import { resolve } from "node:path";
import { isRecord, refuseUnknownOptions } from "../shared/check-options.ts";
import { SandboxError } from "../shared/errors.ts";
import { DEFAULT_LIMITS, type SandboxLimits } from "../shared/limits.ts";
import { defaultCodeCacheDirectory } from "./code-cache-directory.ts";

/** Options of `subprocessSandbox()`. Each is optional. */
export interface SubprocessOptions {
  /**
   * The built worker: the file `dist/worker/main.js` of this package or the folder that holds it, as path or
   * `file:` URL. Bundled applications copy that folder and set this. @default looked up beside this module,
   * then by package resolution from it, then from the working directory
   */
  readonly workerPath?: string | URL;
  /**
   * The Node.js that runs the worker, 20.18.1 or later. Needed where this process is none: under Bun, Deno and
   * Electron, and in an application in one file. One that is no program is `NODE_NOT_FOUND` at the opening.
   * @default the Node.js of this process
   */
  readonly nodePath?: string;
  /**
   * The walls around the worker: `"process"` is an ordinary process with an empty environment, `"hardened"` adds
   * Node's permission model and a lockdown, `"namespace"` puts both into a bubblewrap jail (Linux), `"auto"` is
   * the strongest that starts here. A rung that was named and cannot be given is `ISOLATION_UNAVAILABLE` at the
   * first call. @default "process"
   */
  readonly isolation?: IsolationChoice;
  /**
   * Flags of Node.js for the worker, before the file name. A module loaded by one must not print to standard
   * output while it loads: until the worker's first line has run, that is the wire. @default []
   */
  readonly execArgv?: readonly string[];
  /** Variables of the worker process itself; scripts do not see them. @default none: the environment is empty */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * How many workers wait ahead of need, 0 to 16. With 1 or more a sandbox starts its worker when it is opened, not
   * at its first call, and on the `process` rung it takes one that this host process has started before and that
   * knows no workspace yet, only which languages, tools and engine limits the sandbox before had; each is handed
   * out once, ends with the host, and after five minutes without use. On the other rungs none waits: their walls
   * are cut to the directories of one sandbox before its worker starts.
   * @default 0
   */
  readonly prewarm?: number;
  /**
   * Where V8's compiled form of the worker's code is kept, so that the next worker starts sooner: a directory that is
   * this user's alone, made when it is not there; `true` is the user's directory for caches (`~/.cache/little-harness`,
   * or what `XDG_CACHE_HOME` says); `false`: nowhere. A process that runs no script fills it, once per build of this
   * package and Node.js; no worker can write there or learns of it. Not used with `execArgv`. @default true
   */
  readonly compileCache?: boolean | string;
  /** See {@link SandboxLimits}; each limit on its own. */
  readonly limits?: Partial<SandboxLimits>;
  /** Limits of the engine, by just-bash's names, to be tighter than ours. They count per shell, not per command. */
  readonly executionLimits?: Readonly<Record<string, number>>;
  /**
   * Receives what the worker writes to its own stderr, and why none could be started: text for the operator, with
   * the host's paths in it, never a script's output.
   */
  readonly onDiagnostic?: (text: string) => void;
}

/** A rung of the isolation ladder, or the strongest that starts. */
export type IsolationChoice = (typeof ISOLATION)[number];

/** Most spares of one host process, of all kinds together: each is a process of some 40 MB. */
export const MAX_PREWARM = 16;

const ISOLATION = ["process", "hardened", "namespace", "auto"] as const;

/** Checked options with the defaults filled in. */
export interface ResolvedOptions {
  readonly workerPath: string | URL | null;
  readonly nodePath: string | null;
  readonly isolation: IsolationChoice;
  readonly execArgv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly prewarm: number;
  /** Absolute; `null`: no cache. */
  readonly codeCacheDirectory: string | null;
  readonly limits: SandboxLimits;
  readonly executionLimits: Readonly<Record<string, number>>;
  readonly onDiagnostic: ((text: string) => void) | null;
}

/** Names of the options of `subprocessSandbox()`. */
export const SUBPROCESS_OPTIONS = [
  "workerPath",
  "nodePath",
  "isolation",
  "execArgv",
  "env",
  "prewarm",
  "compileCache",
  "limits",
  "executionLimits",
  "onDiagnostic",
];

/** @throws SandboxError `OPTION_INVALID` that names the option and what was expected. */
export function resolveOptions(options: SubprocessOptions = {}): ResolvedOptions {
  if (!isRecord(options)) throw invalid("options", "an object", options);
  refuseUnknownOptions(options, SUBPROCESS_OPTIONS);
  const {
    workerPath,
    nodePath,
    isolation = "process",
    execArgv,
    env,
    prewarm = 0,
    compileCache = true,
    limits,
    executionLimits,
    onDiagnostic,
  } = options;
  if (workerPath !== undefined && !(workerPath instanceof URL) && !isText(workerPath)) {
    throw invalid("workerPath", "a path or a file: URL", workerPath);
  }
  if (workerPath instanceof URL && workerPath.protocol !== "file:") {
    throw invalid("workerPath", "a file: URL", workerPath.href);
  }
  if (nodePath !== undefined && !isText(nodePath)) throw invalid("nodePath", "a path", nodePath);
  const choice = ISOLATION.find((known) => known === isolation);
  if (choice === undefined) {
    throw invalid("isolation", `one of ${ISOLATION.map((known) => `"${known}"`).join(", ")}`, isolation);
  }
  if (execArgv !== undefined && !(Array.isArray(execArgv) && execArgv.every(isText))) {
    throw invalid("execArgv", "an array of non-empty strings", execArgv);
  }
  if (
    env !== undefined &&
    !(isRecord(env) && Object.values(env).every((value) => typeof value === "string"))
  ) {
    throw invalid("env", "an object whose values are strings", env);
  }
  // The value is not told: it may be a secret.
  for (const [name, value] of Object.entries((env ?? {}) as Record<string, string>)) {
    if (!/^[^=\0]+$/.test(name))
      throw invalid("env", 'names that are not empty and hold neither "=" nor NUL', name);
    if (value.includes("\0")) throw invalid(`env.${name}`, "a string without NUL", "one with NUL");
  }
  if (!isCount(prewarm, MAX_PREWARM)) {
    throw invalid("prewarm", `a whole number from 0 to ${MAX_PREWARM}`, prewarm);
  }
  if (typeof compileCache !== "boolean" && !isText(compileCache)) {
    throw invalid("compileCache", "true, false or the path of a directory", compileCache);
  }
  if (onDiagnostic !== undefined && typeof onDiagnostic !== "function") {
    throw invalid("onDiagnostic", "a function", onDiagnostic);
  }
  return {
    workerPath: workerPath ?? null,
    nodePath: nodePath ?? null,
    isolation: choice,
    execArgv: execArgv ?? [],
    env: (env ?? {}) as Readonly<Record<string, string>>,
    prewarm,
    codeCacheDirectory: toCodeCacheDirectory(compileCache),
    limits: { ...DEFAULT_LIMITS, ...numbers("limits", limits, Object.keys(DEFAULT_LIMITS)) },
    executionLimits: numbers("executionLimits", executionLimits, null),
    onDiagnostic: (onDiagnostic as ResolvedOptions["onDiagnostic"] | undefined) ?? null,
  };
}

function numbers(option: string, given: unknown, known: string[] | null): Record<string, number> {
  if (given === undefined) return {};
  if (!isRecord(given)) throw invalid(option, "an object", given);
  if (known !== null) refuseUnknownOptions(given, known, `${option}.`);
  const checked: Record<string, number> = {};
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    if (typeof value !== "number" || !Number.isSafeInteger(value) || value <= 0) {
      throw invalid(`${option}.${name}`, "a positive whole number", value);
    }
    checked[name] = value;
  }
  return checked;
}

function invalid(option: string, expected: string, got: unknown): SandboxError {
  const shown = typeof got === "string" ? JSON.stringify(got) : describe(got);
  return new SandboxError("OPTION_INVALID", `Option "${option}" must be ${expected}, but is ${shown}.`, {
    option,
  });
}

function describe(value: unknown): string {
  if (value === null || typeof value === "number" || typeof value === "boolean") return String(value);
  return Array.isArray(value) ? "an array" : `of type ${typeof value}`;
}

function isCount(value: unknown, most: number): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= most;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "" && !value.includes("\0");
}

function toCodeCacheDirectory(compileCache: boolean | string): string | null {
  if (typeof compileCache === "string") return resolve(compileCache);
  return compileCache ? defaultCodeCacheDirectory() : null;
}
