/**
 * The life of a server: connections, their time limits, and the end. What a request is answered with, the routes say.
 * The one file that imports `node:http`; it is loaded when a server starts.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { invalidOption } from "../shared/check-options.ts";
import { codeOf } from "../storage/error-code.ts";
import { memorySessionLog } from "./memory-log.ts";
import type { SessionLogServer } from "./server.ts";
import { resolveHost, urlOf } from "./server-address.ts";
import { drain, Refusal, rawRefusal, sendAnswer } from "./server-answer.ts";
import type { CheckedServerOptions, ServerLimits } from "./server-options.ts";
import { createRoutes, type Routes } from "./server-routes.ts";

/** How long a connection that sent no request stays open behind its refusal, so that this is read. */
const LINGER_MS = 500;

/** Starts a server. @throws SandboxError `OPTION_INVALID` for an address or a port that cannot be had. */
export async function listen(options: CheckedServerOptions): Promise<SessionLogServer> {
  const { authToken, host, limits, onError, port } = options;
  const address = await resolveHost(host, authToken !== undefined);
  const server = createServer({
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: limits.headersTimeoutMs,
    // The body's own limit comes before it and has an answer.
    requestTimeout: limits.headersTimeoutMs + limits.bodyTimeoutMs + 1_000,
    keepAliveTimeout: limits.idleTimeoutMs,
    connectionsCheckingInterval: Math.min(1_000, limits.headersTimeoutMs),
    // Asked for by the routes, whose answer has the one shape.
    requireHostHeader: false,
    noDelay: true,
  });
  server.maxConnections = limits.maxConnections;
  const store = options.store ?? memorySessionLog();
  let isClosing = false;
  const routes = createRoutes({ store, authToken, limits, isClosing: () => isClosing, onError });
  const requests = new OpenRequests(routes, limits, () => isClosing);
  requests.attach(server);
  await startListening(server, port, address);
  // Of a single connection, for example when there are no more descriptors: the others go on.
  server.on("error", onError);

  const close = async (): Promise<void> => {
    isClosing = true;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    await requests.settled(limits.closeTimeoutMs);
    server.closeAllConnections();
    await closed;
    if (options.store === undefined) await store.close();
  };
  let closing: Promise<void> | undefined;
  const closeOnce = (): Promise<void> => {
    closing ??= close();
    return closing;
  };
  const bound = server.address() as AddressInfo;
  return {
    url: urlOf(bound.address, bound.family, bound.port),
    port: bound.port,
    close: closeOnce,
    [Symbol.asyncDispose]: closeOnce,
  };
}

/** The requests that have no answer yet, by connection. */
class OpenRequests {
  readonly #open = new Set<Promise<void>>();
  readonly #bySocket = new WeakMap<Duplex, Set<IncomingMessage>>();
  /** Connections that are over: nothing that comes from them is a request any more. */
  readonly #ended = new WeakSet<Duplex>();
  readonly #routes: Routes;
  readonly #limits: ServerLimits;
  readonly #isClosing: () => boolean;

  constructor(routes: Routes, limits: ServerLimits, isClosing: () => boolean) {
    this.#routes = routes;
    this.#limits = limits;
    this.#isClosing = isClosing;
  }

  attach(server: Server): void {
    server.on("request", (request, response) => this.#take(request, response, () => undefined));
    server.on("checkContinue", (request, response) =>
      this.#take(request, response, () => response.writeContinue()),
    );
    server.on("checkExpectation", (request, response) => {
      const refusal = new Refusal("EXPECTATION_REFUSED", "Only 100-continue can be expected.");
      this.#track(request, this.#send(request, response, refusal));
    });
    server.on("clientError", (error, socket) => this.#fail(error, socket));
  }

  /** Resolves when every request has its answer, or after `timeoutMs`. */
  async settled(timeoutMs: number): Promise<void> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), timeoutMs);
    const isLate = once(late.signal, "abort");
    while (this.#open.size > 0 && !late.signal.aborted) await Promise.race([...this.#open, isLate]);
    clearTimeout(timer);
  }

  #take(request: IncomingMessage, response: ServerResponse, readyForBody: () => void): void {
    this.#track(
      request,
      this.#routes(request, { readyForBody, send: (answer) => this.#send(request, response, answer) }),
    );
  }

  #track(request: IncomingMessage, answered: Promise<void>): void {
    const { socket } = request;
    const requests = this.#bySocket.get(socket) ?? new Set();
    this.#bySocket.set(socket, requests.add(request));
    const done = answered.finally(() => {
      this.#open.delete(done);
      requests.delete(request);
    });
    this.#open.add(done);
  }

  #send(request: IncomingMessage, response: ServerResponse, answer: string | Refusal): Promise<void> {
    const isLast = this.#isClosing() || this.#ended.has(request.socket);
    const sent = sendAnswer(response, answer, { isLast, timeoutMs: this.#limits.responseTimeoutMs });
    drain(request, this.#limits.maxBodyBytes);
    return sent;
  }

  /** Bytes that are no request, or come too slowly or in too large a head. */
  #fail(error: Error, socket: Duplex): void {
    if (this.#ended.has(socket)) return;
    this.#ended.add(socket);
    const requests = [...(this.#bySocket.get(socket) ?? [])];
    // An answer in between would be taken for that of a request before, whose own one comes and ends the connection.
    if (requests.length > 0 && requests.every(({ complete }) => complete)) return;
    // The end of a body can no longer be told.
    if (requests.length > 0 || !socket.writable || codeOf(error) === "ECONNRESET") {
      socket.destroy();
      return;
    }
    socket.end(rawRefusal(toRefusal(error, this.#limits)));
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  }
}

function toRefusal(error: Error, limits: ServerLimits): Refusal {
  switch (codeOf(error)) {
    case "HPE_HEADER_OVERFLOW":
      return new Refusal("HEADERS_TOO_LARGE", `The headers are more than ${limits.maxHeaderBytes} bytes.`);
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new Refusal("REQUEST_TIMEOUT", "The request took too long.");
    default:
      return new Refusal("REQUEST_INVALID", "This is no request of HTTP/1.1.");
  }
}

async function startListening(server: Server, port: number, address: string): Promise<void> {
  try {
    server.listen({ port, host: address });
    await once(server, "listening");
  } catch (cause) {
    throw codeOf(cause) === "EADDRNOTAVAIL"
      ? invalidOption("host", `an address of this machine, which ${address} is not`, { cause })
      : invalidOption("port", `one that can be listened on at ${address} (${codeOf(cause)})`, { cause });
  }
}
