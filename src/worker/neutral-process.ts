/** What the worker process must not take over from the machine, and must not open for it. Runs before anything else. */

/**
 * The clock of every script is UTC, as `date` shows it on every machine: the host's zone tells where it stands.
 * Node.js reads the zone from this variable when it is set, and from `/etc/localtime` otherwise.
 */
export const OWN_VARIABLES: readonly string[] = ["TZ"];

export function makeNeutral(): void {
  process.env.TZ = "UTC";
  // Without a listener Node.js opens its inspector on this signal: a port through which any user of the machine
  // could run code in here. A listener of any kind takes the signal from it.
  if (process.platform !== "win32") process.on("SIGUSR1", () => undefined);
}
