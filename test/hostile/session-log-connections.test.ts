/** Connections that misbehave towards a server of a session log, and the server's own ends. */
import { once } from "node:events";
import { connect } from "node:net";
import { expect, test, vi } from "vitest";
import { memorySessionLog } from "../../src/session-log/memory-log.ts";
import { SandboxError } from "../../src/shared/errors.ts";
import type { HarnessSessionLog } from "../../src/shared/session-log.ts";
import { gate } from "../helpers/gate.ts";
import { anAppend, clientOf, serve, TOKEN } from "../helpers/log-server.ts";
import { dial, hear, hearOnce, readAnswer, requestText, talk } from "../helpers/raw-http.ts";

const AUTH = { authorization: `Bearer ${TOKEN}` };
const LAST = { ...AUTH, connection: "close" };
const GET = "GET /v1/runs/run/events";
const POST = "POST /v1/runs/run/events";
const appendOf = (key: string) => requestText(POST, AUTH, JSON.stringify(anAppend(key)));

/** A log whose appends wait for a gate. */
function gatedLog() {
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

function failingLog(error: unknown): HarnessSessionLog {
  return {
    append: () => Promise.reject(error),
    read: () => Promise.reject(error),
    close: async () => undefined,
  };
}

test("headers that trickle in are cut off with 408", async () => {
  const server = await serve({ headersTimeoutMs: 100 });
  const socket = await dial(server.port);
  const heard = hear(socket);
  const timer = setInterval(() => socket.write("x"), 10);
  socket.write("GET /health HTTP/1.1\r\nx: ");
  expect(readAnswer(await heard)).toMatchObject({
    status: 408,
    value: { error: { code: "REQUEST_TIMEOUT" } },
  });
  clearInterval(timer);
});

test("a connection over which nothing comes is closed", async () => {
  const server = await serve({ headersTimeoutMs: 100 });
  expect(readAnswer(await hear(await dial(server.port))).status).toBe(408);
});

test("a connection that has had its answer is closed when it stays idle", async () => {
  const server = await serve({ idleTimeoutMs: 100 });
  expect(readAnswer(await talk(server.port, requestText("GET /health"))).status).toBe(200);
});

test("a body that trickles in is cut off with 408, and its place is free again", async () => {
  const server = await serve({ bodyTimeoutMs: 100, maxConcurrentAppends: 1 });
  const socket = await dial(server.port);
  const heard = hear(socket);
  const timer = setInterval(() => socket.write(" "), 10);
  socket.write(requestText(POST, { ...LAST, "content-type": "application/json", "content-length": "5000" }));
  expect(readAnswer(await heard)).toMatchObject({
    status: 408,
    value: { error: { code: "REQUEST_TIMEOUT" } },
  });
  clearInterval(timer);
  expect(await clientOf(server).append(anAppend("key"))).toMatchObject({ sequence: 1 });
});

test.each([
  ["leaves", ""],
  ["breaks the form of its body", "zz\r\n"],
])(
  "a client that %s in the middle of its body appends nothing, and its place is free again",
  async (_, rest) => {
    const server = await serve({ maxConcurrentAppends: 1 });
    const socket = await dial(server.port);
    socket.write(
      requestText(POST, { ...AUTH, "content-type": "application/json", "transfer-encoding": "chunked" }),
    );
    socket.write(`2\r\n{"\r\n${rest}`);
    if (rest === "") socket.end();
    await hear(socket);
    await vi.waitFor(() => clientOf(server).append(anAppend("key")), { timeout: 5_000, interval: 5 });
    expect(await clientOf(server).read("run")).toHaveLength(1);
  },
);

test("garbage behind an append does not stand in its place: the append has its own answer, and then it ends", async () => {
  const { log, open, begun } = gatedLog();
  const server = await serve({ store: log });
  const socket = await dial(server.port);
  const heard = hear(socket);
  socket.write(`${appendOf("key")}\u0000\u0001 garbage\r\n\r\n`);
  await begun;
  socket.write("more garbage\r\n\r\n");
  open();
  const text = await heard;
  expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
  expect(readAnswer(text)).toMatchObject({ status: 200, value: { event: { sequence: 1 } } });
});

test("requests one behind the other on a connection have their answers in order", async () => {
  const server = await serve();
  const text = await talk(
    server.port,
    `${appendOf("a")}${appendOf("b")}${requestText(GET)}${requestText(GET, LAST)}`,
  );
  expect([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual([
    "200",
    "200",
    "401",
    "200",
  ]);
  expect(text.lastIndexOf('"events"')).toBeGreaterThan(text.lastIndexOf("UNAUTHORIZED"));
  expect((await clientOf(server).read("run")).map((event) => event.appendIdempotencyKey).sort()).toEqual([
    "a",
    "b",
  ]);
});

test("a client that closes its half behind an append leaves the event and nothing else", async () => {
  const { log, inner, open, begun } = gatedLog();
  const server = await serve({ store: log, maxConcurrentAppends: 1 });
  const socket = await dial(server.port);
  socket.end(appendOf("key"));
  const heard = hear(socket);
  await begun;
  open();
  await heard;
  await vi.waitFor(async () => expect(await inner.read("run")).toHaveLength(1));
  expect(await clientOf(server).append(anAppend("other"))).toMatchObject({ sequence: 2 });
});

test("a thousand idle connections do not keep an append away", async () => {
  const server = await serve();
  const sockets = await Promise.all(Array.from({ length: 1_000 }, () => dial(server.port)));
  expect(await clientOf(server).append(anAppend("key"))).toMatchObject({ sequence: 1 });
  for (const socket of sockets) socket.destroy();
});

test("a connection above the limit is closed, and there is room again when one has left", async () => {
  const server = await serve({ maxConnections: 3 });
  const sockets = await Promise.all(Array.from({ length: 3 }, () => dial(server.port)));
  const extra = connect({ port: server.port, host: "127.0.0.1" });
  extra.on("error", () => undefined);
  await once(extra, "close");
  sockets[0]?.destroy();
  await vi.waitFor(() => clientOf(server).append(anAppend("key")), { timeout: 5_000, interval: 5 });
  for (const socket of sockets) socket.destroy();
});

test("an append beyond the places is told to come again, while reads and health go on", async () => {
  const { log, open, begun } = gatedLog();
  const server = await serve({ store: log, maxConcurrentAppends: 1 });
  const first = talk(server.port, requestText(POST, LAST, JSON.stringify(anAppend("first"))));
  await begun;
  const second = readAnswer(
    await talk(server.port, requestText(POST, LAST, JSON.stringify(anAppend("second")))),
  );
  expect(second).toMatchObject({ status: 503, value: { error: { code: "SERVER_BUSY" } } });
  expect(second.head).toMatch(/^retry-after: \d+$/m);
  expect(readAnswer(await talk(server.port, requestText(GET, LAST))).status).toBe(200);
  expect(readAnswer(await talk(server.port, requestText("GET /health", LAST))).status).toBe(200);
  open();
  expect(readAnswer(await first).status).toBe(200);
});

test("a client that does not take its answer is cut off, and its place is free again", async () => {
  const store = memorySessionLog();
  for (let n = 0; n < 8; n++) await store.append(anAppend(`key/${n}`, { data: "x".repeat(1_000_000) }));
  const server = await serve({ store, responseTimeoutMs: 100, maxConcurrentReads: 1 });
  const socket = await dial(server.port);
  socket.pause();
  socket.write(requestText(GET, LAST));
  await vi.waitFor(
    async () =>
      expect(readAnswer(await talk(server.port, requestText(`${GET}?limit=1`, LAST))).status).toBe(200),
    { timeout: 5_000, interval: 5 },
  );
  socket.destroy();
});

test("a page is as large as it may be, and never empty while there are events", async () => {
  const server = await serve({ maxPageBytes: 1_000 });
  const client = clientOf(server);
  for (const [n, size] of [10, 10, 5_000, 10].entries())
    await client.append(anAppend(`key/${n}`, { data: "x".repeat(size) }));
  expect((await client.read("run")).map(({ sequence }) => sequence)).toEqual([1, 2]);
  expect((await client.read("run", { after: 2 })).map(({ sequence }) => sequence)).toEqual([3]);
  expect((await client.read("run", { after: 3 })).map(({ sequence }) => sequence)).toEqual([4]);
  expect(await client.read("run", { after: 4 })).toEqual([]);
});

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
      store: failingLog(error),
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

test("a close answers the last append, takes no other, and leaves the store to its owner", async () => {
  const { log, inner, open, begun } = gatedLog();
  const server = await serve({ store: log, closeTimeoutMs: 10_000 });
  const idle = await dial(server.port);
  const socket = await dial(server.port);
  socket.write(appendOf("last"));
  await begun;
  const heard = hear(socket);
  const closed = server.close();
  socket.write(appendOf("late"));
  const other = connect({ port: server.port, host: "127.0.0.1" });
  expect((await once(other, "error"))[0]).toMatchObject({ code: "ECONNREFUSED" });
  open();
  const answer = await heard;
  expect(answer).toMatch(/^connection: close/im);
  expect(answer).toContain('"appendIdempotencyKey":"last"');
  await closed;
  await server.close();
  await hear(idle);
  expect((await inner.read("run")).map((event) => event.appendIdempotencyKey)).toEqual(["last"]);
});

test("a close does not wait for ever: what has no answer is cut", async () => {
  const { log, begun, open } = gatedLog();
  const server = await serve({ store: log, closeTimeoutMs: 50 });
  const socket = await dial(server.port);
  socket.write(appendOf("key"));
  await begun;
  const heard = hear(socket);
  await server.close();
  expect(await heard).toBe("");
  open();
});

test("the log that a server made for itself ends with it", async () => {
  const server = await serve();
  await clientOf(server).append(anAppend("key"));
  await server.close();
  const next = await serve();
  expect(await clientOf(next).read("run")).toEqual([]);
});

test("a server's answer to a request while it closes says so", async () => {
  const { log, open, begun } = gatedLog();
  const server = await serve({ store: log, closeTimeoutMs: 10_000 });
  const busy = await dial(server.port);
  busy.write(appendOf("last"));
  await begun;
  const socket = await dial(server.port);
  socket.write(requestText("GET /health"));
  await hearOnce(socket);
  // Half a request keeps the connection from counting as idle.
  socket.write(requestText(GET, AUTH).slice(0, -2));
  const seen = talk(server.port, requestText("GET /health", LAST));
  await seen;
  const closed = server.close();
  socket.write("\r\n");
  expect(readAnswer(await hear(socket))).toMatchObject({
    status: 503,
    value: { error: { code: "SERVER_CLOSING" } },
  });
  open();
  await closed;
});

test("a store that throws what cannot be looked at is answered for, whatever the listener does", async () => {
  const trap = () => {
    throw new Error("a trap");
  };
  const thrown = new Proxy({}, { get: trap, has: trap, getPrototypeOf: trap });
  const onError = vi.fn(() => Promise.reject(new Error("the listener's own")));
  const server = await serve({ store: failingLog(thrown), onError });
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
    const store = { ...failingLog(new Error("unused")), append: async () => event as never };
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
