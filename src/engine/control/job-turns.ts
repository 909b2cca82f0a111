/**
 * Fair turns for background jobs. All interpreters share one event loop, and one that never waits for a timer or a file
 * (`while :; do :; done`) would let none of the others, no timer and no deadline have a turn. So while a job runs, every
 * interpreter of this process gives the loop up after its slice. Counted for the process and not for one script: what a
 * job starts (`bash -c`, `xargs`) is a shell that knows of no jobs.
 */

// Copies: the engine blocks the global while a script runs.
const later = setImmediate;
const now = performance.now.bind(performance);

/** How long one round of all that run may take, about. Timers come once in a round. */
const ROUND_MS = 5;

/** What the engine's text looks at before each statement: without jobs this is all that a script pays. */
export const jobTurns = { running: 0 };

let sliceEndsAt = 0;

/** Called by the shell that starts it, which goes on for a slice: the job needs a turn to start. */
export function jobStarted(): void {
  if (jobTurns.running++ === 0) sliceEndsAt = now() + ROUND_MS;
}

export function jobEnded(): void {
  jobTurns.running--;
}

/** The next turn of the event loop: timers and files of the jobs get theirs. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => later(resolve));
}

/** Before a statement while jobs run: waits for the next turn if the slice is used up. */
export function takeTurn(): Promise<void> | undefined {
  if (now() < sliceEndsAt) return undefined;
  return new Promise((resolve) => {
    later(() => {
      // Set when the slice begins, not when it was asked for: all that run meanwhile must give up theirs first.
      sliceEndsAt = now() + ROUND_MS / (jobTurns.running + 1);
      resolve();
    });
  });
}
