import type { EmitEvent } from "../../shared/events.ts";
import type { HarnessSandboxFactory } from "../../shared/sandbox.ts";

/**
 * Keeps the prompt's own commands (where the shell stands, say) out of the record of what was run. One command runs at
 * a time, so what is told meanwhile is theirs.
 */
export class QuietEvents {
  #isQuiet = false;

  /** The same factory, whose sandboxes tell nothing while `during` runs. */
  over(factory: HarnessSandboxFactory): HarnessSandboxFactory {
    return (options) => {
      let seq = 0;
      const emit: EmitEvent = (event) =>
        // Without gaps, as what is told promises.
        this.#isQuiet ? undefined : options.emit({ ...event, seq: ++seq });
      return factory({ ...options, emit });
    };
  }

  async during<T>(run: () => Promise<T>): Promise<T> {
    this.#isQuiet = true;
    try {
      return await run();
    } finally {
      this.#isQuiet = false;
    }
  }
}
