/** The options of `startSessionLogServer()`, checked, with their defaults. */
import { invalidOption, isRecord, refuseUnknownOptions } from "../shared/check-options.ts";
import type { HarnessSessionLog } from "../shared/session-log.ts";
import { checkToken } from "./check-token.ts";

/** Bounds of a session log server. Each is a whole number from 1 on; `docs/remote-session.md` has the answers. */
export interface SessionLogServerLimits {
  /** Bytes of a request's body, as they are sent. @default 2097152 (2 MiB): an event's 1 MiB, and room for escapes */
  readonly maxBodyBytes?: number | undefined;
  /** Bytes of a request's line and headers. @default 16384 */
  readonly maxHeaderBytes?: number | undefined;
  /** Bytes of events in one answer, beyond the first event. @default 8388608 (8 MiB) */
  readonly maxPageBytes?: number | undefined;
  /** From the connection, or the request before, to the end of the headers. @default 10000 */
  readonly headersTimeoutMs?: number | undefined;
  /** From the headers to the end of the body. @default 30000 */
  readonly bodyTimeoutMs?: number | undefined;
  /** From the answer to its end, when the client is slow to take it. @default 30000 */
  readonly responseTimeoutMs?: number | undefined;
  /** How long a connection stays open without a request. @default 15000 */
  readonly idleTimeoutMs?: number | undefined;
  /** Connections at a time. One more is closed without an answer. @default 2048 */
  readonly maxConnections?: number | undefined;
  /** Appends at a time, their bodies included: with `maxBodyBytes` what they may take of memory. @default 256 */
  readonly maxConcurrentAppends?: number | undefined;
  /** Reads at a time, until their answer is taken. @default 64 */
  readonly maxConcurrentReads?: number | undefined;
  /** How long `close()` waits for answers that are under way before it cuts their connections. @default 10000 */
  readonly closeTimeoutMs?: number | undefined;
}

/** What `startSessionLogServer()` takes. */
export interface SessionLogServerOptions extends SessionLogServerLimits {
  /**
   * Where the events are kept. Who made it closes it, after the server. Left out: memory, which dies with the server.
   *
   * @default memorySessionLog()
   */
  readonly store?: HarnessSessionLog | undefined;
  /**
   * What a client must present: 1 to 4096 printable characters of ASCII without blanks. Left out: whoever reaches the
   * server may read and append, so it starts on a loopback address alone.
   */
  readonly authToken?: string | undefined;
  /** 0: one that is free. @default 0 */
  readonly port?: number | undefined;
  /** Address or name to listen on. @default "127.0.0.1" */
  readonly host?: string | undefined;
  /**
   * Told what clients are not: what the store threw, and failures of the listening socket.
   *
   * @default nobody is told
   */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** All of them. */
export type ServerLimits = { readonly [Name in keyof SessionLogServerLimits]-?: number };

/** Options that can be listened with. */
export interface CheckedServerOptions {
  readonly store: HarnessSessionLog | undefined;
  readonly authToken: string | undefined;
  readonly port: number;
  readonly host: string;
  readonly limits: ServerLimits;
  /** Never throws. */
  readonly onError: (error: unknown) => void;
}

const DEFAULT_LIMITS: ServerLimits = {
  maxBodyBytes: 2 * 1024 * 1024,
  maxHeaderBytes: 16 * 1024,
  maxPageBytes: 8 * 1024 * 1024,
  headersTimeoutMs: 10_000,
  bodyTimeoutMs: 30_000,
  responseTimeoutMs: 30_000,
  idleTimeoutMs: 15_000,
  maxConnections: 2_048,
  maxConcurrentAppends: 256,
  maxConcurrentReads: 64,
  closeTimeoutMs: 10_000,
};

const LIMIT_NAMES = Object.keys(DEFAULT_LIMITS) as (keyof ServerLimits)[];

/** As much as a timer of Node.js can wait. */
const MAX_LIMIT = 2 ** 31 - 1;

/** @throws SandboxError `OPTION_INVALID`. */
export function checkServerOptions(options: SessionLogServerOptions): CheckedServerOptions {
  if (typeof options !== "object" || options === null) throw invalidOption("options", "an object");
  refuseUnknownOptions(options, ["store", "authToken", "port", "host", "onError", ...LIMIT_NAMES]);
  const { store, authToken, port = 0, host = "127.0.0.1", onError } = options;
  if (store !== undefined && !isLog(store)) throw invalidOption("store", "a log with append, read and close");
  checkToken(authToken);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw invalidOption("port", "a whole number from 0 to 65535");
  if (typeof host !== "string" || host === "") throw invalidOption("host", "an address or a name");
  if (onError !== undefined && typeof onError !== "function") throw invalidOption("onError", "a function");
  const limits: Record<keyof ServerLimits, number> = { ...DEFAULT_LIMITS };
  for (const name of LIMIT_NAMES) limits[name] = checkLimit(name, options[name] ?? DEFAULT_LIMITS[name]);
  return { store, authToken, port, host, limits, onError: toTeller(onError) };
}

function toTeller(onError: ((error: unknown) => void) | undefined): (error: unknown) => void {
  return (error) => {
    // What the listener throws, or rejects with, is its own fault: a request must be answered whatever it does.
    const told = new Promise((resolve) => resolve(onError?.(error)));
    told.catch(() => undefined);
  };
}

function checkLimit(name: string, value: unknown): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= MAX_LIMIT) return value;
  throw invalidOption(name, `a whole number from 1 to ${MAX_LIMIT}`);
}

function isLog(value: unknown): value is HarnessSessionLog {
  return (
    isRecord(value) && ["append", "read", "close"].every((method) => typeof value[method] === "function")
  );
}
