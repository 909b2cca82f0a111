/** A log in a file that is open: runs are looked at when they are first asked for, and kept in mind while in use. */
import { isSandboxError, type SandboxError } from "../shared/errors.ts";
import type { SessionLogEvent } from "../shared/session-log.ts";
import type { CheckedAppend } from "./check-append.ts";
import { LogIndex } from "./file-log-index.ts";
import { encodeRecord } from "./file-log-record.ts";
import { inspectRun, type RunIndex, walkRun } from "./file-log-run.ts";
import { LogWriter } from "./file-log-writer.ts";
import { KnownRun, KnownRuns } from "./known-runs.ts";
import { conflictError } from "./log-errors.ts";
import type { LogFiles } from "./log-files.ts";
import { failed, type OpenedLogFile, openLogFile } from "./open-log-file.ts";
import { RecordReader } from "./record-reader.ts";
import { sealEvent } from "./seal-event.ts";

/** Bytes of records that one read gives at most, beyond the first event. */
const MAX_PAGE_BYTES = 8 * 1024 * 1024;
/** Damaged runs that are kept in mind. */
const MAX_CORRUPT = 1_000;
/** Between two looks at whether lock and name of the file are still ours, in milliseconds. */
const OWNER_CHECK_MS = 1_000;

export class OpenedFileLog {
  readonly #files: LogFiles;
  readonly #opened: OpenedLogFile;
  readonly #index: LogIndex;
  readonly #writer: LogWriter;
  readonly #runs = new KnownRuns();
  /** Runs that were found damaged: the file does not change under this process. */
  readonly #corrupt = new Map<string, SandboxError>();
  #saving: Promise<void> | undefined;
  #ownedAtMs = performance.now();

  static async open(files: LogFiles, path: string, sync: boolean): Promise<OpenedFileLog> {
    const opened = await openLogFile(files, path, sync);
    let log: OpenedFileLog | undefined;
    const { file, id } = opened;
    const end = () => (log === undefined ? opened.size : log.#writer.end);
    const index = new LogIndex({ files, file, path: opened.path, id, end });
    try {
      const committedTo = await index.open(opened.size);
      // No newline committed what is after it, so nobody was told that it is kept.
      if (committedTo < opened.size) await file.truncate(committedTo);
      log = new OpenedFileLog(files, opened, index, committedTo, sync);
      return log;
    } catch (error) {
      await index.close();
      await file.close().catch(() => undefined); // the error before is the one to tell
      await opened.lock.release();
      throw failed(opened.path, "it cannot be read", error);
    }
  }

  private constructor(files: LogFiles, opened: OpenedLogFile, index: LogIndex, end: number, sync: boolean) {
    this.#files = files;
    this.#opened = opened;
    this.#index = index;
    const { path, file } = opened;
    const checkOwner = (size: number) => this.#checkOwner(size);
    // What is in mind of a run may have events that are not kept.
    const onLoss = () => this.#runs.clear();
    this.#writer = new LogWriter({ path, file, end, sync, checkOwner, onLoss });
  }

  async append(append: CheckedAppend): Promise<SessionLogEvent> {
    const { runId, appendIdempotencyKey: key, digest } = append;
    let run = await this.#use(runId);
    // What was known may have been void before this went on.
    while (!this.#runs.has(runId, run)) run = await this.#use(runId);
    if (this.#writer.failure !== undefined) throw this.#writer.failure;
    const sequence = run.keys.get(key);
    if (sequence === undefined) return await this.#add(run, append);
    await run.pending.get(key);
    const [event] = await this.#readEvents(runId, run, sequence - 1, 1);
    if (event?.digest === digest) return event;
    throw conflictError(append, sequence);
  }

  async read(runId: string, after: number, limit: number): Promise<SessionLogEvent[]> {
    return await this.#readEvents(runId, await this.#use(runId), after, limit);
  }

  async close(): Promise<void> {
    await this.#writer.drain();
    await this.#saving;
    // Where nothing is written any more, the file may be another's by now, and so may the table beside it.
    if (this.#writer.failure === undefined) await this.#index.saveAtEnd().catch(() => undefined); // The next opening looks at every record.
    await this.#index.close();
    await this.#opened.file.close().catch(() => undefined); // What was appended is on the disk, or was told lost.
    await this.#opened.lock.release();
  }

  /** All at once, up to the write: the order of the calls is the order of the events. */
  #add(run: KnownRun, append: CheckedAppend): Promise<SessionLogEvent> {
    const event = sealEvent(append, run.head);
    const { runId, sequence, appendIdempotencyKey: key, hash } = event;
    const at = this.#writer.nextAt;
    const record = encodeRecord(event, append.dataText, { begins: at, previousAt: run.offsets.at(-1) ?? 0 });
    run.offsets.push(at);
    run.keys.set(key, sequence);
    run.head = { sequence, hash };
    this.#runs.grow();
    const kept = new Promise<SessionLogEvent>((resolve, reject) => {
      this.#writer.add({
        record,
        kept: () => {
          run.committed = sequence;
          run.pending.delete(key);
          this.#index.move(runId, { at, sequence });
          this.#saveIfBehind();
          resolve(event);
        },
        lost: reject,
      });
    });
    // Its failure is told by the append, which has the same promise.
    run.pending.set(key, kept);
    return kept;
  }

  #use(runId: string): Promise<KnownRun> {
    return this.#runs.get(runId, () => this.#look(runId));
  }

  async #look(runId: string): Promise<KnownRun> {
    const known = this.#corrupt.get(runId);
    if (known !== undefined) throw known;
    const { file, path } = this.#opened;
    const { end } = this.#writer;
    try {
      const { size } = await file.stat();
      if (size < end)
        throw failed(path, `it was cut from ${end} bytes to ${size} while it was open`, undefined);
      let walked = await this.#walk(runId, end);
      if (walked === undefined && this.#index.isDoubtful) {
        await this.#index.rebuild();
        walked = await this.#walk(runId, end);
      }
      return new KnownRun(walked ?? (await inspectRun(file, path, runId, end)));
    } catch (error) {
      throw this.#told(runId, error);
    }
  }

  async #walk(runId: string, end: number): Promise<RunIndex | undefined> {
    const tip = await this.#index.find(runId);
    return tip === "unsure" ? undefined : await walkRun(new RecordReader(this.#opened.file, end), runId, tip);
  }

  #saveIfBehind(): void {
    if (this.#saving !== undefined || !this.#index.isBehind) return;
    // Later, when all that is kept by the same write is known.
    this.#saving = Promise.resolve()
      .then(() => this.#index.save())
      .catch(() => undefined) // The table in memory goes on, and the next opening looks at every record.
      .then(() => {
        this.#saving = undefined;
      });
  }

  async #readEvents(runId: string, run: KnownRun, after: number, limit: number): Promise<SessionLogEvent[]> {
    const { file, path } = this.#opened;
    const { end } = this.#writer;
    const reader = new RecordReader(file, end);
    const events: SessionLogEvent[] = [];
    let bytes = 0;
    try {
      for (const at of run.offsets.slice(after, Math.min(run.committed, after + limit))) {
        const found = await reader.read(at, "on");
        if (typeof found !== "object" || !follows(found.event, runId, after, events)) {
          await inspectRun(file, path, runId, end);
          throw failed(path, `what was read of run ${runId} has changed`, undefined);
        }
        bytes += found.length;
        if (events.length > 0 && bytes > MAX_PAGE_BYTES) break;
        events.push(found.event);
      }
    } catch (error) {
      throw this.#told(runId, error);
    }
    return events;
  }

  #told(runId: string, error: unknown): SandboxError {
    if (!isSandboxError(error)) return failed(this.#opened.path, "it cannot be read", error);
    // The whole file was read for it.
    if (error.code === "SESSION_LOG_CORRUPT" && this.#corrupt.size < MAX_CORRUPT)
      this.#corrupt.set(runId, error);
    return error;
  }

  async #checkOwner(size: number): Promise<void> {
    const { lock, path, file } = this.#opened;
    const ours = await file.stat();
    if (ours.nlink === 0) throw gone();
    if (ours.nlink > 1) throw Object.assign(new Error("Another name was given to it."), { code: "EMLINK" });
    if (ours.size !== size)
      throw Object.assign(new Error(`It has ${ours.size} bytes, not ${size}.`), { code: "SIZE_CHANGED" });
    if (performance.now() - this.#ownedAtMs < OWNER_CHECK_MS) return;
    if (!(await lock.isHeld())) throw Object.assign(new Error("The lock is lost."), { code: "LOCK_LOST" });
    const there = await this.#files.lstat(path);
    if (there.ino !== ours.ino || there.dev !== ours.dev) throw gone();
    this.#ownedAtMs = performance.now();
  }
}

function gone(): Error {
  return Object.assign(new Error("Its name leads to another file, or to none."), { code: "ESTALE" });
}

function follows(
  event: SessionLogEvent,
  runId: string,
  after: number,
  before: readonly SessionLogEvent[],
): boolean {
  const last = before.at(-1);
  if (event.runId !== runId || event.sequence !== after + before.length + 1) return false;
  return last === undefined || event.previousHash === last.hash;
}
