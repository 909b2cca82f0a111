/** Logs behind a server that fail or answer what is no event: what the client is told, and what it is not. */
import { expect, test, vi } from "vitest";
import { memorySessionLog } from "../../src/session-log/memory-log.ts";
import { SandboxError } from "../../src/shared/errors.ts";
import { brokenLog, GET, LAST, POST } from "../helpers/log-requests.ts";
import { anAppend, serve } from "../helpers/log-server.ts";
import { readAnswer, requestText, talk } from "../helpers/raw-http.ts";

const failures = [
  [new SandboxError("SESSION_LOG_CONFLICT", "Other content."), 409, "SESSION_LOG_CONFLICT", "Other content."],
  [
    new SandboxError("SESSION_LOG_CORRUPT", "/var/lib/log.ndjson:3: run a: it is damaged."),
    500,
    "SESSION_LOG_CORRUPT",
    "<path>: run a: it is damaged.",
  ],
  [
    new SandboxError("SESSION_LOG_FAILED", "/var/lib/log: EIO"),
    503,
    "SESSION_LOG_FAILED",
    "The log behind the server failed; whether the event is kept is not known.",
  ],
  [
    new SandboxError("SESSION_LOG_CLOSED", "closed"),
    503,
    "SESSION_LOG_FAILED",
    "The log behind the server failed; whether the event is kept is not known.",
  ],
  [
    new Error("password=x"),
    500,
    "SERVER_FAILED",
    "The server failed; whether the event is kept is not known.",
  ],
  [undefined, 500, "SERVER_FAILED", "The server failed; whether the event is kept is not known."],
] as const;

test.each(failures)(
  "what the store throws is told as far as a client may know it: %s",
  async (error, status, code, message) => {
    const told: unknown[] = [];
    const server = await serve({
      store: brokenLog(error),
      onError: (thrown) => {
        told.push(thrown);
        throw new Error("the listener's own");
      },
    });
    const body = JSON.stringify(anAppend("key"));
    for (const request of [requestText(POST, LAST, body), requestText(GET, LAST)]) {
      const answer = readAnswer(await talk(server.port, request));
      expect(answer).toMatchObject({ status, value: { error: { code, message } } });
      if (status === 503) expect(answer.head).toMatch(/^retry-after: \d+$/m);
    }
    expect(told).toEqual(code === "SESSION_LOG_CONFLICT" ? [] : [error, error]);
  },
);

test("a store that throws what cannot be looked at is answered for, whatever the listener does", async () => {
  const trap = () => {
    throw new Error("a trap");
  };
  const thrown = new Proxy({}, { get: trap, has: trap, getPrototypeOf: trap });
  const onError = vi.fn(() => Promise.reject(new Error("the listener's own")));
  const server = await serve({ store: brokenLog(thrown), onError });
  for (const text of [requestText(POST, LAST, JSON.stringify(anAppend("key"))), requestText(GET, LAST)])
    expect(readAnswer(await talk(server.port, text))).toMatchObject({
      status: 500,
      value: { error: { code: "SERVER_FAILED" } },
    });
  expect(onError).toHaveBeenCalled();
});

test.each([undefined, null, "kept", {}])(
  "an append that the store answers with %j is not acknowledged",
  async (event) => {
    const store = { ...brokenLog(new Error("unused")), append: async () => event as never };
    const server = await serve({ store });
    const text = requestText(POST, LAST, JSON.stringify(anAppend("key")));
    expect(readAnswer(await talk(server.port, text)).status).toBe(500);
  },
);

test("options of a read that cannot be looked at are SESSION_LOG_INVALID", async () => {
  const trap = () => {
    throw new Error("a trap");
  };
  const log = memorySessionLog();
  for (const options of [
    Object.defineProperty({}, "after", { get: trap, enumerable: true }),
    new Proxy({}, { ownKeys: trap }),
  ])
    await expect(log.read("run", options)).rejects.toMatchObject({ code: "SESSION_LOG_INVALID" });
});
