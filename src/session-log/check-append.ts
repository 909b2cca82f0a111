/** What a caller appends or asks for, checked, before anything is sent or kept. */
import { createHash } from "node:crypto";
import { isRecord, unknownOption } from "../shared/check-options.ts";
import { isSandboxError, SandboxError } from "../shared/errors.ts";
import type { JsonValue } from "../shared/json.ts";
import type { SessionLogReadOptions } from "../shared/session-log.ts";
import { canonicalJson, fromCanonicalJson } from "./canonical-json.ts";
import { isRunId, RUN_ID_RULE } from "./run-id.ts";

/** Events that one read gives at most. */
const MAX_PAGE_EVENTS = 1_000;

const TYPE = /^[A-Za-z0-9_\-.:@=+~]{1,200}$/;
const KEY = /^[A-Za-z0-9_\-.:@=+~/]{1,200}$/;
const CHARACTERS = "A-Z a-z 0-9 _ - . : @ = + ~";

const FIELDS = ["runId", "appendIdempotencyKey", "occurrenceId", "type", "data"];

/** What an append says. */
export interface AppendFields {
  readonly runId: string;
  readonly appendIdempotencyKey: string;
  readonly occurrenceId: string | undefined;
  readonly type: string;
  /** `data` in canonical JSON. */
  readonly dataText: string;
  /** SHA-256, in hexadecimal, of all the above in canonical JSON. */
  readonly digest: string;
}

/** An append that can be sealed. */
export interface CheckedAppend extends AppendFields {
  /** A copy of what the caller gave: plain data, keys in the canonical order. */
  readonly data: JsonValue;
}

/** @throws SandboxError `SESSION_LOG_INVALID`, naming the field and what was expected. */
export function checkAppend(value: unknown): CheckedAppend {
  const fields = checkFields(value);
  return { ...fields, data: fromCanonicalJson(fields.dataText) };
}

/** The same without a copy of `data`. */
export function checkFields(value: unknown): AppendFields {
  return readable("event", () => check(value));
}

/** A getter or a proxy of the caller's may throw anything. */
function readable<Result>(field: string, read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    if (isSandboxError(cause)) throw cause;
    throw new SandboxError("SESSION_LOG_INVALID", `The ${field} cannot be read.`, { field }, { cause });
  }
}

function check(value: unknown): AppendFields {
  if (!isRecord(value)) throw invalid("event", "an object with runId, appendIdempotencyKey, type and data");
  const unknown = unknownOption(value, FIELDS);
  if (unknown !== undefined) throw invalid(unknown.slice(0, 100), `left out; known are ${FIELDS.join(", ")}`);
  const runId = checkRunId(value.runId);
  const appendIdempotencyKey = checkText("appendIdempotencyKey", value.appendIdempotencyKey, KEY, "/");
  const occurrenceId =
    value.occurrenceId === undefined ? undefined : checkText("occurrenceId", value.occurrenceId, KEY, "/");
  const type = checkText("type", value.type, TYPE);
  const dataText = canonicalJson(value.data, "data");
  const fields = { runId, appendIdempotencyKey, occurrenceId, type, dataText };
  return { ...fields, digest: sha256(appendText(fields)) };
}

/** The run that is read. @throws SandboxError `SESSION_LOG_INVALID`. */
export function checkRunId(value: unknown): string {
  if (isRunId(value)) return value;
  throw invalid("runId", RUN_ID_RULE);
}

/** The options of a read with their defaults. @throws SandboxError `SESSION_LOG_INVALID`. */
export function checkReadOptions(options: SessionLogReadOptions = {}): { after: number; limit: number } {
  return readable("options", () => readOptions(options));
}

function readOptions(options: SessionLogReadOptions): { after: number; limit: number } {
  const given: unknown = options;
  if (!isRecord(given)) throw invalid("options", "an object");
  const unknown = unknownOption(given, ["after", "limit"]);
  if (unknown !== undefined) throw invalid(unknown.slice(0, 100), "left out; known are after, limit");
  return {
    after: checkInteger("after", given.after === undefined ? 0 : given.after, 0, Number.MAX_SAFE_INTEGER),
    limit: checkInteger(
      "limit",
      given.limit === undefined ? MAX_PAGE_EVENTS : given.limit,
      1,
      MAX_PAGE_EVENTS,
    ),
  };
}

function checkInteger(field: string, value: unknown, min: number, max: number): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= min && value <= max) return value;
  throw invalid(field, `a whole number from ${min} to ${max}`);
}

/** An append in canonical JSON. Its SHA-256 makes two appends the same, and a client sends just this text. */
export function appendText(append: Omit<AppendFields, "digest">): string {
  const { runId, appendIdempotencyKey, occurrenceId, type, dataText } = append;
  // Canonical as it stands: the names are sorted, and no character of the texts needs an escape.
  const group = occurrenceId === undefined ? "" : `"occurrenceId":"${occurrenceId}",`;
  return `{"appendIdempotencyKey":"${appendIdempotencyKey}","data":${dataText},${group}"runId":"${runId}","type":"${type}"}`;
}

/** In hexadecimal. */
export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function checkText(field: string, value: unknown, pattern: RegExp, more = ""): string {
  if (typeof value === "string" && pattern.test(value)) return value;
  throw invalid(field, `1 to 200 of ${CHARACTERS}${more && ` ${more}`}`);
}

function invalid(field: string, expected: string): SandboxError {
  return new SandboxError("SESSION_LOG_INVALID", `"${field}" must be ${expected}.`, { field });
}
