/** Pieces of work that run one after another, in the order in which they were asked for. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs the work in its turn. A failure is its caller's; the next one's turn comes all the same. */
  async take<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(work);
    this.#last = mine.catch(() => undefined); // whoever waits for `mine` gets the failure
    return await mine;
  }
}
