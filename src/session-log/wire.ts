/**
 * The words of `lh.remote-session.v1` that both sides share: names, paths, codes. `docs/remote-session.md` is the law.
 */
import { ERROR_CODES } from "../shared/errors.ts";

/** Version and name of the protocol; the value of {@link PROTOCOL_HEADER} in every request and every answer. */
export const PROTOCOL = "lh.remote-session.v1";

/**
 * A header of our own also keeps web pages out: a browser asks before it sends one to another origin, and the server
 * never says yes.
 */
export const PROTOCOL_HEADER = "lh-protocol";

/** Answers without a token whether the server is there, and nothing else. */
export const HEALTH_PATH = "/health";

/** The path of a run's events, for both routes. */
export function eventsPath(runId: string): string {
  return `/v1/runs/${encodeURIComponent(runId)}/events`;
}

/** Every code of an answer that refuses → its HTTP status. */
export const WIRE_STATUS = {
  REQUEST_INVALID: 400,
  PROTOCOL_MISMATCH: 400,
  UNAUTHORIZED: 401,
  HOST_REFUSED: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  BODY_TOO_LARGE: 413,
  MEDIA_TYPE_REFUSED: 415,
  EXPECTATION_REFUSED: 417,
  HEADERS_TOO_LARGE: 431,
  SERVER_FAILED: 500,
  SERVER_BUSY: 503,
  SERVER_CLOSING: 503,
  SESSION_LOG_INVALID: ERROR_CODES.SESSION_LOG_INVALID.http,
  SESSION_LOG_CONFLICT: ERROR_CODES.SESSION_LOG_CONFLICT.http,
  SESSION_LOG_CORRUPT: ERROR_CODES.SESSION_LOG_CORRUPT.http,
  SESSION_LOG_FAILED: ERROR_CODES.SESSION_LOG_FAILED.http,
} as const;

/** The code of an answer that refuses. */
export type WireCode = keyof typeof WIRE_STATUS;

/** Codes that a log has too: the client throws them as they are. All others are its `SESSION_LOG_FAILED`. */
export const LOG_CODES = ["SESSION_LOG_INVALID", "SESSION_LOG_CONFLICT", "SESSION_LOG_CORRUPT"] as const;
