/**
 * SIGUSR1 makes a Node.js process open its inspector, through which anybody on this machine can run code in it.
 * A worker that a guest took over could send it. With a listener of any kind the signal does nothing of that; ours
 * is there while workers live and nobody else listens.
 */
let workers = 0;

const ignore = (): void => undefined;

/** Call the function returned when the worker is gone. */
export function guardInspector(): () => void {
  if (process.platform === "win32") return ignore;
  if (++workers === 1 && process.listenerCount("SIGUSR1") === 0) process.on("SIGUSR1", ignore);
  let over = false;
  return () => {
    if (over) return;
    over = true;
    if (--workers === 0) process.off("SIGUSR1", ignore);
  };
}
