import type { ExecResult } from "../shared/sandbox.ts";
import type { StopReason, StopSwitch } from "./stop-switch.ts";

/** The commands that a sandbox has not answered yet: what dispose stops, and waits for. */
export class OpenCommands {
  readonly #open = new Map<StopSwitch, Promise<ExecResult>>();

  /** The result; until it is there, the command is open. */
  async keep(stop: StopSwitch, result: Promise<ExecResult>): Promise<ExecResult> {
    this.#open.set(stop, result);
    try {
      return await result;
    } finally {
      this.#open.delete(stop);
      stop.release();
    }
  }

  stopAll(reason: StopReason): void {
    for (const stop of this.#open.keys()) stop.stop(reason);
  }

  /** Settles with the commands that are open now. */
  async ended(): Promise<void> {
    await Promise.all(this.#open.values());
  }
}
