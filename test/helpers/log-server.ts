/** A server of a session log that ends with its test. */
import { onTestFinished } from "vitest";
import { remoteSessionLog } from "../../src/session-log/client.ts";
import {
  type SessionLogServer,
  type SessionLogServerOptions,
  startSessionLogServer,
} from "../../src/session-log/server.ts";
import type { HarnessSessionLog, SessionLogAppend } from "../../src/shared/session-log.ts";

/** What servers of tests ask for. */
export const TOKEN = "token-of-the-tests";

/** Listening, with {@link TOKEN} unless it is said otherwise. */
export async function serve(options: SessionLogServerOptions = {}): Promise<SessionLogServer> {
  const server = await startSessionLogServer({ authToken: TOKEN, closeTimeoutMs: 100, ...options });
  onTestFinished(() => server.close());
  return server;
}

/** A client of `server` that tries once. */
export function clientOf(server: { readonly url: string }, maxAppendAttempts = 1): HarnessSessionLog {
  return remoteSessionLog({ baseUrl: server.url, authToken: TOKEN, maxAppendAttempts });
}

/** An append that says little. */
export function anAppend(key: string, rest: Partial<SessionLogAppend> = {}): SessionLogAppend {
  return { runId: "run", appendIdempotencyKey: key, type: "test.happened", data: { key }, ...rest };
}
