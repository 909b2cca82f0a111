/** A worker that was started ahead of need uses the wait: it rehearses, so that its first command finds all in use. */
import type { loadEngine } from "./load-engine.ts";
import { rehearse } from "./rehearse.ts";

/** A worker that is needed at once is asked to open its workspace before it has loaded the engine. */
const WAIT_MS = 50;
/** A second time what ran once is found where it was left, and the later ones take a millisecond or two each. */
const TIMES = 4;

/** The returned function says when a rehearsal that is under way is over; none begins after it was called. */
export function warmUpIfSpare(engine: ReturnType<typeof loadEngine>): () => Promise<void> {
  let underWay = Promise.resolve();
  let asked = false;
  const begin = async (): Promise<void> => {
    for (let count = 0; count < TIMES && !asked; count++) await rehearse(engine);
  };
  void engine.then(
    // Timers come before what has arrived meanwhile: the question may lie in the pipe already.
    () =>
      setTimeout(
        () =>
          setImmediate(() => {
            // What is wrong here is wrong in the workspace's own shell too, and told there.
            if (!asked) underWay = begin().catch(() => undefined);
          }),
        WAIT_MS,
      ),
    () => undefined,
  );
  return () => {
    asked = true;
    return underWay;
  };
}
