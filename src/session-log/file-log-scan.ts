/** The records of the file in their order, and the lines that are none. */
import {
  MAX_PLACE_BYTES,
  MAX_RECORD_BYTES,
  type RecordPlace,
  readPlace,
  tellRun,
} from "./file-log-record.ts";
import { type LogFile, readUpTo } from "./log-files.ts";

/** One record, or one damaged line. */
export interface FoundRecord {
  /** Where it begins, in bytes from the start of the file. */
  readonly at: number;
  readonly length: number;
  /** Its bytes, for as long as the visit lasts; none when the line is longer than any record. */
  readonly record: Buffer;
  /** Undefined for a damaged line. */
  readonly place: RecordPlace | undefined;
  /** Whose it is; undefined when that cannot be told. */
  readonly runId: string | undefined;
}

const CHUNK_BYTES = 1024 * 1024;
const NEWLINE = 10;

/**
 * Visits what lies between `from`, where a line must begin, and the end. Returns where the last whole line ends: what
 * is after it is a fragment that no newline committed.
 */
export async function scanRecords(
  file: LogFile,
  from: number,
  end: number,
  visit: (found: FoundRecord) => void,
): Promise<number> {
  const scanner = new Scanner(from, visit);
  for (let position = from; position < end; ) {
    const chunk = await readUpTo(file, position, Math.min(CHUNK_BYTES, end - position));
    if (chunk.length === 0) break;
    position += chunk.length;
    scanner.take(chunk, position >= end);
  }
  return scanner.committedTo;
}

class Scanner {
  readonly #visit: (found: FoundRecord) => void;
  /** Not looked at yet. */
  #rest: Buffer = Buffer.alloc(0);
  /** Where `#rest` begins in the file. */
  #restAt: number;
  /** Where a line began that is longer than any record. */
  #longAt: number | undefined;

  constructor(from: number, visit: (found: FoundRecord) => void) {
    this.#restAt = from;
    this.#visit = visit;
  }

  get committedTo(): number {
    return this.#longAt ?? this.#restAt;
  }

  take(chunk: Buffer, isLast: boolean): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let start = this.#longAt === undefined ? 0 : this.#endLongLine(bytes);
    while (start < bytes.length) {
      const length = this.#next(bytes, start, isLast);
      if (length === 0) break;
      start += length;
    }
    if (bytes.length - start > 2 * MAX_RECORD_BYTES) {
      this.#longAt ??= this.#restAt + start;
      start = bytes.length;
    }
    this.#rest = bytes.subarray(start);
    this.#restAt += start;
  }

  /** Looks at what begins at `start`. Returns its length, 0 when more bytes are needed. */
  #next(bytes: Buffer, start: number, isLast: boolean): number {
    const isCut = (end: number) => end > bytes.length && !isLast;
    if (isCut(start + MAX_PLACE_BYTES)) return 0;
    const place = readPlace(bytes, start);
    if (place !== undefined) {
      const end = start + place.bytes;
      if (isCut(end + MAX_PLACE_BYTES)) return 0;
      // Where the newline itself is damaged, what follows tells that the record ends here: another, or nothing.
      const isWhole = end <= bytes.length && bytes[end - 1] === NEWLINE;
      const isLast = end === bytes.length && bytes.indexOf(NEWLINE, start) === -1;
      if (isWhole || isLast || (end < bytes.length && readPlace(bytes, end) !== undefined)) {
        this.#tell(bytes, start, place.bytes, place);
        return place.bytes;
      }
    }
    const newline = bytes.indexOf(NEWLINE, start);
    if (newline === -1) return 0;
    // Other records may be in it: whose it is, its place alone does not say.
    this.#tell(bytes, start, newline + 1 - start, undefined);
    return newline + 1 - start;
  }

  #tell(bytes: Buffer, start: number, length: number, place: RecordPlace | undefined): void {
    const record = bytes.subarray(start, start + length);
    const runId = place === undefined ? tellRun(record) : place.runId;
    this.#visit({ at: this.#restAt + start, length, record, place, runId });
  }

  #endLongLine(bytes: Buffer): number {
    const newline = bytes.indexOf(NEWLINE);
    if (newline === -1) return bytes.length;
    const at = this.#longAt ?? this.#restAt;
    const length = this.#restAt + newline + 1 - at;
    this.#longAt = undefined;
    this.#visit({ at, length, record: Buffer.alloc(0), place: undefined, runId: undefined });
    return newline + 1;
  }
}
