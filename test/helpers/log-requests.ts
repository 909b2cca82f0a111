/** Requests to a server of a session log, as bytes on a socket, and logs behind it that wait or fail. */
import { memorySessionLog } from "../../src/session-log/memory-log.ts";
import type { HarnessSessionLog } from "../../src/shared/session-log.ts";
import { gate } from "./gate.ts";
import { anAppend, TOKEN } from "./log-server.ts";
import { requestText } from "./raw-http.ts";

export const AUTH = { authorization: `Bearer ${TOKEN}` };
export const LAST = { ...AUTH, connection: "close" };
export const GET = "GET /v1/runs/run/events";
export const POST = "POST /v1/runs/run/events";
export const appendOf = (key: string) => requestText(POST, AUTH, JSON.stringify(anAppend(key)));

/** A log whose appends wait for a gate. */
export function gatedLog() {
  const inner = memorySessionLog();
  const { promise, open } = gate();
  const begun = gate();
  const log: HarnessSessionLog = {
    append: async (event) => {
      begun.open();
      await promise;
      return inner.append(event);
    },
    read: (runId, options) => inner.read(runId, options),
    close: () => inner.close(),
  };
  return { log, inner, open: () => open(), begun: begun.promise };
}

/** A log of which every call fails. */
export function brokenLog(error: unknown): HarnessSessionLog {
  return {
    append: () => Promise.reject(error),
    read: () => Promise.reject(error),
    close: async () => undefined,
  };
}
