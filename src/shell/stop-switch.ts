/** Why a command was told to stop. The first reason stays. */
export type StopReason = "abort" | "dispose" | "deadline";

/** One command's way to be stopped: by its caller, by dispose, by the end of the command it is nested in. */
export class StopSwitch {
  readonly #controller = new AbortController();
  #reason: StopReason | undefined;
  #release: () => void = () => undefined;

  /** @param caller the caller's own signal; let go of by `release` */
  constructor(caller?: AbortSignal) {
    if (caller === undefined) return;
    const onAbort = () => this.stop("abort");
    if (caller.aborted) onAbort();
    else {
      caller.addEventListener("abort", onAbort, { once: true });
      this.#release = () => caller.removeEventListener("abort", onAbort);
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get reason(): StopReason | undefined {
    return this.#reason;
  }

  stop(reason: StopReason): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#controller.abort(new DOMException(`stopped: ${reason}`, "AbortError"));
  }

  release(): void {
    this.#release();
  }
}
