/** `startSessionLogServer()`: a log as a service, on `node:http`. Loads nothing of it before it is called. */
import { checkServerOptions, type SessionLogServerOptions } from "./server-options.ts";

export type { SessionLogServerLimits, SessionLogServerOptions } from "./server-options.ts";

/** A server that listens. */
export interface SessionLogServer extends AsyncDisposable {
  /** What a `remoteSessionLog()` of this machine takes as `baseUrl`. */
  readonly url: string;
  /** The port that it listens on. */
  readonly port: number;
  /**
   * Takes no more connections, answers what is under way and closes; what has no answer after `closeTimeoutMs` is cut,
   * and its client does not know whether its event is kept. A `store` that was given stays open. Again: the same end.
   */
  close(): Promise<void>;
}

/**
 * Puts a log behind HTTP, as `docs/remote-session.md` says: `remoteSessionLog()` is the client.
 *
 * @throws SandboxError `OPTION_INVALID`, also for an address or a port that cannot be listened on, and for one that is not
 * loopback without an `authToken`.
 */
export async function startSessionLogServer(
  options: SessionLogServerOptions = {},
): Promise<SessionLogServer> {
  const checked = checkServerOptions(options);
  const { listen } = await import("./server-listen.ts");
  return listen(checked);
}
