import { resolve } from "node:path";
import { SUBPROCESS_OPTIONS, type SubprocessOptions } from "../parent/options.ts";
import { invalidOption, unknownOption } from "../shared/check-options.ts";
import { SandboxError } from "../shared/errors.ts";
import type { EmitEvent } from "../shared/events.ts";
import { DEFAULT_LIMITS } from "../shared/limits.ts";
import type {
  HarnessRuntimeOptions,
  HarnessSandbox,
  HarnessSandboxFactory,
  HarnessSandboxMode,
} from "../shared/sandbox.ts";
import type { HarnessTools } from "../shared/tools.ts";
import type { HarnessTraceLevel } from "../shared/trace-options.ts";
import type { HarnessMount, MountAccess, NetworkPolicy } from "../shared/workspace-spec.ts";
import { resolveTraceOptions } from "../shell/trace-options.ts";
import { chooseFactory } from "./mode.ts";
import { nameOption } from "./name-option.ts";

/** One directory of the host in the short form of `openSandbox`. */
export interface MountOptions {
  /** Directory of the host; a relative one starts at the working directory of this process. */
  readonly path: string;
  /** @default "rw" */
  readonly access?: MountAccess;
  /** Whether changes below it are events. @default true for `rw`, false for `ro` */
  readonly tracked?: boolean;
  /** Absolute paths inside the sandbox that are read-only although the mount is `rw`. @default [] */
  readonly readOnlyPrefixes?: readonly string[];
}

/** Options of `openSandbox`; those of `subprocessSandbox()` too. */
export interface OpenSandboxOptions extends SubprocessOptions {
  /** Path inside the sandbox → directory of the host. */
  readonly mounts: Readonly<Record<string, string | MountOptions>>;
  /** Where the first command starts. @default the first mount */
  readonly cwd?: string;
  /** Tools that scripts may call from `js-exec`. */
  readonly tools?: HarnessTools;
  /** Handed to every tool. @default null */
  readonly toolContext?: unknown;
  /** Receives every event, in order. */
  readonly onEvent?: EmitEvent;
  /** @default "auto" */
  readonly sandbox?: HarnessSandboxMode | HarnessSandboxFactory;
  /** Turns languages off. @default both on */
  readonly runtime?: HarnessRuntimeOptions;
  /** What scripts may reach with `curl`. @default nothing */
  readonly network?: NetworkPolicy;
  /** What events may hold: a preset or single fields. @default "metadata" */
  readonly traceOptions?: HarnessTraceLevel;
  /** Asked before each command. */
  readonly getReadOnlyPrefixes?: () => readonly string[];
  /** A file outside of the mounts: what a host that dies could not tell is told by the next sandbox with this file. */
  readonly changeJournal?: string;
}

/**
 * Opens a sandbox over directories of this host: the short way in. Dispose of it, best with `await using`.
 *
 * @throws SandboxError `OPTION_INVALID`, `WORKSPACE_INVALID`, `TOOL_INVALID`, `WORKER_NOT_FOUND`,
 * `NODE_NOT_FOUND`: each names the option and what was expected.
 */
export async function openSandbox(options: OpenSandboxOptions): Promise<HarnessSandbox> {
  if (typeof options !== "object" || options === null)
    throw invalidOption("options", "an object with mounts");
  refuseUnknown(options);
  const {
    mounts,
    cwd,
    tools,
    toolContext = null,
    onEvent,
    sandbox = "auto",
    runtime = {},
    network,
    traceOptions,
    getReadOnlyPrefixes,
    changeJournal,
    ...subprocess
  } = options;
  const list = toMounts(mounts);
  const first = list[0];
  if (first === undefined) throw invalidOption("mounts", "an object with at least one mount");
  if (onEvent !== undefined && typeof onEvent !== "function") throw invalidOption("onEvent", "a function");
  if (changeJournal !== undefined && (typeof changeJournal !== "string" || changeJournal === ""))
    throw invalidOption("changeJournal", "the path of a file");
  const factory = chooseFactory(sandbox, runtime, subprocess);
  try {
    return await factory({
      workspace: {
        mounts: list,
        cwd: cwd ?? first.path,
        capabilities: {
          python: runtime.python !== false,
          javascript: runtime.javascript !== false,
          ...(network === undefined ? {} : { network }),
        },
      },
      tools,
      toolContext,
      runtime,
      emit: onEvent ?? (() => undefined),
      traceOptions: resolveTraceOptions(traceOptions, undefined),
      getReadOnlyPrefixes,
      changeJournal,
    });
  } catch (error) {
    throw nameOption(error, (place) => optionAt(place, list));
  }
}

/** `workspace.mounts[0].backingPath` → `mounts["/session"]`, and so on. */
function optionAt(place: string, mounts: readonly HarnessMount[]): string | undefined {
  const [, index, field = ""] = /^workspace\.mounts\[(\d+)\](.*)$/.exec(place) ?? [];
  if (index === undefined) return /^workspace\.(?:capabilities\.)?((?:cwd|network)\b.*)$/.exec(place)?.[1];
  const path = mounts[Number(index)]?.path;
  return `mounts["${path}"]${[".path", ".backingPath"].includes(field) ? "" : field}`;
}

/** Options of this function alone; the rest is checked where it is used. */
const OWN_OPTIONS = [
  "mounts",
  "cwd",
  "tools",
  "toolContext",
  "onEvent",
  "sandbox",
  "runtime",
  "network",
  "traceOptions",
  "getReadOnlyPrefixes",
  "changeJournal",
];

function refuseUnknown(options: object): void {
  const known = [...OWN_OPTIONS, ...SUBPROCESS_OPTIONS];
  const name = unknownOption(options, known);
  if (name === undefined) return;
  const hint = Object.hasOwn(DEFAULT_LIMITS, name) ? ` Did you mean limits.${name}?` : "";
  const message = `Unknown option "${name}".${hint} Known options: ${known.join(", ")}.`;
  throw new SandboxError("OPTION_INVALID", message, { option: name });
}

const MOUNT_KEYS = ["path", "access", "tracked", "readOnlyPrefixes"];

function toMounts(mounts: unknown): HarnessMount[] {
  if (typeof mounts !== "object" || mounts === null || Array.isArray(mounts)) {
    throw invalidOption("mounts", 'an object such as { "/session": "./data" }');
  }
  return Object.entries(mounts as Record<string, unknown>).map(([path, given]) => {
    const mount = typeof given === "string" ? { path: given } : given;
    if (typeof mount !== "object" || mount === null)
      throw invalidOption(`mounts["${path}"]`, "a directory or { path, … }");
    const unknown = unknownOption(mount, MOUNT_KEYS);
    if (unknown !== undefined)
      throw invalidOption(`mounts["${path}"]`, `${MOUNT_KEYS.join(", ")} (and no "${unknown}")`);
    const {
      path: backing,
      access = "rw",
      tracked = access !== "ro",
      readOnlyPrefixes,
    } = mount as MountOptions;
    if (typeof backing !== "string" || backing === "")
      throw invalidOption(`mounts["${path}"].path`, "a directory");
    return {
      path,
      backingPath: resolve(backing),
      access,
      tracked,
      ...(readOnlyPrefixes === undefined ? {} : { readOnlyPrefixes }),
    };
  });
}
