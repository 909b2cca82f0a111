/** Fifty clients of one log at once, and what must be true of it afterwards, whatever stood between them. */
import { expect } from "vitest";
import { remoteSessionLog } from "../../src/session-log/client.ts";
import { isSandboxError } from "../../src/shared/errors.ts";
import type { HarnessSessionLog, SessionLogEvent } from "../../src/shared/session-log.ts";
import { TOKEN } from "./log-server.ts";
import { readAll } from "./session-logs.ts";

const CLIENTS = 50;
/** Each run has five clients, so that their appends meet. */
const RUNS = 10;

/** How far the crowd is, and what was acknowledged. */
export interface Crowd {
  readonly acknowledged: SessionLogEvent[];
  readonly done: Promise<void>;
}

/** Appends `each` events by every client; an append whose outcome is not known is tried until it is. */
export function startCrowd(baseUrl: string, each: number): Crowd {
  const acknowledged: SessionLogEvent[] = [];
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    const log = remoteSessionLog({ baseUrl, authToken: TOKEN, timeoutMs: 10_000 });
    for (let n = 0; n < each; n++) {
      const runId = `run-${client % RUNS}`;
      const key = `client/${client}/${n}`;
      const event = {
        runId,
        appendIdempotencyKey: key,
        type: "crowd.spoke",
        data: { client, n, text: "x".repeat(n * 40) },
      };
      acknowledged.push(await appendUntilKnown(log, event));
    }
    await log.close();
  });
  return { acknowledged, done: Promise.all(clients).then(() => undefined) };
}

async function appendUntilKnown(log: HarnessSessionLog, event: Parameters<HarnessSessionLog["append"]>[0]) {
  for (;;) {
    try {
      return await log.append(event);
    } catch (error) {
      if (!isSandboxError(error) || error.code !== "SESSION_LOG_FAILED") throw error;
    }
  }
}

/** Each event once, no gap, whole chains, and every acknowledged event as it was acknowledged. */
export async function expectWhole(
  log: HarnessSessionLog,
  acknowledged: readonly SessionLogEvent[],
  each: number,
) {
  expect(acknowledged).toHaveLength(CLIENTS * each);
  const kept: SessionLogEvent[] = [];
  for (let run = 0; run < RUNS; run++) kept.push(...(await readAll(log, `run-${run}`)));
  const named = (events: readonly SessionLogEvent[]) =>
    events
      .map((event) => `${event.runId} ${event.appendIdempotencyKey} ${event.sequence} ${event.hash}`)
      .sort();
  expect(named(kept)).toEqual(named(acknowledged));
  for (let client = 0; client < CLIENTS; client++) {
    const own = kept.filter(({ appendIdempotencyKey }) =>
      appendIdempotencyKey.startsWith(`client/${client}/`),
    );
    // Each client waits for an append before the next one.
    expect(own.map(({ data }) => (data as { n: number }).n)).toEqual(
      Array.from({ length: each }, (_, n) => n),
    );
  }
}
