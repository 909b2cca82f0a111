/**
 * The shell of a run that goes on in another process: working directory and variables are read after each command that
 * may have changed them, and set again before the first command that runs anew.
 */
import type { HarnessSandbox } from "../../shared/sandbox.ts";
import { STATE_SCRIPT, toHandedState } from "../../shell/handed-state.ts";

/** The state as a script, and whether it is all of it. */
export interface CarriedState {
  readonly script: string;
  readonly isComplete: boolean;
}

/** Milliseconds for reading or setting a state. */
const TIMEOUT_MS = 10_000;
const MAX_BYTES = 4 * 1024 * 1024;

/** Words and signs without which no script changes its shell's working directory or variables. */
const CHANGES_STATE =
  /=|\+\+|--|\(\(|(?:^|[\s;&|({])(?:\.|alias|builtin|cd|command|coproc|declare|eval|export|for|getopts|let|local|mapfile|popd|printf|pushd|read|readarray|readonly|select|set|shopt|source|typeset|unset|wait)(?=\s|$)/m;

/** After these, any word may be a command that changes them. */
const DEFINES_COMMANDS = /\(\s*\)|(?:^|[\s;&|({])(?:\.|alias|eval|function|source|trap)(?=\s|$)/m;

export class CarriedShell {
  readonly #sandbox: () => Promise<Pick<HarnessSandbox, "exec">>;

  #hasOwnCommands = false;

  constructor(sandbox: () => Promise<Pick<HarnessSandbox, "exec">>) {
    this.#sandbox = sandbox;
  }

  /** Asked of each command that has run. */
  mayHaveChanged(command: string): boolean {
    this.#hasOwnCommands ||= DEFINES_COMMANDS.test(command);
    return this.#hasOwnCommands || CHANGES_STATE.test(command);
  }

  /**
   * `undefined`: it cannot be read.
   * @param exitCode of the command before, which the next one may still ask for
   */
  async read(exitCode: number, signal: AbortSignal): Promise<CarriedState | undefined> {
    const script = `${STATE_SCRIPT}; (exit ${exitCode})`;
    const { ending, stdout, truncated } = await (await this.#sandbox()).exec(script, {
      timeoutMs: TIMEOUT_MS,
      maxOutputBytes: MAX_BYTES,
      signal,
    });
    const isWhole = ending.kind === "exited" && truncated.stdout === undefined;
    return (isWhole ? toHandedState(stdout) : null) ?? undefined;
  }

  /** Whether all of it is set. */
  async set({ script, isComplete }: CarriedState, signal: AbortSignal): Promise<boolean> {
    const result = await (await this.#sandbox()).exec(script, { timeoutMs: TIMEOUT_MS, signal });
    return isComplete && result.ending.kind === "exited" && result.exitCode === 0 && result.stderr === "";
  }
}
