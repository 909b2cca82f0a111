/** The `bash` tool of the model: a command of the turn's sandbox, and its result in the few words that a model needs. */
import type { PreparedTurn } from "../host/host.ts";
import type { ExecEnding } from "../shared/executor.ts";
import type { ExecResult, HarnessSandbox } from "../shared/sandbox.ts";
import { toolFailed } from "../tools/tool-error.ts";
import { toInputValidator } from "../tools/validate-input.ts";
import type { HarnessBashOptions } from "./harness-options.ts";
import type { ArtifactReference } from "./keep-artifact.ts";
import type { FittedText, LargeOutputs } from "./large-output.ts";
import { tellChanges } from "./tell-changes.ts";
import { BASH } from "./tool-names.ts";

/** What the model is told of the input; also what its input is held to. */
export const BASH_INPUT = {
  type: "object",
  properties: {
    command: { type: "string", description: "The bash script to run." },
    cwd: { type: "string", description: "Working directory for this call only." },
    timeoutMs: { type: "integer", minimum: 1, description: "Milliseconds until the script is killed." },
    stdin: { type: "string", description: "Standard input of the script. Default: empty." },
  },
  required: ["command"],
  additionalProperties: false,
} as const;

const validate = toInputValidator(BASH_INPUT);

interface BashInput {
  readonly command: string;
  readonly cwd?: string;
  readonly timeoutMs?: number;
  readonly stdin?: string;
}

/** What the model gets of a command. */
export interface BashOutput {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** How it ended; absent when it exited by itself. */
  readonly ending?: string;
  /**
   * With the first command that a higher tier ran: what that means for the ones after it. With one that runs again, or
   * in a new shell, since the run was gone on with: what that means for this one.
   */
  readonly note?: string;
  /** Bytes of streams that were not kept whole. */
  readonly truncated?: ExecResult["truncated"];
  /** Where a stream lies that is too large for the answer. */
  readonly stdoutFile?: ArtifactReference | { readonly notKept: string };
  readonly stderrFile?: ArtifactReference | { readonly notKept: string };
  /** Such as `created /session/a.txt`. */
  readonly changes?: readonly string[];
}

const DEFAULT_MAX_TIMEOUT_MS = 600_000;

/** Milliseconds that a command may ask for at most. */
export function maxTimeoutOf({ timeoutMs, maxTimeoutMs }: HarnessBashOptions): number {
  return maxTimeoutMs ?? Math.max(timeoutMs ?? 0, DEFAULT_MAX_TIMEOUT_MS);
}

/** Once a turn: nothing else tells the model that it is elsewhere from here on. True of any higher tier. */
const MOVED_NOTE =
  "this command ran in a higher tier, and later ones do too, with the programs that are there: js-exec and its tools may be gone; shell functions, aliases and what lay in /tmp are";
const DEFAULT_MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

export class BashTool {
  readonly #options: HarnessBashOptions;
  readonly #outputs: LargeOutputs;
  readonly #sandbox: () => Promise<HarnessSandbox>;
  #hasMoved = false;

  constructor(options: HarnessBashOptions, outputs: LargeOutputs, turn: Pick<PreparedTurn, "sandbox">) {
    this.#options = options;
    this.#outputs = outputs;
    this.#sandbox = () => turn.sandbox();
  }

  /**
   * JSON text of a `BashOutput`, with these notes, whatever became of the command. Rejects with `TOOL_FAILED` for bad input, and with
   * what `turn.sandbox()` throws: `onNoSandbox` has heard of it then.
   */
  async run(
    argsJson: string,
    signal: AbortSignal,
    onNoSandbox: (thrown: unknown) => void,
    notes: readonly string[] = [],
  ): Promise<string> {
    const input = await readBashInput(argsJson);
    const sandbox = await this.#sandbox().catch((thrown: unknown) => {
      onNoSandbox(thrown);
      throw thrown;
    });
    const { timeoutMs, maxOutputBytes } = this.#options;
    const most = maxTimeoutOf(this.#options);
    const result = await sandbox.exec(input.command, {
      cwd: input.cwd,
      stdin: input.stdin,
      timeoutMs: input.timeoutMs === undefined ? timeoutMs : Math.min(input.timeoutMs, most),
      maxOutputBytes: maxOutputBytes ?? DEFAULT_MAX_OUTPUT_BYTES,
      signal,
    });
    const loweredToMs = input.timeoutMs !== undefined && input.timeoutMs > most ? most : undefined;
    return JSON.stringify(await this.#tell(result, loweredToMs, notes));
  }

  async #tell(
    result: ExecResult,
    loweredToMs: number | undefined,
    given: readonly string[],
  ): Promise<BashOutput> {
    const isFirstAbove = result.tier === 1 && !this.#hasMoved;
    this.#hasMoved ||= isFirstAbove;
    const notes = isFirstAbove ? [...given, MOVED_NOTE] : given;
    const { stdout, stderr } = await this.#outputs.fitStreams(BASH, result.stdoutBytes, result.stderrBytes);
    const isCut = result.truncated.stdout !== undefined || result.truncated.stderr !== undefined;
    return {
      exitCode: result.exitCode,
      stdout: stdout.text,
      stderr: stderr.text,
      ...fileOf("stdoutFile", stdout),
      ...fileOf("stderrFile", stderr),
      ...(result.ending.kind === "exited" ? {} : { ending: tellEnding(result.ending, loweredToMs) }),
      ...(notes.length === 0 ? {} : { note: notes.join("; ") }),
      ...(isCut ? { truncated: result.truncated } : {}),
      ...(result.changes.length === 0 ? {} : { changes: tellChanges(result.changes) }),
    };
  }
}

async function readBashInput(argsJson: string): Promise<BashInput> {
  const validated = await validate(argsJson === "" ? undefined : JSON.parse(argsJson));
  if (validated.isValid) return validated.value as BashInput;
  throw toolFailed(BASH, `invalid input for tool ${BASH}: ${validated.issues.join("; ")}`);
}

function fileOf(name: "stdoutFile" | "stderrFile", { kept }: FittedText): Partial<BashOutput> {
  return kept === undefined ? {} : { [name]: kept };
}

/** @param loweredToMs the deadline that applied, when the model had asked for a later one */
function tellEnding(
  ending: Exclude<ExecEnding, { kind: "exited" }>,
  loweredToMs: number | undefined,
): string {
  if (ending.kind === "unknown") return `unknown: ${ending.why}`;
  const told = `${ending.kind}: ${ending.by}`;
  return ending.by === "deadline" && loweredToMs !== undefined
    ? `${told} (after ${loweredToMs} ms, the most that a command may have)`
    : told;
}
