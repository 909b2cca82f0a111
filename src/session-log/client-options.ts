/** The options of `remoteSessionLog()`, checked, with their defaults. */
import { invalidOption, isRecord, refuseUnknownOptions } from "../shared/check-options.ts";
import { SandboxError } from "../shared/errors.ts";
import { checkToken } from "./check-token.ts";

/** What `remoteSessionLog()` takes. */
export interface RemoteSessionLogOptions {
  /** `https:` or `http:` URL of the service; a path in front of the routes may be part of it. */
  readonly baseUrl: string;
  /** What the service was given as its `authToken`. It stands in no error. */
  readonly authToken?: string | undefined;
  /** For each attempt, from the request to the end of the answer. @default 30000 */
  readonly timeoutMs?: number | undefined;
  /** Times that one append, or one read, is sent at most, 1 to 100. @default 3 */
  readonly maxAppendAttempts?: number | undefined;
  /** Bytes of an answer at most. @default 33554432 (32 MiB) */
  readonly maxResponseBytes?: number | undefined;
  /**
   * Lets a token travel over `http:` to a host that is not this machine, where whoever is on the way can read it.
   *
   * @default false
   */
  readonly allowInsecureHttp?: boolean | undefined;
  /** In place of the global one, for example with a proxy or a certificate of your own. @default fetch */
  readonly fetch?: typeof fetch | undefined;
}

/** Options that can be sent with. */
export interface CheckedClientOptions {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly authToken: string | undefined;
  readonly timeoutMs: number;
  readonly maxAttempts: number;
  readonly maxResponseBytes: number;
  readonly fetch: typeof fetch;
}

const KNOWN = [
  "baseUrl",
  "authToken",
  "timeoutMs",
  "maxAppendAttempts",
  "maxResponseBytes",
  "allowInsecureHttp",
  "fetch",
];

/** @throws SandboxError `OPTION_INVALID`. */
export function checkClientOptions(options: RemoteSessionLogOptions): CheckedClientOptions {
  if (!isRecord(options)) throw invalidOption("options", "an object");
  refuseUnknownOptions(options, KNOWN);
  const {
    authToken,
    timeoutMs = 30_000,
    maxAppendAttempts = 3,
    maxResponseBytes = 32 * 1024 * 1024,
  } = options;
  const { allowInsecureHttp = false, fetch } = options;
  checkToken(authToken);
  checkNumber("timeoutMs", timeoutMs, 2 ** 31 - 1);
  checkNumber("maxAppendAttempts", maxAppendAttempts, 100);
  checkNumber("maxResponseBytes", maxResponseBytes, 2 ** 31 - 1);
  if (typeof allowInsecureHttp !== "boolean") throw invalidOption("allowInsecureHttp", "true or false");
  if (fetch !== undefined && typeof fetch !== "function") throw invalidOption("fetch", "a function");
  const url = checkUrl(options.baseUrl);
  if (
    url.protocol === "http:" &&
    authToken !== undefined &&
    !allowInsecureHttp &&
    !isThisMachine(url.hostname)
  )
    throw new SandboxError(
      "OPTION_INVALID",
      `Option "baseUrl" must be an https: URL, as the token would travel in the open; or set allowInsecureHttp.`,
      { option: "baseUrl" },
    );
  return {
    baseUrl: `${url.origin}${url.pathname.replace(/\/+$/, "")}`,
    authToken,
    timeoutMs,
    maxAttempts: maxAppendAttempts,
    maxResponseBytes,
    // The global one is looked up at each call: what instruments it later is not passed by.
    fetch: fetch ?? ((...args) => globalThis.fetch(...args)),
  };
}

function checkUrl(value: unknown): URL {
  const expected = "an http: or https: URL without user, query and fragment";
  if (typeof value !== "string" || !URL.canParse(value)) throw invalidOption("baseUrl", expected);
  const url = new URL(value);
  const isPlain = url.username === "" && url.password === "" && url.search === "" && url.hash === "";
  if (!["http:", "https:"].includes(url.protocol) || !isPlain) throw invalidOption("baseUrl", expected);
  return url;
}

function isThisMachine(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d+){3}$/.test(hostname);
}

function checkNumber(name: string, value: unknown, max: number): void {
  if (typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= max) return;
  throw invalidOption(name, `a whole number from 1 to ${max}`);
}
