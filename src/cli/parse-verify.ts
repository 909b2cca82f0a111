/** The arguments of `little-harness verify` → what to do, as plain data. Pure. */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { checkOptions } from "./check-options.ts";
import { UsageError } from "./usage-error.ts";

/** `little-harness verify`, checked. */
export interface VerifyInvocation {
  readonly command: "verify";
  /** Absolute. */
  readonly path: string;
  readonly heads: readonly { readonly runId: string; readonly sequence: number; readonly hash: string }[];
  readonly json: boolean;
}

/** Long names of the options. */
export const VERIFY_OPTIONS = {
  json: { type: "boolean" },
  head: { type: "string", multiple: true },
  help: { type: "boolean", short: "h" },
} as const;

/** Throws `UsageError`. */
export function parseVerify(
  argv: readonly string[],
): VerifyInvocation | { command: "help"; topic: "verify" } {
  const parsed = parseArgs({
    args: [...argv],
    options: VERIFY_OPTIONS,
    strict: false,
    tokens: true,
    allowPositionals: true,
  });
  checkOptions(VERIFY_OPTIONS, parsed);
  const { values, positionals } = parsed;
  if (values.help === true) return { command: "help", topic: "verify" };
  const [path, more] = positionals;
  if (path === undefined || path === "") throw new UsageError("verify takes the file of a session log");
  if (more !== undefined) throw new UsageError(`verify takes one file, not "${more}" as well`);
  const heads = (values.head ?? []).map((text) => toHead(String(text)));
  return { command: "verify", path: resolve(path), heads, json: values.json === true };
}

function toHead(text: string): VerifyInvocation["heads"][number] {
  const found = /^(.+)=([1-9]\d{0,14}):([0-9a-f]{64})$/.exec(text);
  if (found === null)
    throw new UsageError(`--head takes RUN=SEQUENCE:HASH, the hash in 64 digits, not "${text}"`);
  const [, runId = "", sequence, hash = ""] = found;
  return { runId, sequence: Number(sequence), hash };
}
