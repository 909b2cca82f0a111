/** How a server of a session log ends, whatever its connections do meanwhile. */
import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { AUTH, appendOf, GET, gatedLog, LAST } from "../helpers/log-requests.ts";
import { anAppend, clientOf, serve } from "../helpers/log-server.ts";
import { dial, hear, hearOnce, readAnswer, requestText, talk } from "../helpers/raw-http.ts";

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
