/** Two levels of trace options → one. The host's level is what an application sets once, the call's is per run. */

import { SandboxError } from "../shared/errors.ts";
import type { HarnessTraceLevel, HarnessTraceOptions, TraceField } from "../shared/trace-options.ts";

const PRESETS = {
  none: { command: false, output: false, toolInput: false, toolResult: false, maxFieldBytes: 16 * 1024 },
  metadata: { command: true, output: false, toolInput: true, toolResult: false, maxFieldBytes: 16 * 1024 },
  full: { command: true, output: true, toolInput: true, toolResult: true, maxFieldBytes: 16 * 1024 },
} as const satisfies Record<string, HarnessTraceOptions>;

const FIELDS = new Set(["command", "output", "toolInput", "toolResult", "maxFieldBytes", "redact"]);

/**
 * Decides every field: the call's level goes before the host's, field by field, and the defaults
 * (`"metadata"`) fill the rest. `redact` alone is not replaced: with both, the call's runs first and the
 * host's on what it gives, so a call cannot switch off what the host hides.
 * Throws `OPTION_INVALID` for unknown presets, unknown fields and bad values.
 */
export function resolveTraceOptions(
  hostLevel: HarnessTraceLevel | undefined,
  callLevel: HarnessTraceLevel | undefined,
): HarnessTraceOptions {
  const host = readLevel("host", hostLevel);
  const call = readLevel("call", callLevel);
  const { redact: redactOfHost, ...hostFields } = host;
  const { redact: redactOfCall, ...callFields } = call;
  const redact = chain(redactOfCall, redactOfHost);
  return { ...PRESETS.metadata, ...hostFields, ...callFields, ...(redact && { redact }) };
}

type Redact = (text: string, field: TraceField) => string;

function chain(first: Redact | undefined, second: Redact | undefined): Redact | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return (text, field) => second(first(text, field), field);
}

function readLevel(name: string, level: HarnessTraceLevel | undefined): Partial<HarnessTraceOptions> {
  if (level === undefined) return {};
  if (typeof level === "string") {
    if (Object.hasOwn(PRESETS, level)) return PRESETS[level];
    throw bad(name, `expected "none", "metadata" or "full", got ${JSON.stringify(level)}`);
  }
  if (typeof level !== "object" || level === null) throw bad(name, `expected a preset or an object`);
  const given: [string, unknown][] = Object.entries(level).filter(([, value]) => value !== undefined);
  for (const [field, value] of given) checkField(name, field, value);
  return Object.fromEntries(given);
}

function checkField(level: string, field: string, value: unknown): void {
  if (!FIELDS.has(field)) throw bad(level, `unknown field "${field}"`);
  if (field === "redact") {
    if (typeof value !== "function") throw bad(level, "redact: expected a function");
  } else if (field === "maxFieldBytes") {
    if (!Number.isSafeInteger(value) || Number(value) < 0) {
      throw bad(level, "maxFieldBytes: expected a whole number of bytes, 0 or more");
    }
  } else if (typeof value !== "boolean") {
    throw bad(level, `${field}: expected true or false`);
  }
}

function bad(level: string, why: string): SandboxError {
  return new SandboxError("OPTION_INVALID", `trace options (${level} level): ${why}`, { level });
}
