/** Answers: JSON in one shape, sent once, with what keeps a browser and a cache from making anything of them. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { PROTOCOL, PROTOCOL_HEADER, WIRE_STATUS, type WireCode } from "./wire.ts";

/** A request that is refused. */
export class Refusal extends Error {
  override name = "Refusal";
  readonly code: WireCode;
  readonly headers: Readonly<Record<string, string>>;

  /** @param message Words of this protocol's, or such as may leave the host. */
  constructor(code: WireCode, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.code = code;
    this.headers = headers;
  }
}

/** What is sent for it, but for the headers of {@link answerHeaders}. */
function refusalText({ code, message }: Refusal): string {
  return JSON.stringify({ error: { code, message } });
}

/** Headers of every answer. */
function answerHeaders(text: string): Record<string, string> {
  return {
    "content-type": "application/json; charset=utf-8",
    "content-length": String(Buffer.byteLength(text)),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    [PROTOCOL_HEADER]: PROTOCOL,
  };
}

/** Seconds after which a client that found no room may come again. */
export const RETRY_AFTER = { "retry-after": "1" } as const;

/** Sends an answer; resolves when the system has taken it or nobody is there to take it. */
export function sendAnswer(
  response: ServerResponse,
  answer: string | Refusal,
  { isLast, timeoutMs }: { readonly isLast: boolean; readonly timeoutMs: number },
): Promise<void> {
  const text = typeof answer === "string" ? answer : refusalText(answer);
  const status = typeof answer === "string" ? 200 : WIRE_STATUS[answer.code];
  const extra = typeof answer === "string" ? {} : answer.headers;
  const { socket } = response.req;
  if (response.destroyed || socket.destroyed) return Promise.resolve();
  response.writeHead(status, {
    ...answerHeaders(text),
    ...extra,
    ...(isLast ? { connection: "close" } : {}),
  });
  return new Promise((resolve) => {
    const timer = setTimeout(() => socket.destroy(), timeoutMs);
    const settle = (): void => {
      clearTimeout(timer);
      response.off("finish", settle);
      socket.off("close", settle);
      resolve();
    };
    response.once("finish", settle);
    // Of the socket: an answer that waits behind another's has no end of its own when the connection breaks.
    socket.once("close", settle);
    response.end(text);
  });
}

/** The same as bytes, for a connection whose request could not be read. */
export function rawRefusal(refusal: Refusal): string {
  const text = refusalText(refusal);
  const status = WIRE_STATUS[refusal.code];
  const headers = Object.entries({ ...answerHeaders(text), ...refusal.headers, connection: "close" });
  // A reason phrase may be empty, and nobody reads one.
  return `HTTP/1.1 ${status} \r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${text}`;
}

/**
 * Takes the rest of a refused request's body, so that the client reads the answer before its connection breaks; no more
 * of it than `maxBytes`, and no longer than a second.
 */
export function drain(request: IncomingMessage, maxBytes: number): void {
  if (request.complete || request.destroyed) return;
  let bytes = 0;
  const timer = setTimeout(() => request.destroy(), 1_000);
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) request.destroy();
  });
  request.once("close", () => clearTimeout(timer));
}
