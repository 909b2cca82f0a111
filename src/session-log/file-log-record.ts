/**
 * One event as a line of the file. Its place comes first: the run, the sequence, where the record begins and where the
 * run's previous one does, how many bytes it has, and a check sum of these five. So what a record is, and whose, can be told
 * when the rest of it is damaged, and records are found without a search for newlines.
 *
 * A record is these bytes and no others: one that says the same in another way is damaged.
 */
import { isUtf8 } from "node:buffer";
import { crc32 } from "node:zlib";
import { isRecord } from "../shared/check-options.ts";
import type { SessionLogEvent } from "../shared/session-log.ts";
import { checkNext } from "./check-chain.ts";

/** What stands first in a record. */
export interface RecordPlace {
  readonly runId: string;
  readonly sequence: number;
  /** Where it was written, in bytes from the start of the file: where it is, unless lines before it are gone. */
  readonly begins: number;
  /** Where the run's previous record was written; 0 for the first. A hint. */
  readonly previousAt: number;
  /** Of the record with its newline. */
  readonly bytes: number;
}

/** A record whose every byte is as it was written. */
export interface DecodedRecord {
  readonly event: SessionLogEvent;
  readonly begins: number;
  readonly previousAt: number;
  /** In bytes. */
  readonly length: number;
}

/** Bytes that a place has at most. */
export const MAX_PLACE_BYTES = 384;
/** Bytes of the largest record: its data, and all else. */
export const MAX_RECORD_BYTES = 1024 * 1024 + 4096;

const NEWLINE = 10;
const PLACE =
  /^\{"runId":"([A-Za-z0-9_\-.:@=+~]{1,200})","sequence":([1-9]\d{0,14}),"begins":(\d{1,15}),"previousAt":(\d{1,15}),"bytes":(\d{1,7}),"check":"([0-9a-f]{8})",/;

/** The line, with its newline. @param dataText `data` in canonical JSON. */
export function encodeRecord(
  event: SessionLogEvent,
  dataText: string,
  { begins, previousAt }: Pick<RecordPlace, "begins" | "previousAt">,
): Buffer {
  const { runId, sequence, appendIdempotencyKey, occurrenceId, type, at, digest, previousHash, hash } = event;
  const group = occurrenceId === undefined ? "" : `"occurrenceId":"${occurrenceId}",`;
  const rest =
    `"appendIdempotencyKey":"${appendIdempotencyKey}",${group}"type":"${type}","at":"${at}",` +
    `"digest":"${digest}","previousHash":"${previousHash}","hash":"${hash}","data":${dataText}}\n`;
  const start = `{"runId":"${runId}","sequence":${sequence},"begins":${begins},"previousAt":${previousAt},"bytes":`;
  const others = start.length + ',"check":"00000000",'.length + Buffer.byteLength(rest);
  const bytes = withOwnDigits(others);
  const check = checkOf({ runId, sequence, begins, previousAt, bytes });
  return Buffer.from(`${start}${bytes},"check":"${check}",${rest}`);
}

/** What stands first in the bytes from `start`, if it is whole. */
export function readPlace(bytes: Buffer, start: number): RecordPlace | undefined {
  const found = PLACE.exec(bytes.toString("latin1", start, Math.min(start + MAX_PLACE_BYTES, bytes.length)));
  if (found === null) return undefined;
  const [, runId = "", sequence, begins, previousAt, size, check] = found;
  const numbers = { sequence: Number(sequence), begins: Number(begins), previousAt: Number(previousAt) };
  const place = { runId, ...numbers, bytes: Number(size) };
  return checkOf(place) === check && place.bytes <= MAX_RECORD_BYTES ? place : undefined;
}

/** The event of a record; a text that says what is wrong with it, when one byte is not as it was written. */
export function decodeRecord(record: Buffer): DecodedRecord | string {
  if (record.at(-1) !== NEWLINE) return "it does not end with a newline";
  const parsed = parse(record);
  if (typeof parsed === "string") return parsed;
  const place = readPlace(record, 0);
  if (place === undefined) return "its place is damaged";
  const { event, dataText } = parsed;
  const { begins, previousAt } = place;
  const encoded = encodeRecord(event, dataText, place);
  if (!encoded.equals(record)) return "it says what it says in other bytes than were written";
  return { event, begins, previousAt, length: record.length };
}

/** Whose a line is that has no place: where only the place is damaged, the event's own hash tells. */
export function tellRun(line: Buffer): string | undefined {
  const parsed = line.length > MAX_RECORD_BYTES ? "too long" : parse(line);
  return typeof parsed === "string" ? undefined : parsed.event.runId;
}

function parse(line: Buffer): { event: SessionLogEvent; dataText: string } | string {
  if (!isUtf8(line)) return "it is not UTF-8";
  let value: unknown;
  try {
    value = JSON.parse(line.toString());
  } catch {
    return "it is not JSON";
  }
  if (!isRecord(value)) return "it is no object";
  const { begins: _, previousAt: __, bytes: ___, check: ____, ...event } = value;
  const { runId, sequence } = event;
  if (typeof sequence !== "number" || sequence < 1) return "its sequence is none";
  const fields = checkNext(String(runId), event, { sequence: sequence - 1 });
  if (typeof fields === "string") return fields;
  return { event: event as unknown as SessionLogEvent, dataText: fields.dataText };
}

function checkOf({ runId, sequence, begins, previousAt, bytes }: RecordPlace): string {
  return crc32(`${runId} ${sequence} ${begins} ${previousAt} ${bytes}`).toString(16).padStart(8, "0");
}

/** A number that counts its own digits. */
function withOwnDigits(others: number): number {
  const bytes = others + String(others).length;
  return others + String(bytes).length;
}
