/** One sandbox is one shell: commands run one after another, in the order in which they were called. */
export class CommandQueue {
  #tail: Promise<void> = Promise.resolve();

  /**
   * Runs a command when its turn comes, or gives `onLeave`'s value as soon as the signal aborts while it
   * waits; the commands behind it keep their places.
   */
  async run<T>(leave: AbortSignal, onTurn: () => Promise<T>, onLeave: () => Promise<T>): Promise<T> {
    const before = this.#tail;
    let finish: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    this.#tail = before.then(() => finished);
    try {
      return (await isMyTurn(before, leave)) ? await onTurn() : await onLeave();
    } finally {
      finish();
    }
  }
}

async function isMyTurn(before: Promise<void>, leave: AbortSignal): Promise<boolean> {
  if (leave.aborted) return false;
  let onAbort: (() => void) | undefined;
  const left = new Promise<false>((resolve) => {
    onAbort = () => resolve(false);
    leave.addEventListener("abort", onAbort, { once: true });
  });
  const turn = await Promise.race([before.then(() => true), left]);
  if (onAbort !== undefined) leave.removeEventListener("abort", onAbort);
  return turn && !leave.aborted;
}
