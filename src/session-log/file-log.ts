/**
 * `fileSessionLog()`: the events of all runs in one file, a line each. For one process at a time; `docs/session-log.md`
 * has the format and what is promised of it. What is here is the border; `opened-file-log.ts` is the log once its file
 * is open.
 */
import { invalidOption, isRecord, refuseUnknownOptions } from "../shared/check-options.ts";
import type { SandboxError } from "../shared/errors.ts";
import type {
  HarnessSessionLog,
  SessionLogAppend,
  SessionLogEvent,
  SessionLogReadOptions,
} from "../shared/session-log.ts";
import { checkAppend, checkReadOptions, checkRunId } from "./check-append.ts";
import { closedError } from "./log-errors.ts";
import { type LogFiles, systemFiles } from "./log-files.ts";
import { SyncFailed } from "./open-log-file.ts";
import { OpenedFileLog } from "./opened-file-log.ts";

/** Where the events are kept, and how safely. */
export interface FileSessionLogOptions {
  /** Of the file, which is made with mode 0600 when it is missing. Its directory must be there. */
  readonly path: string;
  /**
   * An append resolves when its event is on the disk: after a sync of the file, and of its directory since the log was
   * opened. Where the system cannot sync, nothing is appended. `false`: what was appended outlives the process, but
   * perhaps not a loss of power. @default true
   */
  readonly sync?: boolean | undefined;
}

/**
 * A log in one file. The file is opened by the first call, which rejects with `SESSION_LOG_BUSY` while another process
 * has it open, with `SESSION_LOG_CORRUPT` when it is something else, and with `SESSION_LOG_FAILED` when it cannot be
 * opened; the next call tries again.
 *
 * @throws SandboxError `OPTION_INVALID`.
 */
export function fileSessionLog(options: FileSessionLogOptions): HarnessSessionLog {
  return new FileLog(options, systemFiles);
}

export class FileLog implements HarnessSessionLog {
  readonly #path: string;
  readonly #sync: boolean;
  readonly #files: LogFiles;
  readonly #underWay = new Set<Promise<unknown>>();
  #opening: Promise<OpenedFileLog> | undefined;
  #failure: SandboxError | undefined;
  #closing: Promise<void> | undefined;

  /** @param files For tests. */
  constructor(options: FileSessionLogOptions, files: LogFiles) {
    if (!isRecord(options)) throw invalidOption("path", "the path of a file");
    refuseUnknownOptions(options, ["path", "sync"]);
    const { path, sync = true } = options;
    if (typeof path !== "string" || path === "" || path.includes("\0"))
      throw invalidOption("path", "the path of a file");
    if (typeof sync !== "boolean") throw invalidOption("sync", "true or false");
    this.#path = path;
    this.#sync = sync;
    this.#files = files;
  }

  async append(event: SessionLogAppend): Promise<SessionLogEvent> {
    const append = checkAppend(event);
    return await this.#do((log) => log.append(append));
  }

  async read(runId: string, options?: SessionLogReadOptions): Promise<readonly SessionLogEvent[]> {
    checkRunId(runId);
    const { after, limit } = checkReadOptions(options);
    return await this.#do((log) => log.read(runId, after, limit));
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #do<T>(call: (log: OpenedFileLog) => Promise<T>): Promise<T> {
    if (this.#closing !== undefined) throw closedError();
    const work = this.#open().then(call);
    this.#underWay.add(work);
    try {
      return await work;
    } finally {
      this.#underWay.delete(work);
    }
  }

  async #open(): Promise<OpenedFileLog> {
    if (this.#failure !== undefined) throw this.#failure;
    this.#opening ??= OpenedFileLog.open(this.#files, this.#path, this.#sync);
    try {
      return await this.#opening;
    } catch (error) {
      this.#opening = undefined;
      // After a failed sync the next one may succeed although what was written is not on the disk.
      if (error instanceof SyncFailed) this.#failure = error;
      throw error;
    }
  }

  async #close(): Promise<void> {
    await Promise.allSettled(this.#underWay);
    const log = await this.#opening?.catch(() => undefined); // Told to whoever asked for it.
    await log?.close();
  }
}
