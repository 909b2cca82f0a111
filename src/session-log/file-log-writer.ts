/**
 * Writes records at the end of the file, in the order in which they were added. Those that are added while a write or a
 * sync is under way go together in the next one, so that one sync answers for all of them.
 *
 * After a write that failed, what is beyond the last whole commit is cut off before anything else is written; where it
 * cannot be cut, and after every sync that failed, nothing is written ever again: what the disk has is not known. The
 * same holds when the file is found to be another's, or changed by another.
 */
import type { SandboxError } from "../shared/errors.ts";
import { type LogFile, writeAll } from "./log-files.ts";
import { failed, SyncFailed } from "./open-log-file.ts";

/** One record on its way. */
export interface Waiting {
  readonly record: Buffer;
  /** It is kept, as durably as the log promises. */
  readonly kept: () => void;
  /** It is not known whether it is. */
  readonly lost: (error: SandboxError) => void;
}

/** What a writer needs of its log. */
export interface WriterOptions {
  readonly path: string;
  readonly file: LogFile;
  /** Where the last whole line ends. */
  readonly end: number;
  readonly sync: boolean;
  /** Rejects when this process has the file no more, or not alone: it is not `size` bytes long. */
  readonly checkOwner: (size: number) => Promise<void>;
  /** Everything that waits is lost: places that were given out since the last commit are void. */
  readonly onLoss: () => void;
}

/** Bytes that one write takes together. */
const MAX_BATCH_BYTES = 8 * 1024 * 1024;

export class LogWriter {
  readonly #options: WriterOptions;
  #queue: Waiting[] = [];
  #end: number;
  #nextAt: number;
  #running: Promise<void> | undefined;
  #failure: SandboxError | undefined;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#end = options.end;
    this.#nextAt = options.end;
  }

  /** Where the last commit ends. */
  get end(): number {
    return this.#end;
  }

  /** Where the next record begins. */
  get nextAt(): number {
    return this.#nextAt;
  }

  /** Why nothing is written any more. */
  get failure(): SandboxError | undefined {
    return this.#failure;
  }

  add(waiting: Waiting): void {
    this.#queue.push(waiting);
    this.#nextAt += waiting.record.length;
    this.#running ??= this.#run();
  }

  /** Resolves when nothing waits. */
  async drain(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async #run(): Promise<void> {
    // What the same turn of the event loop adds goes along.
    await undefined;
    while (this.#queue.length > 0) await this.#commit(this.#takeBatch());
    this.#running = undefined;
  }

  #takeBatch(): Waiting[] {
    let bytes = 0;
    let count = 0;
    for (const { record } of this.#queue) {
      bytes += record.length;
      if (count > 0 && bytes > MAX_BATCH_BYTES) break;
      count += 1;
    }
    return this.#queue.splice(0, count);
  }

  async #commit(batch: readonly Waiting[]): Promise<void> {
    const { path, file, sync, checkOwner } = this.#options;
    const bytes = Buffer.concat(batch.map(({ record }) => record));
    try {
      await checkOwner(this.#end);
    } catch (error) {
      this.#failure = failed(path, "this process has it no more, and appends nothing to it", error);
      return this.#lose(batch, this.#failure);
    }
    try {
      await writeAll(file, bytes, this.#end);
    } catch (error) {
      return await this.#cut(batch, error);
    }
    try {
      if (sync) await file.datasync();
    } catch (error) {
      this.#failure = new SyncFailed(path, error);
      return this.#lose(batch, this.#failure);
    }
    this.#end += bytes.length;
    for (const { kept } of batch) kept();
  }

  async #cut(batch: readonly Waiting[], cause: unknown): Promise<void> {
    const { path, file } = this.#options;
    let error = failed(path, "an event could not be written", cause);
    try {
      await file.truncate(this.#end);
    } catch (second) {
      error = failed(path, "an event could not be written, nor what was written of it cut off", second);
      this.#failure = error;
    }
    this.#lose(batch, error);
  }

  /** Those behind it are bound to records that are not there. */
  #lose(batch: readonly Waiting[], error: SandboxError): void {
    const all = [...batch, ...this.#queue];
    this.#queue = [];
    this.#nextAt = this.#end;
    this.#options.onLoss();
    for (const { lost } of all) lost(error);
  }
}
