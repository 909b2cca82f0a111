/** What is particular to calls of `bash` on record: their shell, and what the model hears of a run that was gone on with. */
import type { PreparedTurn } from "../../host/host.ts";
import { isRecord } from "../../shared/check-options.ts";
import type { JsonValue } from "../../shared/json.ts";
import { CarriedShell, type CarriedState } from "./carried-shell.ts";
import { type Payloads, toPayload } from "./payloads.ts";
import { fieldsOf } from "./recorded-call.ts";
import type { RunLog } from "./run-log.ts";

const HAD_BEGUN =
  "an earlier process of this run had begun this command and was cut off: it has run again from its start, over the files as they were then; calls of tools that had been recorded were answered from the record";
const NEW_SHELL = "the run was gone on with by another process, in a new shell";
const CARRIED =
  "with the working directory and the variables of the commands before; functions, aliases, shell options and /tmp are gone";
const NOT_CARRIED =
  "and not all of what the commands before had left there could be set again: look at the working directory and at variables; functions, aliases, shell options and /tmp are gone";
const NEW_SESSION = "the files of the commands before are not here, as their session is not on this host";

export class RecordedCommands {
  readonly #log: RunLog;
  readonly #payloads: Payloads;
  #shell: CarriedShell | undefined;
  #isNewSession = false;
  /** Of the last command that was answered from the record and may have changed it; `null`: it could not be read. */
  #state: JsonValue | undefined;
  #answered = 0;
  #hasRun = false;

  constructor(log: RunLog, payloads: Payloads) {
    this.#log = log;
    this.#payloads = payloads;
  }

  attach(turn: Pick<PreparedTurn, "sandbox">, isNewSession: boolean): void {
    this.#shell = new CarriedShell(() => turn.sandbox());
    this.#isNewSession = isNewSession;
  }

  /** A command was answered from the record. */
  answered(key: string): void {
    if (this.#hasRun) return;
    this.#answered++;
    const ended = this.#log.find(`${key}/ended`);
    const { state } = ended === undefined ? {} : fieldsOf(ended);
    if (state !== undefined) this.#state = state;
  }

  /** Before a command runs: its shell is as the record says. Gives what the model is to hear. */
  async before(hadBegun: boolean, signal: AbortSignal): Promise<string[]> {
    const notes = hadBegun ? [HAD_BEGUN] : [];
    if (this.#answered > 0 && !this.#hasRun) {
      notes.push(`${NEW_SHELL}, ${(await this.#carry(signal)) ? CARRIED : NOT_CARRIED}`);
      if (this.#isNewSession) notes.push(NEW_SESSION);
    }
    this.#hasRun = true;
    return notes;
  }

  /** After a command: what its record says of the shell. */
  async after(
    argsJson: string,
    output: unknown,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, JsonValue>>> {
    const { exitCode, ending } = output as { exitCode?: unknown; ending?: unknown };
    // One that was ended has left the shell of the last one that exited.
    const { command } = JSON.parse(argsJson) as { readonly command: string };
    if (this.#shell?.mayHaveChanged(command) !== true || ending !== undefined) return {};
    try {
      const state = await this.#shell.read(Number(exitCode), signal);
      if (state === undefined) return { state: null };
      const { isComplete } = state;
      return { state: { script: await this.#payloads.keep("shell-state.sh", state.script), isComplete } };
    } catch {
      // No sandbox any more, or no room for a file: on record as what is not known.
      return { state: null };
    }
  }

  async #carry(signal: AbortSignal): Promise<boolean> {
    if (this.#state === undefined) return true;
    const state = await this.#read();
    try {
      return state !== undefined && (await this.#shell?.set(state, signal)) === true;
    } catch {
      // No sandbox: the command that comes next tells it.
      return false;
    }
  }

  async #read(): Promise<CarriedState | undefined> {
    const { script, isComplete } = isRecord(this.#state) ? this.#state : {};
    const payload = toPayload(script as JsonValue | undefined);
    if (payload === undefined) return undefined;
    try {
      const text = await this.#payloads.read(payload, "the state of the shell");
      return { script: text, isComplete: isComplete === true };
    } catch {
      // Its file is gone, or was changed: told as what could not be set.
      return undefined;
    }
  }
}
