/** Numbers that tool calls are recorded under, counted over all tiers, so that a replay finds them again. */
import type { ReplayableCall, ToolReplay } from "../shared/sandbox.ts";

/** One per tier. */
export class CommandNumbers {
  #own = 0;
  readonly #shared = new Map<number, number>();

  /** The tier is given its next command. `shared` is the number over all tiers; absent for a command that nobody asked for. */
  count(shared?: number): void {
    this.#own++;
    if (shared !== undefined) this.#shared.set(this.#own, shared);
  }

  /** The same replay, for the tier's own numbers. */
  over(replay: ToolReplay): ToolReplay {
    const shared = (call: ReplayableCall): ReplayableCall => ({
      ...call,
      commandNumber: this.#shared.get(call.commandNumber) ?? call.commandNumber,
    });
    return {
      lookup: (call) => replay.lookup(shared(call)),
      record: (call, outcome) => replay.record(shared(call), outcome),
    };
  }
}
