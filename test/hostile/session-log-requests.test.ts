/** Requests that a server of a session log refuses: each has its answer, all in one shape. */
import { expect, test } from "vitest";
import { anAppend, clientOf, serve, TOKEN } from "../helpers/log-server.ts";
import { dial, hear, hearOnce, readAnswer, requestText, talk } from "../helpers/raw-http.ts";

const AUTH = { authorization: `Bearer ${TOKEN}`, connection: "close" };
const GET = "GET /v1/runs/run/events";
const POST = "POST /v1/runs/run/events";
const BODY = JSON.stringify(anAppend("key"));

type Case = readonly [name: string, status: number, code: string, request: string];

const refused: readonly Case[] = [
  ["no token", 401, "UNAUTHORIZED", requestText(GET, { connection: "close" })],
  ["a wrong token", 401, "UNAUTHORIZED", requestText(GET, { ...AUTH, authorization: `Bearer ${TOKEN}x` })],
  [
    "a part of the token",
    401,
    "UNAUTHORIZED",
    requestText(GET, { ...AUTH, authorization: `Bearer ${TOKEN.slice(1)}` }),
  ],
  [
    "a token of another scheme",
    401,
    "UNAUTHORIZED",
    requestText(GET, { ...AUTH, authorization: `Basic ${TOKEN}` }),
  ],
  [
    "two tokens in one",
    401,
    "UNAUTHORIZED",
    requestText(GET, { ...AUTH, authorization: `Bearer ${TOKEN} ${TOKEN}` }),
  ],
  ["another route without a token", 401, "UNAUTHORIZED", requestText("GET /", { connection: "close" })],
  ["another method without a token", 401, "UNAUTHORIZED", requestText("DELETE /x", { connection: "close" })],
  ["another route", 404, "NOT_FOUND", requestText("GET /v1/runs", AUTH)],
  ["a run with a slash", 404, "NOT_FOUND", requestText("GET /v1/runs/a/b/events", AUTH)],
  ["a route in another case", 404, "NOT_FOUND", requestText("GET /V1/runs/run/events", AUTH)],
  ["another method", 405, "METHOD_NOT_ALLOWED", requestText("DELETE /v1/runs/run/events", AUTH)],
  ["what a browser asks first", 405, "METHOD_NOT_ALLOWED", requestText("OPTIONS /v1/runs/run/events", AUTH)],
  ["a health check that is none", 405, "METHOD_NOT_ALLOWED", requestText("POST /health", AUTH)],
  [
    "another protocol",
    400,
    "PROTOCOL_MISMATCH",
    requestText(GET, { ...AUTH, "lh-protocol": "lh.remote-session.v2" }),
  ],
  ["no protocol", 400, "PROTOCOL_MISMATCH", requestText(GET, { ...AUTH, "lh-protocol": "" })],
  ["a run that is not percent-encoded", 400, "REQUEST_INVALID", requestText("GET /v1/runs/%zz/events", AUTH)],
  ["a run of half a character", 400, "REQUEST_INVALID", requestText("GET /v1/runs/%c3/events", AUTH)],
  ["a run that is a directory", 400, "SESSION_LOG_INVALID", requestText("GET /v1/runs/%2e%2e/events", AUTH)],
  ["a run with an encoded slash", 400, "SESSION_LOG_INVALID", requestText("GET /v1/runs/a%2fb/events", AUTH)],
  ["a run with a NUL", 400, "SESSION_LOG_INVALID", requestText("GET /v1/runs/a%00/events", AUTH)],
  ["an unknown parameter", 400, "REQUEST_INVALID", requestText(`${GET}?from=1`, AUTH)],
  ["a parameter twice", 400, "REQUEST_INVALID", requestText(`${GET}?after=1&after=2`, AUTH)],
  ["a parameter that is no number", 400, "REQUEST_INVALID", requestText(`${GET}?after=1e3`, AUTH)],
  ["a limit of none", 400, "SESSION_LOG_INVALID", requestText(`${GET}?limit=0`, AUTH)],
  ["a limit too high", 400, "SESSION_LOG_INVALID", requestText(`${GET}?limit=1001`, AUTH)],
  ["an append with a query", 400, "REQUEST_INVALID", requestText(`${POST}?after=1`, AUTH, BODY)],
  ["an append of another run", 400, "REQUEST_INVALID", requestText("POST /v1/runs/other/events", AUTH, BODY)],
  [
    "a body of another type",
    415,
    "MEDIA_TYPE_REFUSED",
    requestText(POST, { ...AUTH, "content-type": "text/plain" }, BODY),
  ],
  [
    "a body in Latin-1",
    415,
    "MEDIA_TYPE_REFUSED",
    requestText(POST, { ...AUTH, "content-type": "application/json; charset=latin1" }, BODY),
  ],
  ["a body of no type", 415, "MEDIA_TYPE_REFUSED", requestText(POST, AUTH)],
  [
    "a compressed body",
    415,
    "MEDIA_TYPE_REFUSED",
    requestText(POST, { ...AUTH, "content-encoding": "gzip" }, BODY),
  ],
  ["a body that is no JSON", 400, "REQUEST_INVALID", requestText(POST, AUTH, "{")],
  [
    "a key twice",
    400,
    "REQUEST_INVALID",
    requestText(POST, AUTH, BODY.replace('"data"', '"type":"x","data"')),
  ],
  [
    "an unknown field",
    400,
    "SESSION_LOG_INVALID",
    requestText(POST, AUTH, BODY.replace('"data"', '"sequence":1,"data"')),
  ],
  ["a list", 400, "SESSION_LOG_INVALID", requestText(POST, AUTH, `[${BODY}]`)],
  [
    "data beyond a number",
    400,
    "SESSION_LOG_INVALID",
    requestText(POST, AUTH, BODY.replace('{"key":"key"}', "1e999")),
  ],
  ["another expectation", 417, "EXPECTATION_REFUSED", requestText(GET, { ...AUTH, expect: "a-pony" })],
  ["a head too large", 431, "HEADERS_TOO_LARGE", requestText(GET, { ...AUTH, cookie: "x".repeat(20_000) })],
  ["garbage", 400, "REQUEST_INVALID", "\u0016\u0003\u0001\u0002garbage\r\n\r\n"],
  ["no host", 400, "REQUEST_INVALID", requestText(GET, AUTH).replace(/host: [^\r]*\r\n/, "")],
  [
    "two lengths",
    400,
    "REQUEST_INVALID",
    requestText(POST, { ...AUTH, "transfer-encoding": "chunked" }, BODY),
  ],
];

test.each(refused)("%s: %i %s", async (_, status, code, request) => {
  const server = await serve();
  const { head, value, ...answer } = readAnswer(await talk(server.port, request));
  expect(value).toEqual({ error: { code, message: expect.stringMatching(/^[^\n]+\.$/) } });
  expect(head).toContain("content-type: application/json; charset=utf-8");
  expect(head).toContain("lh-protocol: lh.remote-session.v1");
  expect(answer.status).toBe(status);
  expect(head).not.toContain("access-control");
  expect(await clientOf(server).read("run")).toEqual([]);
});

test("every refusal of a token is the same answer, and comes before the body", async () => {
  const server = await serve();
  const texts = new Set<string>();
  for (const authorization of [
    "",
    `Bearer ${TOKEN}x`,
    "Bearer",
    "Bearer \u00e9",
    "Bearer ".concat("x".repeat(9_000)),
  ])
    for (const line of [GET, POST, "GET /v1/nothing", "PATCH /x"]) {
      // The body that is announced never comes.
      const socket = await dial(server.port);
      socket.write(requestText(line, { authorization, "content-length": "100" }));
      const text = await hearOnce(socket);
      socket.destroy();
      texts.add(text.replace(/\r\nDate: [^\r]*/i, ""));
    }
  expect([...texts]).toHaveLength(1);
});

test("health needs no token and tells only that the server is there", async () => {
  const server = await serve();
  const { status, value } = readAnswer(
    await talk(server.port, "GET /health HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"),
  );
  expect([status, value]).toEqual([200, { ok: true, protocol: "lh.remote-session.v1" }]);
});

test("a body beyond the limit is refused by its length, or when that many bytes have come", async () => {
  const server = await serve({ maxBodyBytes: 1_000 });
  const announced = await talk(
    server.port,
    requestText(POST, { ...AUTH, "content-type": "application/json", "content-length": "1001" }),
  );
  const chunk = `${(600).toString(16)}\r\n${"x".repeat(600)}\r\n`;
  const streamed = await talk(
    server.port,
    requestText(POST, { ...AUTH, "content-type": "application/json", "transfer-encoding": "chunked" }) +
      chunk +
      chunk,
  );
  for (const text of [announced, streamed])
    expect(readAnswer(text)).toMatchObject({ status: 413, value: { error: { code: "BODY_TOO_LARGE" } } });
});

test("a refused body is taken for a while, so that its sender reads the refusal, but not for ever", async () => {
  const server = await serve({ maxBodyBytes: 1_000_000 });
  const socket = await dial(server.port);
  socket.write(requestText(POST, { authorization: "Bearer wrong", "transfer-encoding": "chunked" }));
  const heard = hear(socket);
  const chunk = `${(65_536).toString(16)}\r\n${"x".repeat(65_536)}\r\n`;
  const more = (): void => {
    if (!socket.destroyed) socket.write(chunk, () => setImmediate(more));
  };
  more();
  expect(readAnswer(await heard).status).toBe(401);
});

test("an append that waits to be asked for its body is asked for it", async () => {
  const server = await serve();
  const socket = await dial(server.port);
  const [head, body] = requestText(POST, { ...AUTH, expect: "100-continue" }, BODY).split("\r\n\r\n");
  socket.write(`${head}\r\n\r\n`);
  expect(await hearOnce(socket)).toMatch(/^HTTP\/1\.1 100 /);
  socket.write(body ?? "");
  expect(readAnswer(await hear(socket))).toMatchObject({ status: 200, value: { event: { sequence: 1 } } });
});

test("an append that would be refused is not asked for its body", async () => {
  const server = await serve({ maxBodyBytes: 10 });
  const heard = await talk(
    server.port,
    requestText(POST, { ...AUTH, expect: "100-continue" }, BODY).replace(BODY, ""),
  );
  expect(readAnswer(heard)).toMatchObject({ status: 413 });
});

test.each(["localhost", "LOCALHOST:99", "127.0.0.1", "127.9.9.9:1", "[::1]:8787"])(
  "without a token the server is asked as %s",
  async (host) => {
    const server = await serve({ authToken: undefined });
    expect(readAnswer(await talk(server.port, requestText(GET, { host, connection: "close" }))).status).toBe(
      200,
    );
  },
);

test.each([
  "evil.example",
  "localhost.evil.example",
  "127.0.0.1.evil.example",
  "0.0.0.0",
  "169.254.1.1",
  "[::]",
  "",
  "127.0.0.1:x",
])("without a token a page that has this machine's address under the name %j gets nothing", async (host) => {
  const server = await serve({ authToken: undefined });
  for (const line of [GET, "GET /health"])
    expect(
      readAnswer(await talk(server.port, requestText(line, { host, connection: "close" }))),
    ).toMatchObject({
      status: 403,
      value: { error: { code: "HOST_REFUSED" } },
    });
});
