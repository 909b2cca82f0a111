/** The arguments of `little-harness serve-log` → what to do, as plain data. Pure. */
import { parseArgs } from "node:util";
import { checkOptions } from "./check-options.ts";
import { toPath } from "./option-values.ts";
import { UsageError } from "./usage-error.ts";

/** `little-harness serve-log`, checked. */
export interface ServeLogInvocation {
  readonly command: "serve-log";
  /** Absolute; `null`: in memory. */
  readonly path: string | null;
  readonly port: number;
  readonly host: string;
  readonly sync: boolean;
  /** Absolute; `null`: the token is in the environment, or there is none. */
  readonly tokenFile: string | null;
}

/** Long names of the options. There is none for the token itself: every user of a machine can read a command line. */
export const SERVE_LOG_OPTIONS = {
  path: { type: "string" },
  port: { type: "string" },
  host: { type: "string" },
  "no-sync": { type: "boolean" },
  "token-file": { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

const DEFAULT_PORT = 8787;

/** Throws `UsageError`. */
export function parseServeLog(
  argv: readonly string[],
): ServeLogInvocation | { command: "help"; topic: "serve-log" } {
  const parsed = parseArgs({
    args: [...argv],
    options: SERVE_LOG_OPTIONS,
    strict: false,
    tokens: true,
    allowPositionals: true,
  });
  checkOptions(SERVE_LOG_OPTIONS, parsed);
  const { values, positionals } = parsed;
  if (values.help === true) return { command: "help", topic: "serve-log" };
  const [operand] = positionals;
  if (operand !== undefined)
    throw new UsageError(`serve-log takes no operand; did you mean "--path ${operand}"?`);
  const path = toPath("--path", values.path);
  if (values["no-sync"] === true && path === null)
    throw new UsageError("--no-sync is about a file; it goes with --path");
  const host = values.host ?? "127.0.0.1";
  if (typeof host !== "string" || host === "") throw new UsageError("--host takes an address or a name");
  return {
    command: "serve-log",
    path,
    port: toPort(values.port),
    host,
    sync: values["no-sync"] !== true,
    tokenFile: toPath("--token-file", values["token-file"]),
  };
}

function toPort(value: string | boolean | undefined): number {
  if (value === undefined) return DEFAULT_PORT;
  if (typeof value === "string" && /^\d{1,5}$/.test(value) && Number(value) <= 65_535) return Number(value);
  throw new UsageError(`--port takes a number from 0 to 65535, not "${value}"`);
}
