/** The one sandbox that a turn may have: made when it is first asked for, gone when the turn is. */
import { isSandboxError, SandboxError } from "../shared/errors.ts";
import { tellThrown } from "../shared/redact.ts";
import type { HarnessSandbox } from "../shared/sandbox.ts";
import { waitAtMost } from "../shell/bounded-wait.ts";

export class TurnSandbox {
  readonly #make: () => Promise<HarnessSandbox>;
  #making: Promise<HarnessSandbox> | undefined;
  #isReleased = false;
  #wasMade = false;

  /** @param make calls the factory; may reject with anything */
  constructor(make: () => Promise<HarnessSandbox>) {
    this.#make = make;
  }

  /** Whether there ever was one. */
  get wasMade(): boolean {
    return this.#wasMade;
  }

  /** The same one for all who ask; after a failure the next call tries again. */
  async get(): Promise<HarnessSandbox> {
    if (this.#isReleased) throw ended();
    this.#making ??= this.#begin();
    const sandbox = await this.#making;
    // It is being disposed of by now.
    if (this.#isReleased) throw ended();
    return sandbox;
  }

  /**
   * Disposes of the sandbox, also of one that is still being made. Never rejects; what went wrong is returned.
   * @param waitMs for each of the two
   */
  async release(waitMs: number): Promise<string | undefined> {
    this.#isReleased = true;
    const making = this.#making;
    if (making === undefined) return undefined;
    const made = await waitAtMost(
      making.catch(() => undefined), // told to those who asked for it
      waitMs,
    );
    if (!made.inTime) {
      void disposeLate(making);
      return `the sandbox was still being made after ${waitMs} ms; it is disposed of when it comes`;
    }
    if (made.value === undefined) return undefined;
    try {
      // The call itself may throw: the sandbox may be anybody's.
      const disposed = await waitAtMost(Promise.resolve(made.value.dispose()), waitMs);
      return disposed.inTime ? undefined : `dispose took longer than ${waitMs} ms`;
    } catch (thrown) {
      return tellThrown(thrown);
    }
  }

  #begin(): Promise<HarnessSandbox> {
    const making = this.#create();
    making.catch(() => {
      this.#making = undefined;
    });
    return making;
  }

  async #create(): Promise<HarnessSandbox> {
    let sandbox: unknown;
    try {
      sandbox = await this.#make();
    } catch (thrown) {
      if (isSandboxError(thrown)) throw thrown;
      throw unavailable(tellThrown(thrown), thrown);
    }
    if (!isSandbox(sandbox))
      throw unavailable("the factory gave no sandbox (an object with exec and dispose)");
    this.#wasMade = true;
    return sandbox;
  }
}

async function disposeLate(making: Promise<HarnessSandbox>): Promise<void> {
  try {
    await (await making).dispose();
  } catch {
    // The turn has ended, and nobody is left to be told.
  }
}

function isSandbox(value: unknown): value is HarnessSandbox {
  const { exec, dispose } = (value ?? {}) as Partial<HarnessSandbox>;
  return typeof exec === "function" && typeof dispose === "function";
}

function unavailable(why: string, cause?: unknown): SandboxError {
  return new SandboxError(
    "SANDBOX_UNAVAILABLE",
    `The sandbox could not be made: ${why}`,
    {},
    cause === undefined ? undefined : { cause },
  );
}

function ended(): SandboxError {
  return new SandboxError("TURN_ENDED", "The turn has ended; a new one has a sandbox of its own.");
}
