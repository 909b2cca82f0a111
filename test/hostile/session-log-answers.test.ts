/** Services that break off, send too much or refuse, towards a client of a session log; those that lie: `session-log-lies.test.ts`. */
import type { IncomingMessage } from "node:http";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { remoteSessionLog } from "../../src/session-log/client.ts";
import type { HarnessSessionLog, SessionLogEvent } from "../../src/shared/session-log.ts";
import { anAppend, clientOf, serve, TOKEN } from "../helpers/log-server.ts";
import {
  type Answer,
  appendOne,
  eventsOf,
  failureOf,
  lyingService,
  refuses,
  SPOKEN,
  says,
} from "../helpers/lying-log-service.ts";

const again: [string, Answer][] = [
  ["breaks off before an answer", (response) => response.destroy()],
  [
    "breaks off in the middle",
    (response) =>
      void response
        .writeHead(200, { ...SPOKEN, "content-length": "999" })
        .write("{", () => response.destroy()),
  ],
  ["answers 408", refuses(408, "REQUEST_TIMEOUT")],
  ["answers 429", says("slow down", 429, {})],
  ["answers 500", refuses(500, "SERVER_FAILED")],
  ["answers 502 in HTML", says("<html>", 502, { "content-type": "text/html" })],
  ["answers 503", refuses(503, "SERVER_BUSY", { "retry-after": "0" })],
];

test.each(again)("a service that %s is sent the same bytes again", async (_, answer) => {
  const [event] = await eventsOf(1);
  const { log, asked } = await lyingService([answer, answer, says({ event })]);
  expect(await appendOne(log)).toEqual(event);
  expect(asked).toHaveLength(3);
  expect(new Set(asked.map(({ body }) => body)).size).toBe(1);
  expect(new Set(asked.map(({ url }) => url)).size).toBe(1);
  const { log: other, asked: reads } = await lyingService([answer, says({ events: [event] })]);
  expect(await other.read("run")).toEqual([event]);
  expect(reads.map(({ method }) => method)).toEqual(["GET", "GET"]);
});

test("attempts have an end, and the error says what the last one met", async () => {
  const { log, asked } = await lyingService([refuses(503, "SERVER_BUSY")], { maxAppendAttempts: 2 });
  expect(await failureOf(appendOne(log))).toEqual({
    code: "SESSION_LOG_FAILED",
    message:
      "The session log service cannot be used: it answered 503 (SERVER_BUSY: No), in the last of 2 attempts.",
    data: { runId: "run", attempts: 2 },
  });
  expect(asked).toHaveLength(2);
});

test("a service that never answers is given up after the time, each time, and sent the same again", async () => {
  const { log, asked } = await lyingService([() => undefined], { timeoutMs: 100, maxAppendAttempts: 2 });
  expect((await failureOf(appendOne(log))).message).toContain("it took longer than 100 ms");
  expect(asked).toHaveLength(2);
});

test("an answer without an end is given up after the time", async () => {
  const drip: Answer = (response) => {
    response.writeHead(200, SPOKEN);
    const timer = setInterval(() => response.write(" "), 5);
    response.once("close", () => clearInterval(timer));
  };
  const { log } = await lyingService([drip], { timeoutMs: 100, maxAppendAttempts: 1 });
  expect((await failureOf(appendOne(log))).message).toContain("it took longer than 100 ms");
});

test("a fetch that hears no signal is given up after the time all the same", async () => {
  const deaf = () => new Promise<Response>(() => undefined);
  const log = remoteSessionLog({
    baseUrl: "http://127.0.0.1:9",
    timeoutMs: 20,
    maxAppendAttempts: 1,
    fetch: deaf,
  });
  expect((await failureOf(appendOne(log))).message).toContain("it took longer than 20 ms");
});

const final: [string, Answer, string][] = [
  ["a redirect", says("", 307, { location: "http://127.0.0.1:1/" }), "a redirect, which is not followed"],
  ["a page in HTML", says("<html>", 200, { "content-type": "text/html" }), "has no header lh-protocol"],
  ["another type", says("{}", 200, { ...SPOKEN, "content-type": "text/plain" }), "is not application/json"],
  ["no JSON", says("{", 200), "is no JSON"],
  ["JSON that is no answer", says("[]", 200), "as lh.remote-session.v1 has it"],
  ["an answer with more in it", says({ event: 1, events: [] }, 200), "as lh.remote-session.v1 has it"],
  ["401", refuses(401, "UNAUTHORIZED"), "it answered 401 (UNAUTHORIZED: No)"],
  ["404 of somebody else", says("not here", 404, {}), "it answered 404"],
  ["204", says("", 204, {}), "it answered 204"],
  [
    "more than it may",
    (response) => void response.writeHead(200, SPOKEN).end(`"${"x".repeat(2_000)}"`),
    "is more than 1000 bytes",
  ],
  [
    "a small text that unpacks to much",
    (response) =>
      void response
        .writeHead(200, { ...SPOKEN, "content-encoding": "gzip" })
        .end(gzipSync(Buffer.alloc(5_000_000))),
    "is compressed",
  ],
];

test.each(final)("%s ends an append and a read at once", async (_, answer, words) => {
  const { log, asked } = await lyingService([answer], { maxResponseBytes: 1_000 });
  for (const act of [appendOne, ({ read }: HarnessSessionLog) => read.call(log, "run")])
    expect(await failureOf(act(log))).toMatchObject({
      code: "SESSION_LOG_FAILED",
      message: expect.stringContaining(words),
    });
  expect(asked).toHaveLength(2);
  for (const { headers } of asked) expect(headers["accept-encoding"]).toBe("identity");
});

test.each([
  [409, "SESSION_LOG_CONFLICT"],
  [400, "SESSION_LOG_INVALID"],
  [500, "SESSION_LOG_CORRUPT"],
])("%i %s is the log's own word, and ends an append at once", async (status, code) => {
  const { log, asked } = await lyingService([refuses(status, code)]);
  expect(await failureOf(appendOne(log))).toMatchObject({
    code,
    message: "No.",
    data: { status, runId: "run", attempts: 1 },
  });
  expect(asked).toHaveLength(1);
});

test("a service that says the token back finds it in no error, nor do its control characters get through", async () => {
  for (const status of [401, 409, 503]) {
    const echo: Answer = (response, { headers }) =>
      says(
        {
          error: {
            code: "SESSION_LOG_CONFLICT",
            message: `\u001b[2J${headers.authorization?.replace("of", "o\0f")}`,
          },
        },
        status,
      )(response, {} as IncomingMessage);
    const { log } = await lyingService([echo], { maxAppendAttempts: 1 });
    const { message } = await failureOf(appendOne(log));
    expect(message).toContain("<token>");
    expect(message).not.toMatch(/\p{Cc}/u);
  }
  const thrower = () => Promise.reject(new Error(`no way with ${TOKEN}`));
  const log = remoteSessionLog({
    baseUrl: "http://127.0.0.1:9",
    authToken: TOKEN,
    maxAppendAttempts: 1,
    fetch: thrower,
  });
  expect((await failureOf(appendOne(log))).message).toContain("no way with <token>");
});

test("a service that puts the token into an event finds it in no error, whole or in part", async () => {
  const [event] = (await eventsOf(1)) as [SessionLogEvent];
  const fields = [
    "runId",
    "sequence",
    "appendIdempotencyKey",
    "occurrenceId",
    "type",
    "at",
    "digest",
    "hash",
  ];
  const token = `"${TOKEN}".${"x".repeat(300)}`;
  const lies: object[] = [
    ...fields.map((field) => ({ ...event, [field]: token })),
    { ...event, [token]: 1 },
    { ...event, data: { [token]: "\ud800" } },
  ];
  for (const lie of lies) {
    const { log } = await lyingService([says({ events: [lie] }), says({ event: lie })], { authToken: token });
    for (const act of [log.read("run"), appendOne(log)])
      expect((await failureOf(act)).message).not.toMatch(/token-of|xxx/);
  }
});

test("a close ends what is under way, what waits its turn and what waits to be sent again", async () => {
  const { log, asked } = await lyingService([
    refuses(503, "SERVER_BUSY", { "retry-after": "60" }),
    () => undefined,
  ]);
  const acts = Array.from({ length: 100 }, (_, n) => failureOf(log.append(anAppend(`key/${n}`))));
  await expect.poll(() => asked.length, { timeout: 10_000, interval: 2 }).toBe(64);
  await log.close();
  for (const { code } of await Promise.all(acts)) expect(code).toBe("SESSION_LOG_CLOSED");
  expect(asked).toHaveLength(64);
});

test("a path in front of the routes is kept, and every character of a run arrives", async () => {
  const [event] = await eventsOf(1, "a:@=+~b.-_");
  const { asked, baseUrl } = await lyingService([says({ event })]);
  const log = remoteSessionLog({ baseUrl: `${baseUrl}/some/where/` });
  expect(await log.append(anAppend("key/1", { runId: "a:@=+~b.-_" }))).toEqual(event);
  expect(asked[0]?.url).toBe("/some/where/v1/runs/a%3A%40%3D%2B~b.-_/events");
  expect(asked[0]?.headers.authorization).toBeUndefined();
  const server = await serve();
  expect(await clientOf(server).append(anAppend("key/1", { runId: "a:@=+~b.-_" }))).toMatchObject({
    sequence: 1,
  });
});
