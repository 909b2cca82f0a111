/**
 * One run of the file. `walkRun` follows the records back from the last one and reads nothing else; `inspectRun` reads
 * the whole file and is the truth: what a walk cannot make sense of is decided there.
 */
import { SandboxError } from "../shared/errors.ts";
import type { SessionLogEvent } from "../shared/session-log.ts";
import { HEADER_BYTES } from "./file-log-header.ts";
import { type DecodedRecord, decodeRecord } from "./file-log-record.ts";
import { scanRecords } from "./file-log-scan.ts";
import type { RunTip } from "./head-slots.ts";
import type { LogFile } from "./log-files.ts";
import type { RecordReader } from "./record-reader.ts";
import { RUN_START, type RunHead } from "./seal-event.ts";

/** What is known of a run whose every record was read. */
export interface RunIndex {
  /** Where each record begins: that of the sequence 1 first. */
  readonly offsets: number[];
  /** Key → sequence. */
  readonly keys: Map<string, number>;
  readonly head: RunHead;
}

/** The run that ends at `tip`; undefined when the records do not make a whole chain back to its first event. */
export async function walkRun(
  reader: RecordReader,
  runId: string,
  tip: RunTip | undefined,
): Promise<RunIndex | undefined> {
  const offsets: number[] = [];
  const keys: string[] = [];
  let at = tip?.at ?? 0;
  let head: RunHead | undefined;
  let next: SessionLogEvent | undefined;
  for (let sequence = tip?.sequence ?? 0; sequence > 0; sequence--) {
    const found: DecodedRecord | string | undefined = await reader.read(at, "back");
    if (found === undefined || typeof found === "string") return undefined;
    const { event, previousAt } = found;
    if (event.runId !== runId || event.sequence !== sequence || previousAt >= at) return undefined;
    if (next !== undefined && next.previousHash !== event.hash) return undefined;
    head ??= { sequence, hash: event.hash };
    offsets.push(at);
    keys.push(event.appendIdempotencyKey);
    next = event;
    at = previousAt;
  }
  if (at !== 0) return undefined;
  return toIndex(offsets.reverse(), keys.reverse(), head ?? RUN_START);
}

/**
 * The run by its records in the order of the file, up to `end`.
 *
 * @throws SandboxError `SESSION_LOG_CORRUPT` that names file, line and run.
 */
export async function inspectRun(file: LogFile, path: string, runId: string, end: number): Promise<RunIndex> {
  const offsets: number[] = [];
  const keys: string[] = [];
  let head: RunHead = RUN_START;
  let line = 2;
  let fault: { line: number; what: string } | undefined;
  /** A damaged line after the last record: it may be the run's next. */
  let open: { line: number; what: string } | undefined;
  await scanRecords(file, HEADER_BYTES, end, (found) => {
    const here = line;
    line += countLines(found.record);
    if (found.runId === undefined) {
      open ??= { line: here, what: "the line is damaged, and may be an event of this run" };
      return;
    }
    if (found.runId !== runId || fault !== undefined) return;
    const decoded = decodeRecord(found.record);
    const what = typeof decoded === "string" ? decoded : misplaced(decoded.event, head);
    if (what !== undefined || typeof decoded === "string") {
      fault = { line: here, what: `event ${head.sequence + 1}: ${what}` };
      return;
    }
    open = undefined;
    offsets.push(found.at);
    keys.push(decoded.event.appendIdempotencyKey);
    head = { sequence: decoded.event.sequence, hash: decoded.event.hash };
  });
  const broken = fault ?? open;
  if (broken !== undefined) throw corrupt(path, runId, broken.line, broken.what);
  const index = toIndex(offsets, keys, head);
  if (index !== undefined) return index;
  throw corrupt(path, runId, 0, "two of its events have one key");
}

/** Why an event does not follow the head; undefined when it does. */
function misplaced(event: SessionLogEvent, head: RunHead): string | undefined {
  if (event.sequence !== head.sequence + 1) return `the sequence is ${event.sequence}`;
  return event.previousHash === head.hash ? undefined : "previousHash is not the hash of the event before";
}

/** Lines that a record takes: one, but for a damaged one. */
export function countLines(record: Buffer): number {
  if (record.length === 0 || record.indexOf(10) === record.length - 1) return 1;
  let lines = 0;
  for (let at = record.indexOf(10); at !== -1; at = record.indexOf(10, at + 1)) lines += 1;
  return lines;
}

function corrupt(path: string, runId: string, line: number, what: string): SandboxError {
  return new SandboxError("SESSION_LOG_CORRUPT", `${path}, line ${line}, run ${runId}: ${what}.`, {
    path,
    line,
    runId,
  });
}

function toIndex(offsets: number[], keyList: readonly string[], head: RunHead): RunIndex | undefined {
  const keys = new Map(keyList.map((key, index) => [key, index + 1]));
  return keys.size === offsets.length ? { offsets, keys, head } : undefined;
}
