/**
 * A request → what is answered: who asks, what for, and with which bounds. No connection is touched here, but the body
 * of an append is read.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isRecord } from "../shared/check-options.ts";
import { isSandboxError } from "../shared/errors.ts";
import { tellThrown } from "../shared/redact.ts";
import type { HarnessSessionLog, SessionLogEvent, SessionLogReadOptions } from "../shared/session-log.ts";
import { checkAppend, checkRunId } from "./check-append.ts";
import { isLoopbackHost } from "./server-address.ts";
import { RETRY_AFTER, Refusal } from "./server-answer.ts";
import { checkBodyHeaders, readJsonBody } from "./server-body.ts";
import type { ServerLimits } from "./server-options.ts";
import { HEALTH_PATH, LOG_CODES, PROTOCOL, PROTOCOL_HEADER } from "./wire.ts";

/** What the routes of one server stand on. */
export interface RoutesOptions {
  readonly store: HarnessSessionLog;
  readonly authToken: string | undefined;
  readonly limits: ServerLimits;
  readonly isClosing: () => boolean;
  /** Told what a client is not. */
  readonly onError: (error: unknown) => void;
}

/** How the routes reach the one who asked. */
export interface Asker {
  /** Called before the body is read: lets a client send it that waits to be asked. */
  readonly readyForBody: () => void;
  /** Resolves when the answer is taken or nobody is left to take it. Never rejects. */
  readonly send: (answer: string | Refusal) => Promise<void>;
}

/** Answers a request, once. Never rejects. */
export type Routes = (request: IncomingMessage, asker: Asker) => Promise<void>;

/** The routes over one store. */
export function createRoutes(options: RoutesOptions): Routes {
  const { authToken, limits, store } = options;
  const presents = authToken === undefined ? undefined : tokenCheck(authToken);
  const appends = new Places(limits.maxConcurrentAppends);
  const reads = new Places(limits.maxConcurrentReads);

  async function append(runId: string, request: IncomingMessage, readyForBody: () => void): Promise<string> {
    checkBodyHeaders(request, limits.maxBodyBytes);
    readyForBody();
    const body = await readJsonBody(request, limits);
    const { appendIdempotencyKey, occurrenceId, type, data, digest, ...checked } = checkAppend(body);
    if (checked.runId !== runId)
      throw new Refusal("REQUEST_INVALID", "The runId of the body is not that of the path.");
    const event: unknown = await store.append({ runId, appendIdempotencyKey, occurrenceId, type, data });
    if (!isRecord(event) || event.digest !== digest)
      throw new Error("The store answered an append with something else than its event.");
    return JSON.stringify({ event });
  }

  async function read(runId: string, query: string): Promise<string> {
    const events = await store.read(runId, parseQuery(query));
    return `{"events":[${toPage(events, limits.maxPageBytes)}]}`;
  }

  async function route(request: IncomingMessage, { readyForBody, send }: Asker): Promise<void> {
    const { method = "", url = "", headers } = request;
    if (headers.host === undefined && request.httpVersion === "1.1")
      throw new Refusal("REQUEST_INVALID", "A request of HTTP/1.1 has a host.");
    if (presents === undefined && !isLoopbackHost(headers.host))
      throw new Refusal("HOST_REFUSED", "Without a token this server is asked as localhost alone.");
    const [path = "", query = ""] = splitOnce(url);
    if (path === HEALTH_PATH) {
      allow(method, ["GET"]);
      return send(JSON.stringify({ ok: true, protocol: PROTOCOL }));
    }
    // Before anything else is looked at: who has no token learns nothing but that.
    if (presents?.(headers.authorization) === false)
      throw new Refusal("UNAUTHORIZED", "A valid bearer token is needed.", { "www-authenticate": "Bearer" });
    const [, runPart] = /^\/v1\/runs\/([^/]+)\/events$/.exec(path) ?? [];
    if (runPart === undefined) throw new Refusal("NOT_FOUND", "There is no such route.");
    allow(method, ["GET", "POST"]);
    if (headers[PROTOCOL_HEADER] !== PROTOCOL)
      throw new Refusal("PROTOCOL_MISMATCH", `The header ${PROTOCOL_HEADER} must be ${PROTOCOL}.`);
    const runId = checkRunId(decodePart(runPart));
    if (options.isClosing()) throw new Refusal("SERVER_CLOSING", "The server is closing.", RETRY_AFTER);
    // A page stays in memory until it is taken.
    if (method === "GET") return reads.hold(async () => send(await read(runId, query)));
    if (query !== "") throw new Refusal("REQUEST_INVALID", "An append has no query.");
    await send(await appends.hold(() => append(runId, request, readyForBody)));
  }

  return async (request, asker) => {
    try {
      await route(request, asker);
    } catch (error) {
      await asker.send(toRefusal(error, options.onError));
    }
  };
}

/** A count of what may go on at the same time. Who finds no place is sent away, so that nothing queues up here. */
class Places {
  #free: number;

  constructor(places: number) {
    this.#free = places;
  }

  async hold<Result>(act: () => Promise<Result>): Promise<Result> {
    if (this.#free === 0)
      throw new Refusal("SERVER_BUSY", "The server has as much under way as it may.", RETRY_AFTER);
    this.#free--;
    try {
      return await act();
    } finally {
      this.#free++;
    }
  }
}

/** What was thrown, as a client may know it. Never throws: of a store it may be a proxy that cannot be looked at. */
function toRefusal(error: unknown, onError: (error: unknown) => void): Refusal {
  try {
    return error instanceof Refusal ? error : refuse(error, onError);
  } catch {
    onError(error);
    return serverFailed();
  }
}

function serverFailed(): Refusal {
  return new Refusal("SERVER_FAILED", "The server failed; whether the event is kept is not known.");
}

/** What the store threw. */
function refuse(error: unknown, onError: (error: unknown) => void): Refusal {
  const code = isSandboxError(error) ? error.code : undefined;
  const known = LOG_CODES.find((one) => one === code);
  if (known !== "SESSION_LOG_INVALID" && known !== "SESSION_LOG_CONFLICT") onError(error);
  if (known !== undefined) return new Refusal(known, tellThrown(error));
  // A store that is closed or held by another process is the service's affair: for a client it is away for now.
  if (code === "SESSION_LOG_FAILED" || code === "SESSION_LOG_CLOSED" || code === "SESSION_LOG_BUSY")
    return new Refusal(
      "SESSION_LOG_FAILED",
      "The log behind the server failed; whether the event is kept is not known.",
      RETRY_AFTER,
    );
  return serverFailed();
}

/** Compares digests, which have one length: how long it takes tells nothing of the token. */
function tokenCheck(token: string): (authorization: string | undefined) => boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  const expected = digest(token);
  return (authorization = "") => {
    const [, presented = ""] = /^bearer ([\x21-\x7e]+)$/i.exec(authorization) ?? [];
    return timingSafeEqual(digest(presented), expected);
  };
}

function allow(method: string, methods: readonly string[]): void {
  if (methods.includes(method)) return;
  const allowed = methods.join(", ");
  throw new Refusal("METHOD_NOT_ALLOWED", `Allowed: ${allowed}.`, { allow: allowed });
}

function splitOnce(url: string): [path: string, query: string] {
  const cut = url.indexOf("?");
  return cut < 0 ? [url, ""] : [url.slice(0, cut), url.slice(cut + 1)];
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Refusal("REQUEST_INVALID", "The runId of the path is not percent-encoded UTF-8.");
  }
}

/** `after` and `limit`, each at most once, in digits. What they may be, the store says. */
function parseQuery(query: string): SessionLogReadOptions {
  const found: { after?: number; limit?: number } = {};
  for (const pair of query === "" ? [] : query.split("&")) {
    const [, name, digits] = /^(after|limit)=(\d{1,16})$/.exec(pair) ?? [];
    if ((name !== "after" && name !== "limit") || found[name] !== undefined)
      throw new Refusal("REQUEST_INVALID", "A read has after and limit, each once at most, in digits.");
    found[name] = Number(digits);
  }
  return found;
}

/** As many events as the page has room for, and one at least: an empty page would say that there are no more. */
function toPage(events: readonly SessionLogEvent[], maxBytes: number): string {
  const texts: string[] = [];
  let bytes = 0;
  for (const event of events) {
    const text = JSON.stringify(event);
    bytes += Buffer.byteLength(text) + 1;
    if (texts.length > 0 && bytes > maxBytes) break;
    texts.push(text);
  }
  return texts.join(",");
}
