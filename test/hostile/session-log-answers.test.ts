/** Services that lie, break off or send too much to a client of a session log. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { type RemoteSessionLogOptions, remoteSessionLog } from "../../src/session-log/client.ts";
import { memorySessionLog } from "../../src/session-log/memory-log.ts";
import type { HarnessSessionLog, SessionLogEvent } from "../../src/shared/session-log.ts";
import { anAppend, clientOf, serve, TOKEN } from "../helpers/log-server.ts";

const SPOKEN = { "content-type": "application/json", "lh-protocol": "lh.remote-session.v1" };

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** A service that answers as it is told, the last one from then on; and what it was asked. */
async function liar(answers: readonly Answer[], options: Partial<RemoteSessionLogOptions> = {}) {
  const asked: { method: string; url: string; headers: IncomingMessage["headers"]; body: string }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = "", url = "", headers } = request;
    asked.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
    answers[Math.min(asked.length, answers.length) - 1]?.(response, request);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${port}`;
  const log = remoteSessionLog({ baseUrl, authToken: TOKEN, timeoutMs: 20_000, ...options });
  onTestFinished(() => log.close());
  return { log, asked, baseUrl };
}

const says =
  (value: unknown, status = 200, headers: Record<string, string> = SPOKEN): Answer =>
  (response) =>
    response.writeHead(status, headers).end(typeof value === "string" ? value : JSON.stringify(value));

const refuses = (status: number, code: string, headers: Record<string, string> = {}): Answer =>
  says({ error: { code, message: "No." } }, status, { ...SPOKEN, ...headers });

async function events(count: number, runId = "run"): Promise<SessionLogEvent[]> {
  const log = memorySessionLog();
  for (let n = 1; n <= count; n++) await log.append(anAppend(`key/${n}`, { runId }));
  return [...(await log.read(runId))];
}

/** What an act rejects with; it must hold no token. */
async function failure(act: Promise<unknown>): Promise<{ code?: string; message: string; data?: object }> {
  const error: unknown = await act.then(
    (value) => expect.fail(`it gave ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  );
  const { code, message, data, stack, cause } = error as Error & { code?: string; data?: object };
  expect(`${message} ${stack} ${JSON.stringify(data)} ${String(cause)}`).not.toContain(TOKEN);
  return { message, ...(code === undefined ? {} : { code }), ...(data === undefined ? {} : { data }) };
}

const append = (log: HarnessSessionLog) => log.append(anAppend("key/1"));

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
  const [event] = await events(1);
  const { log, asked } = await liar([answer, answer, says({ event })]);
  expect(await append(log)).toEqual(event);
  expect(asked).toHaveLength(3);
  expect(new Set(asked.map(({ body }) => body)).size).toBe(1);
  expect(new Set(asked.map(({ url }) => url)).size).toBe(1);
  const { log: other, asked: reads } = await liar([answer, says({ events: [event] })]);
  expect(await other.read("run")).toEqual([event]);
  expect(reads.map(({ method }) => method)).toEqual(["GET", "GET"]);
});

test("attempts have an end, and the error says what the last one met", async () => {
  const { log, asked } = await liar([refuses(503, "SERVER_BUSY")], { maxAppendAttempts: 2 });
  expect(await failure(append(log))).toEqual({
    code: "SESSION_LOG_FAILED",
    message:
      "The session log service cannot be used: it answered 503 (SERVER_BUSY: No), in the last of 2 attempts.",
    data: { runId: "run", attempts: 2 },
  });
  expect(asked).toHaveLength(2);
});

test("a service that never answers is given up after the time, each time, and sent the same again", async () => {
  const { log, asked } = await liar([() => undefined], { timeoutMs: 100, maxAppendAttempts: 2 });
  expect((await failure(append(log))).message).toContain("it took longer than 100 ms");
  expect(asked).toHaveLength(2);
});

test("an answer without an end is given up after the time", async () => {
  const drip: Answer = (response) => {
    response.writeHead(200, SPOKEN);
    const timer = setInterval(() => response.write(" "), 5);
    response.once("close", () => clearInterval(timer));
  };
  const { log } = await liar([drip], { timeoutMs: 100, maxAppendAttempts: 1 });
  expect((await failure(append(log))).message).toContain("it took longer than 100 ms");
});

test("a fetch that hears no signal is given up after the time all the same", async () => {
  const deaf = () => new Promise<Response>(() => undefined);
  const log = remoteSessionLog({
    baseUrl: "http://127.0.0.1:9",
    timeoutMs: 20,
    maxAppendAttempts: 1,
    fetch: deaf,
  });
  expect((await failure(append(log))).message).toContain("it took longer than 20 ms");
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
  const { log, asked } = await liar([answer], { maxResponseBytes: 1_000 });
  for (const act of [append, ({ read }: HarnessSessionLog) => read.call(log, "run")])
    expect(await failure(act(log))).toMatchObject({
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
  const { log, asked } = await liar([refuses(status, code)]);
  expect(await failure(append(log))).toMatchObject({
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
    const { log } = await liar([echo], { maxAppendAttempts: 1 });
    const { message } = await failure(append(log));
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
  expect((await failure(append(log))).message).toContain("no way with <token>");
});

test("a service that puts the token into an event finds it in no error, whole or in part", async () => {
  const [event] = (await events(1)) as [SessionLogEvent];
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
    const { log } = await liar([says({ events: [lie] }), says({ event: lie })], { authToken: token });
    for (const act of [log.read("run"), append(log)])
      expect((await failure(act)).message).not.toMatch(/token-of|xxx/);
  }
});

test("an append that is answered with anything but its own sealed event is an error", async () => {
  const [first, second] = (await events(2)) as [SessionLogEvent, SessionLogEvent];
  const [strange] = (await events(1, "other")) as [SessionLogEvent];
  const { digest: _, ...without } = first;
  const lies: unknown[] = [
    second,
    strange,
    { ...first, data: { key: "key/2" } },
    { ...first, digest: "0".repeat(64) },
    { ...first, hash: "0".repeat(64) },
    { ...first, sequence: 2 },
    { ...first, at: "2020-01-01T00:00:00.000Z" },
    { ...first, extra: 1 },
    without,
  ];
  for (const event of lies) {
    const { log } = await liar([says({ event })]);
    expect((await failure(append(log))).code).toBe("SESSION_LOG_CORRUPT");
  }
  for (const event of [null, "x", { ...first, sequence: "1" }, { ...first, sequence: 1.5 }]) {
    const { log } = await liar([says({ event })]);
    expect((await failure(append(log))).code).toBe("SESSION_LOG_FAILED");
  }
});

test("a page with a gap, an edit, another order or another run's event is an error", async () => {
  const all = await events(4);
  const [one, two, three, four] = all as [SessionLogEvent, SessionLogEvent, SessionLogEvent, SessionLogEvent];
  const pages = [
    [one, three],
    [two, three],
    [two, one],
    [one, one],
    [one, { ...two, type: "x" }],
    [one, { ...two, previousHash: "0".repeat(64) }],
    await events(1, "other"),
    [null],
  ];
  for (const page of pages) {
    const { log } = await liar([says({ events: page })]);
    expect((await failure(log.read("run"))).code).toBe("SESSION_LOG_CORRUPT");
  }
  const { log } = await liar([says({ events: all })]);
  expect((await failure(log.read("run", { limit: 3 }))).code).toBe("SESSION_LOG_FAILED");
  const next = await liar([says({ events: [one, two] }), says({ events: [three, four] })]);
  expect([
    ...(await next.log.read("run", { limit: 2 })),
    ...(await next.log.read("run", { after: 2 })),
  ]).toEqual(all);
});

test("a service that forgets or rewrites what this client has seen is noticed", async () => {
  const all = await events(3);
  const log = memorySessionLog();
  for (let n = 1; n <= 3; n++) await log.append(anAppend(`key/${n}`, { data: "other" }));
  const others = await log.read("run");
  const acts: ((log: HarnessSessionLog) => Promise<unknown>)[] = [
    (client) => client.read("run", { after: 2 }),
    (client) => client.read("run", { after: 1 }),
    (client) => client.read("run"),
  ];
  for (const [n, act] of acts.entries()) {
    const gone = await liar([says({ events: all.slice(0, 3) }), says({ events: [] })]);
    await gone.log.read("run");
    expect((await failure(act(gone.log))).message).toContain("event 3: it is gone");
    const changed = await liar([says({ events: all }), says({ events: others.slice(2 - n) })]);
    await changed.log.read("run");
    expect((await failure(act(changed.log))).message).toContain("event 3: it is another than before");
  }
  const forgetful = await liar([says({ event: all[0] }), says({ event: others[1] })]);
  await append(forgetful.log);
  expect((await failure(forgetful.log.append(anAppend("key/2", { data: "other" })))).message).toContain(
    "previousHash is not the hash of the event before",
  );
});

test("pages that are whole but of two chains are an error, also where the end of the run is the known one", async () => {
  const all = await events(5);
  const log = memorySessionLog();
  for (let n = 1; n <= 3; n++) await log.append(anAppend(`key/${n}`, { data: "forged" }));
  const forged = await log.read("run");
  const pages = [says({ events: all }), says({ events: forged }), says({ events: all.slice(3) })];
  const { log: client } = await liar(pages);
  expect(await client.read("run")).toEqual(all);
  await client.read("run");
  expect((await failure(client.read("run", { after: 3 }))).message).toContain("event 4: its previousHash");
});

test("a close ends what is under way, what waits its turn and what waits to be sent again", async () => {
  const { log, asked } = await liar([refuses(503, "SERVER_BUSY", { "retry-after": "60" }), () => undefined]);
  const acts = Array.from({ length: 100 }, (_, n) => failure(log.append(anAppend(`key/${n}`))));
  await expect.poll(() => asked.length, { timeout: 10_000, interval: 2 }).toBe(64);
  await log.close();
  for (const { code } of await Promise.all(acts)) expect(code).toBe("SESSION_LOG_CLOSED");
  expect(asked).toHaveLength(64);
});

test("a path in front of the routes is kept, and every character of a run arrives", async () => {
  const [event] = await events(1, "a:@=+~b.-_");
  const { asked, baseUrl } = await liar([says({ event })]);
  const log = remoteSessionLog({ baseUrl: `${baseUrl}/some/where/` });
  expect(await log.append(anAppend("key/1", { runId: "a:@=+~b.-_" }))).toEqual(event);
  expect(asked[0]?.url).toBe("/some/where/v1/runs/a%3A%40%3D%2B~b.-_/events");
  expect(asked[0]?.headers.authorization).toBeUndefined();
  const server = await serve();
  expect(await clientOf(server).append(anAppend("key/1", { runId: "a:@=+~b.-_" }))).toMatchObject({
    sequence: 1,
  });
});

const bad: [string, unknown][] = [
  ["options", null],
  ["bse", { baseUrl: "http://127.0.0.1", bse: 1 }],
  ["baseUrl", {}],
  ["baseUrl", { baseUrl: "nowhere" }],
  ["baseUrl", { baseUrl: "ftp://127.0.0.1" }],
  ["baseUrl", { baseUrl: `http://user:${TOKEN}@127.0.0.1` }],
  ["baseUrl", { baseUrl: "http://127.0.0.1/?token=1" }],
  ["baseUrl", { baseUrl: "http://127.0.0.1/#x" }],
  ["baseUrl", { baseUrl: "http://log.example", authToken: TOKEN }],
  ["baseUrl", { baseUrl: "http://127.0.0.1.example", authToken: TOKEN }],
  ["authToken", { baseUrl: "http://127.0.0.1", authToken: "" }],
  ["authToken", { baseUrl: "http://127.0.0.1", authToken: "a\nb" }],
  ["timeoutMs", { baseUrl: "http://127.0.0.1", timeoutMs: 0 }],
  ["maxAppendAttempts", { baseUrl: "http://127.0.0.1", maxAppendAttempts: 0 }],
  ["maxResponseBytes", { baseUrl: "http://127.0.0.1", maxResponseBytes: "1" }],
  ["allowInsecureHttp", { baseUrl: "http://127.0.0.1", allowInsecureHttp: 1 }],
  ["fetch", { baseUrl: "http://127.0.0.1", fetch: 1 }],
];

test.each(bad)("a bad %s is named: %j", async (name, options) => {
  const made = new Promise((resolve) => resolve(remoteSessionLog(options as RemoteSessionLogOptions)));
  const { code, message } = await failure(made);
  expect(code).toBe("OPTION_INVALID");
  expect(message).toContain(name);
});

test("a token goes over http to this machine, over https, and elsewhere when that is allowed", () => {
  for (const baseUrl of ["http://localhost:1", "http://127.1:1", "http://[::1]", "https://log.example"])
    expect(remoteSessionLog({ baseUrl, authToken: TOKEN })).toBeDefined();
  expect(
    remoteSessionLog({ baseUrl: "http://log.example", authToken: TOKEN, allowInsecureHttp: true }),
  ).toBeDefined();
  expect(remoteSessionLog({ baseUrl: "http://log.example" })).toBeDefined();
});
