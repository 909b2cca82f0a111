/**
 * A proxy between clients and a server of HTTP that misbehaves from a seed: it loses requests and replies, sends
 * requests twice and late, so that they arrive in another order, cuts replies short and answers in the server's place.
 */
import { once } from "node:events";
import { request as ask, createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { Random } from "../soak/random.ts";

/** What was done to requests, counted. */
export type Deeds = Record<string, number>;

export interface UnrulyProxy {
  readonly url: string;
  readonly deeds: Deeds;
  /** Where requests go from now on; undefined: the connection is refused. */
  target: number | undefined;
  close(): Promise<void>;
}

interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

interface Replied {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

/** Starts one. The same seed and the same order of requests give the same deeds. */
export async function startUnrulyProxy(seed: number): Promise<UnrulyProxy> {
  const random = new Random(seed);
  const deeds: Deeds = {};
  /** Requests sent behind their client's back; awaited at the end, so that none arrives after it. */
  const strays = new Set<Promise<unknown>>();

  const server = createServer((request, response) => {
    // A client that gave up is no error here.
    void act(request, response).catch(() => response.destroy());
  });

  async function act(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url = "", headers } = request;
    const asked = { method, url, headers, body: await buffer(request) };
    const { deed } = random.pick(DEEDS);
    deeds[deed] = (deeds[deed] ?? 0) + 1;
    const pauseMs = random.between(1, 30);
    switch (deed) {
      case "request lost":
        response.destroy();
        return;
      case "refused in its place":
        response
          .writeHead([429, 500, 502, 503][random.below(4)] ?? 503, { "retry-after": "0" })
          .end("<html>");
        return;
      case "reply lost":
        await forward(proxy.target, asked);
        response.destroy();
        return;
      case "reply lost, and the request late":
        response.destroy();
        stray(pause(pauseMs).then(() => forward(proxy.target, asked)));
        return;
      case "sent twice at once": {
        const [first] = await Promise.all([forward(proxy.target, asked), forward(proxy.target, asked)]);
        reply(response, first);
        return;
      }
      case "sent again later":
        reply(response, await forward(proxy.target, asked));
        stray(pause(pauseMs).then(() => forward(proxy.target, asked)));
        return;
      case "reply cut short": {
        const { body, headers: heads, status } = await forward(proxy.target, asked);
        response.writeHead(status, heads);
        response.write(body.subarray(0, random.below(body.length)), () => response.destroy());
        return;
      }
      case "late":
        await pause(pauseMs);
        reply(response, await forward(proxy.target, asked));
        return;
      default:
        reply(response, await forward(proxy.target, asked));
    }
  }

  function stray(sent: Promise<unknown>): void {
    // The server may be down just then.
    const settled = sent.catch(() => undefined).finally(() => strays.delete(settled));
    strays.add(settled);
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const proxy: UnrulyProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    deeds,
    target: undefined,
    async close() {
      while (strays.size > 0) await Promise.all([...strays]);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}

/** Everything that it does to a request besides handing it on. */
export const BAD = [
  "request lost",
  "refused in its place",
  "reply lost",
  "reply lost, and the request late",
  "sent twice at once",
  "sent again later",
  "reply cut short",
  "late",
] as const;

/** About half go through as they are, or nothing would ever end. */
const DEEDS = [{ deed: "handed on", weight: 7 }, ...BAD.map((deed) => ({ deed, weight: 1 }))];

async function forward(port: number | undefined, { method, url, headers, body }: Asked): Promise<Replied> {
  if (port === undefined) throw new Error("the server is down");
  const sent = ask({
    port,
    host: "127.0.0.1",
    method,
    path: url,
    headers: { ...headers, connection: "close" },
  });
  sent.end(body);
  const [reply] = (await once(sent, "response")) as [IncomingMessage];
  return { status: reply.statusCode ?? 500, headers: reply.headers, body: await buffer(reply) };
}

function reply(response: ServerResponse, { body, headers, status }: Replied): void {
  response.writeHead(status, { ...headers, connection: "keep-alive" }).end(body);
}
