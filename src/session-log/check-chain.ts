/**
 * Whether events are the whole and untouched next part of a run. For what comes from where others can write: a file,
 * a database, a server.
 */
import { isRecord, unknownOption } from "../shared/check-options.ts";
import { isSandboxError, SandboxError } from "../shared/errors.ts";
import type { SessionLogEvent } from "../shared/session-log.ts";
import { type AppendFields, checkFields } from "./check-append.ts";
import { hashOf, RUN_START } from "./seal-event.ts";

/** After which event the part begins. */
export interface ChainStart {
  /** 0: at the first event of the run. */
  readonly sequence: number;
  /** Its hash; undefined when it is not known: then the first event's `previousHash` is taken as it is. */
  readonly hash?: string | undefined;
}

/** The first event that does not belong. */
export interface ChainBreak {
  /** Of the event in the list. */
  readonly index: number;
  /** That the event should have. */
  readonly sequence: number;
  /** What is wrong with it, for people. */
  readonly what: string;
}

const FIELDS = [
  "runId",
  "sequence",
  "appendIdempotencyKey",
  "occurrenceId",
  "type",
  "data",
  "at",
  "digest",
  "previousHash",
  "hash",
];
const HASH = /^[0-9a-f]{64}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/**
 * The first break, or undefined. Every field is looked at, and digest and hash are computed anew; that no key comes
 * twice is looked at within the list.
 */
export function findBreak(
  runId: string,
  events: readonly unknown[],
  start: ChainStart = RUN_START,
): ChainBreak | undefined {
  let before = start;
  const keys = new Set<string>();
  for (const [index, value] of events.entries()) {
    const fields = checkNext(runId, value, before);
    const what = typeof fields === "string" ? fields : repeated(fields, keys);
    if (what !== undefined) return { index, sequence: before.sequence + 1, what };
    before = value as SessionLogEvent;
  }
  return undefined;
}

/** @throws SandboxError `SESSION_LOG_CORRUPT` for a break. @param source Who gave the events, for the message. */
export function assertChain(
  runId: string,
  events: readonly unknown[],
  start: ChainStart,
  source: string,
): asserts events is readonly SessionLogEvent[] {
  const found = findBreak(runId, events, start);
  if (found === undefined) return;
  const message = `${source}: run ${runId}, event ${found.sequence}: ${found.what}.`;
  throw new SandboxError("SESSION_LOG_CORRUPT", message, { runId, sequence: found.sequence });
}

/** SHA-256 as a log writes it. */
export function isHash(value: unknown): value is string {
  return typeof value === "string" && HASH.test(value);
}

/**
 * What an event says, when it is the one after `before`; else a text of what is wrong with it, which quotes nothing of
 * the event: who gave it may have put there what must stand in no error, such as the token of the client that asked.
 */
export function checkNext(runId: string, value: unknown, before: ChainStart): AppendFields | string {
  if (!isRecord(value)) return "it is no object";
  if (unknownOption(value, FIELDS) !== undefined) return "it has an unknown field";
  const { sequence, at, digest, previousHash, hash, ...append } = value;
  if (append.runId !== runId) return "it is of another run";
  if (sequence !== before.sequence + 1)
    return `its sequence is ${Number.isSafeInteger(sequence) ? sequence : "none"}`;
  if (![digest, previousHash, hash].every(isHash)) return "a hash of it is none";
  if (typeof at !== "string" || !TIME.test(at) || Number.isNaN(Date.parse(at))) return "its time is none";
  const hashBefore = before.sequence === 0 ? RUN_START.hash : before.hash;
  if (hashBefore !== undefined && previousHash !== hashBefore)
    return "its previousHash is not the hash of the event before";
  try {
    const fields = checkFields(append);
    if (fields.digest !== digest) return "its digest is not that of what was appended";
    if (hashOf(value as unknown as SessionLogEvent, fields.dataText) !== hash)
      return "its hash is not that of its fields";
    return fields;
  } catch (error) {
    if (!isSandboxError(error)) throw error;
    const [field = ""] = String(error.data.field).split(/[.[]/);
    return `its "${field}" is none that can be appended`;
  }
}

function repeated({ appendIdempotencyKey }: AppendFields, keys: Set<string>): string | undefined {
  if (keys.has(appendIdempotencyKey)) return "its key is that of an event before it";
  keys.add(appendIdempotencyKey);
  return undefined;
}
