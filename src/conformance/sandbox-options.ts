/** What the author of a sandbox hands to its suite: the factory, what it does not claim, and how to break it. */

import { invalidOption, unknownOption } from "../shared/check-options.ts";
import { SandboxError } from "../shared/errors.ts";
import { quote } from "../shared/quote.ts";
import type { HarnessSandbox, HarnessSandboxFactory } from "../shared/sandbox.ts";

/**
 * What an adapter may leave out and still be one. All are claimed unless set to `false`; the cases of what is not
 * claimed are left out of the suite and stand in its `notClaimed`.
 */
export interface SandboxCapabilities {
  /** Scripts run at all. */
  readonly scripts: boolean;
  /** Mounts are seen at their `path`. Without it the suite mounts each directory at its own path on the host. */
  readonly mountPaths: boolean;
  /** Read-only mounts and prefixes hold against scripts too, and links that lead out of a mount do not open. */
  readonly confinement: boolean;
  /** `getReadOnlyPrefixes` is asked before each command and each call of `fs`. */
  readonly liveReadOnlyPrefixes: boolean;
  /** cwd and variables stay from call to call. */
  readonly state: boolean;
  /** Arrays, functions and aliases stay too. */
  readonly shellState: boolean;
  /** `onStdout` and `onStderr` hear of output before the command ends. */
  readonly streaming: boolean;
  /** `maxOutputBytes` is held, head and tail are kept, and cuts lie on character borders. */
  readonly outputCaps: boolean;
  /** Scripts can call the host's tools, by `callTool`. */
  readonly tools: boolean;
  /** Changes below tracked mounts are told: the directories are those of this host. */
  readonly changes: boolean;
}

/**
 * Breaks the environment of one sandbox from outside; the cases of a hook that is not given are left out. Each gets
 * the open sandbox, as `create` made it, and may return a promise.
 */
export interface SandboxFaults {
  /** Ends what runs scripts, as a crash would: at once, with no word to anybody. */
  readonly killWorker?: (sandbox: HarnessSandbox) => unknown;
  /** Makes the next command fail inside of the adapter: `execute` throws, the connection breaks. */
  readonly failNextExecute?: (sandbox: HarnessSandbox) => unknown;
  /** Makes the environment answer the next command with what is no report of a command. */
  readonly garbleNextResult?: (sandbox: HarnessSandbox) => unknown;
  /** Makes the release of the environment fail. */
  readonly failDispose?: (sandbox: HarnessSandbox) => unknown;
  /** Makes the release of the environment never end. */
  readonly hangDispose?: (sandbox: HarnessSandbox) => unknown;
}

export interface SandboxSuiteOptions {
  /** The adapter. Called once per sandbox; the suite opens about a hundred, each over directories of its own. */
  readonly create: HarnessSandboxFactory;
  /** @default "sandbox" */
  readonly name?: string;
  /** What is not claimed. @default everything is */
  readonly capabilities?: Partial<SandboxCapabilities>;
  readonly faults?: SandboxFaults;
  /**
   * A script that calls a tool, prints the JSON text of its result and a line feed, and exits with 0; that exits
   * with another code and the tool's message on standard error when the call fails.
   * @default js-exec, as the engine of this package has it
   */
  readonly callTool?: (tool: string, inputJson: string) => string;
  /** Milliseconds by which a command may outlive its deadline. @default 250 */
  readonly lateMs?: number;
}

const CAPABILITIES: SandboxCapabilities = {
  scripts: true,
  mountPaths: true,
  confinement: true,
  liveReadOnlyPrefixes: true,
  state: true,
  shellState: true,
  streaming: true,
  outputCaps: true,
  tools: true,
  changes: true,
};

const FAULTS = [
  "killWorker",
  "failNextExecute",
  "garbleNextResult",
  "failDispose",
  "hangDispose",
] as const satisfies readonly (keyof SandboxFaults)[];

/** What a case may need: a capability, or a hook. */
export type Need = keyof SandboxCapabilities | keyof SandboxFaults;

export interface ResolvedSuiteOptions {
  readonly create: HarnessSandboxFactory;
  readonly name: string;
  readonly capabilities: SandboxCapabilities;
  readonly faults: SandboxFaults;
  readonly callTool: (tool: string, inputJson: string) => string;
  readonly lateMs: number;
}

const OPTIONS = ["create", "name", "capabilities", "faults", "callTool", "lateMs"];

/** @throws SandboxError `OPTION_INVALID` that names the option and what was expected. */
export function resolveSuiteOptions(options: SandboxSuiteOptions): ResolvedSuiteOptions {
  if (typeof options !== "object" || options === null)
    throw invalidOption("options", "an object with create");
  refuseUnknown("", options, OPTIONS);
  const { create, name = "sandbox", capabilities = {}, faults = {}, lateMs = 250 } = options;
  const { callTool = callByJsExec } = options;
  for (const [option, value] of Object.entries({ create, callTool }))
    if (typeof value !== "function") throw invalidOption(option, "a function");
  if (typeof name !== "string" || name === "") throw invalidOption("name", "a text");
  if (!Number.isFinite(lateMs) || lateMs < 0) throw invalidOption("lateMs", "milliseconds, 0 or more");
  refuseUnknown("capabilities.", capabilities, Object.keys(CAPABILITIES));
  for (const [option, value] of Object.entries(capabilities))
    if (typeof value !== "boolean") throw invalidOption(`capabilities.${option}`, "true or false");
  refuseUnknown("faults.", faults, FAULTS);
  for (const [option, value] of Object.entries(faults))
    if (value !== undefined && typeof value !== "function")
      throw invalidOption(`faults.${option}`, "a function");
  return {
    create,
    name,
    capabilities: { ...CAPABILITIES, ...capabilities },
    faults,
    callTool,
    lateMs,
  };
}

/** Of the needs of a case, the first that the adapter does not claim. */
export function missing(needs: readonly Need[], options: ResolvedSuiteOptions): Need | undefined {
  return needs.find((need) =>
    isFault(need) ? options.faults[need] === undefined : !options.capabilities[need],
  );
}

function isFault(need: Need): need is keyof SandboxFaults {
  return (FAULTS as readonly string[]).includes(need);
}

function callByJsExec(tool: string, inputJson: string): string {
  const program = `console.log(JSON.stringify(await tools.${tool}(${inputJson})))`;
  return `js-exec -c ${quote(program)}`;
}

function refuseUnknown(prefix: string, given: object, known: readonly string[]): void {
  if (typeof given !== "object" || given === null) throw invalidOption(prefix.slice(0, -1), "an object");
  const name = unknownOption(given, known);
  if (name === undefined) return;
  const message = `Unknown option "${prefix}${name}". Known: ${known.join(", ")}.`;
  throw new SandboxError("OPTION_INVALID", message, { option: `${prefix}${name}` });
}
