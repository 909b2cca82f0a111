/** Connections that misbehave towards a server of a session log. */
import { once } from "node:events";
import { connect } from "node:net";
import { expect, test, vi } from "vitest";
import { memorySessionLog } from "../../src/session-log/memory-log.ts";
import { AUTH, appendOf, GET, gatedLog, LAST, POST } from "../helpers/log-requests.ts";
import { anAppend, clientOf, serve } from "../helpers/log-server.ts";
import { dial, hear, readAnswer, requestText, talk } from "../helpers/raw-http.ts";

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
