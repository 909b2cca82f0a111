/** Reads single records, and what lies around them at once: the next one asked for is often near. */
import { type DecodedRecord, decodeRecord, MAX_PLACE_BYTES, readPlace } from "./file-log-record.ts";
import { type LogFile, readUpTo } from "./log-files.ts";

/** Bytes that one call reads. */
const WINDOW_BYTES = 16 * 1024;
/** Of these, after the record, when the next one asked for lies before it. */
const AHEAD_BYTES = 4 * 1024;

export class RecordReader {
  readonly #file: LogFile;
  readonly #end: number;
  #window: Buffer = Buffer.alloc(0);
  #windowAt = 0;

  /** @param end What is after it is not there yet. */
  constructor(file: LogFile, end: number) {
    this.#file = file;
    this.#end = end;
  }

  /** The record at `at`; a text that says what is wrong with it; undefined when none begins there. */
  async read(at: number, direction: "on" | "back"): Promise<DecodedRecord | string | undefined> {
    if (at >= this.#end) return undefined;
    await this.#show(at, Math.min(MAX_PLACE_BYTES, this.#end - at), direction);
    const place = readPlace(this.#window, at - this.#windowAt);
    if (place === undefined) return undefined;
    const length = Math.min(place.bytes, this.#end - at);
    await this.#show(at, length, direction);
    const start = at - this.#windowAt;
    return decodeRecord(this.#window.subarray(start, start + length));
  }

  /** Has these bytes in the window, as far as the file has them. */
  async #show(at: number, length: number, direction: "on" | "back"): Promise<void> {
    if (at >= this.#windowAt && at + length <= this.#windowAt + this.#window.length) return;
    const from = direction === "on" ? at : Math.max(0, at - WINDOW_BYTES + Math.max(length, AHEAD_BYTES));
    const start = Math.min(from, at);
    const end = Math.min(this.#end, Math.max(start + WINDOW_BYTES, at + length));
    this.#window = await readUpTo(this.#file, start, end - start);
    this.#windowAt = start;
  }
}
