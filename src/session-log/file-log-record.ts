/**
 * One event as a line of the file. Its place comes first: the run, the sequence, where the run's previous record
 * begins, how many bytes it has itself, and a check sum of these four. So what a record is, and whose, can be told
 * when the rest of it is damaged, and records are found without a search for newlines.
 *
 * A record is these bytes and no others: one that says the same in another way is damaged.
 */
import { isUtf8 } from "node:buffer";
import { crc32 } from "node:zlib";
import { isRecord } from "../shared/check-options.ts";
import type { SessionLogEvent } from "../shared/session-log.ts";
import { canonicalJson } from "./canonical-json.ts";
import { findBreak } from "./check-chain.ts";

/** What stands first in a record. */
export interface RecordPlace {
  readonly runId: string;
  readonly sequence: number;
  /** Where the run's previous record begins, in bytes from the start of the file; 0 for the first. A hint. */
  readonly previousAt: number;
  /** Of the record with its newline. */
  readonly bytes: number;
}

/** A record whose every byte is as it was written. */
export interface DecodedRecord {
  readonly event: SessionLogEvent;
  readonly previousAt: number;
  /** In bytes. */
  readonly length: number;
}

/** Bytes that a place has at most. */
export const MAX_PLACE_BYTES = 320;
/** Bytes of the largest record: its data, and all else. */
export const MAX_RECORD_BYTES = 1024 * 1024 + 4096;

const NEWLINE = 10;
const PLACE =
  /^\{"runId":"([A-Za-z0-9_\-.:@=+~]{1,200})","sequence":([1-9]\d{0,14}),"previousAt":(\d{1,15}),"bytes":(\d{1,7}),"check":"([0-9a-f]{8})",/;

/** The line, with its newline. @param dataText `data` in canonical JSON. */
export function encodeRecord(event: SessionLogEvent, dataText: string, previousAt: number): Buffer {
  const { runId, sequence, appendIdempotencyKey, occurrenceId, type, at, digest, previousHash, hash } = event;
  const group = occurrenceId === undefined ? "" : `"occurrenceId":"${occurrenceId}",`;
  const rest =
    `"appendIdempotencyKey":"${appendIdempotencyKey}",${group}"type":"${type}","at":"${at}",` +
    `"digest":"${digest}","previousHash":"${previousHash}","hash":"${hash}","data":${dataText}}\n`;
  const start = `{"runId":"${runId}","sequence":${sequence},"previousAt":${previousAt},"bytes":`;
  const others = start.length + ',"check":"00000000",'.length + Buffer.byteLength(rest);
  const bytes = withOwnDigits(others);
  const check = checkOf({ runId, sequence, previousAt, bytes });
  return Buffer.from(`${start}${bytes},"check":"${check}",${rest}`);
}

/** What stands first in the bytes from `start`, if it is whole. */
export function readPlace(bytes: Buffer, start: number): RecordPlace | undefined {
  const found = PLACE.exec(bytes.toString("latin1", start, Math.min(start + MAX_PLACE_BYTES, bytes.length)));
  if (found === null) return undefined;
  const [, runId = "", sequence, previousAt, size, check] = found;
  const place = { runId, sequence: Number(sequence), previousAt: Number(previousAt), bytes: Number(size) };
  return checkOf(place) === check && place.bytes <= MAX_RECORD_BYTES ? place : undefined;
}

/** The event of a record; a text that says what is wrong with it, when one byte is not as it was written. */
export function decodeRecord(record: Buffer): DecodedRecord | string {
  if (record.at(-1) !== NEWLINE) return "it does not end with a newline";
  const parsed = parse(record);
  if (typeof parsed === "string") return parsed;
  const { event, previousAt } = parsed;
  if (!Number.isSafeInteger(previousAt)) return "its place is none";
  const encoded = encodeRecord(event, canonicalJson(event.data, "data"), previousAt as number);
  if (!encoded.equals(record)) return "it says what it says in other bytes than were written";
  return { event, previousAt: previousAt as number, length: record.length };
}

/** Whose a line is that has no place: where only the place is damaged, the event's own hash tells. */
export function tellRun(line: Buffer): string | undefined {
  const parsed = line.length > MAX_RECORD_BYTES ? "too long" : parse(line);
  return typeof parsed === "string" ? undefined : parsed.event.runId;
}

function parse(line: Buffer): { event: SessionLogEvent; previousAt: unknown } | string {
  if (!isUtf8(line)) return "it is not UTF-8";
  let value: unknown;
  try {
    value = JSON.parse(line.toString());
  } catch {
    return "it is not JSON";
  }
  if (!isRecord(value)) return "it is no object";
  const { previousAt, bytes: _, check: __, ...event } = value;
  const { runId, sequence } = event;
  if (typeof sequence !== "number" || sequence < 1) return "its sequence is none";
  const found = findBreak(String(runId), [event], { sequence: sequence - 1 });
  return found === undefined ? { event: event as unknown as SessionLogEvent, previousAt } : found.what;
}

function checkOf({ runId, sequence, previousAt, bytes }: RecordPlace): string {
  return crc32(`${runId} ${sequence} ${previousAt} ${bytes}`).toString(16).padStart(8, "0");
}

/** A number that counts its own digits. */
function withOwnDigits(others: number): number {
  const bytes = others + String(others).length;
  return others + String(bytes).length;
}
