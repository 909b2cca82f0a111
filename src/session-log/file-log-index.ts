/**
 * Where each run of the file ends. A hint for `walkRun`, which notices what is not so, but for one thing: of a run that
 * is said to end too early it sees a whole chain. So what is known comes from a look at every record: at those after
 * the place up to which the table beside the log knows, or at all.
 */
import { HEADER_BYTES } from "./file-log-header.ts";
import { type FoundRecord, scanRecords } from "./file-log-scan.ts";
import { BROKEN_AT, type RunTip } from "./head-slots.ts";
import { HeadTable } from "./head-table.ts";
import { HeadsFile } from "./heads-file.ts";
import type { LogFile, LogFiles } from "./log-files.ts";

/** The records of a run that the table does not have. */
interface RunTail extends RunTip {
  readonly firstSequence: number;
}

export interface LogIndexOptions {
  readonly files: LogFiles;
  readonly file: LogFile;
  /** Of the log. */
  readonly path: string;
  /** Of the log. */
  readonly id: string;
  /** Where the last record that was added ends. */
  readonly end: () => number;
}

/** Bytes of the log that the table may be behind, and how many times its own size. */
const MIN_BEHIND_BYTES = 4 * 1024 * 1024;
const BEHIND_TIMES = 8;
/** A log that has so little more than the table knows is closed without a new one. */
const MIN_SAVED_BYTES = 1024 * 1024;

export class LogIndex {
  readonly #options: LogIndexOptions;
  readonly #headsPath: string;
  #table: HeadTable | HeadsFile = new HeadTable();
  /** Up to which byte the table knows. */
  #covered = HEADER_BYTES;
  #tail = new Map<string, RunTail>();
  /** Where the last line begins that may be any run's; 0 for none. */
  #untoldAt = 0;
  /** Whether the table was made by this process. */
  #isOwn = false;
  /** Up to which byte the table on the disk knows. */
  #savedTo = HEADER_BYTES;
  /** One at a time: those that read the table, and those that replace it. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: LogIndexOptions) {
    this.#options = options;
    this.#headsPath = `${options.path}.heads`;
  }

  /** Looks at what the table does not know. Returns where the last whole line ends. */
  async open(size: number): Promise<number> {
    const { files, file, id } = this.#options;
    const heads = await HeadsFile.open(files, this.#headsPath, file, id);
    if (heads === undefined) {
      await this.#build(size);
      return this.#covered;
    }
    this.#table = heads;
    this.#covered = heads.cover.covered;
    this.#untoldAt = heads.cover.untoldAt;
    this.#savedTo = this.#covered;
    return await scanRecords(file, this.#covered, size, (found) => this.#seeInTail(found));
  }

  /** The last record; `"unsure"` when only a look at every record can tell; undefined for a run that has none. */
  async find(runId: string): Promise<RunTip | "unsure" | undefined> {
    return await this.#inTurn(async () => {
      const before = await this.#findInTable(runId);
      const after = this.#tail.get(runId);
      if (before?.at === BROKEN_AT || after?.at === BROKEN_AT) return "unsure";
      if (after !== undefined && after.firstSequence !== (before?.sequence ?? 0) + 1) return "unsure";
      const tip = after ?? before;
      return (tip?.at ?? 0) < this.#untoldAt ? "unsure" : tip;
    });
  }

  /** A record was added. */
  move(runId: string, tip: RunTip): void {
    const firstSequence = this.#tail.get(runId)?.firstSequence ?? tip.sequence;
    this.#tail.set(runId, { ...tip, firstSequence });
  }

  /** Whether a look at every record may tell more: the table is not of this process. */
  get isDoubtful(): boolean {
    return !this.#isOwn;
  }

  /** Looks at every record again. */
  async rebuild(): Promise<void> {
    await this.#inTurn(async () => {
      if (this.#isOwn) return;
      await this.#release();
      // What is added from here on is the tail.
      this.#tail.clear();
      this.#untoldAt = 0;
      await this.#build(this.#options.end());
    });
  }

  /** Whether opening the log would take long for what it has since the table was written. */
  get isBehind(): boolean {
    return (
      this.#options.end() - this.#covered > Math.max(MIN_BEHIND_BYTES, BEHIND_TIMES * this.#table.bytesOnDisk)
    );
  }

  /** Takes what was added into the table, and writes that. It is a cache: the next opening makes up for a failure. */
  async save(): Promise<void> {
    await this.#inTurn(async () => {
      const end = this.#options.end();
      const tail = [...this.#tail];
      const table = await this.#load();
      for (const [runId, { at, sequence, firstSequence }] of tail) {
        const follows = firstSequence === (table.find(runId)?.sequence ?? 0) + 1 && at !== BROKEN_AT;
        table.set(runId, follows ? { at, sequence } : { at: BROKEN_AT, sequence });
      }
      // Closed first: a file that is open cannot be replaced everywhere.
      await this.#release();
      this.#table = table;
      this.#covered = end;
      this.#settle(tail);
      await this.#write(table);
    });
  }

  /** Saves it if the next opening would be long without. */
  async saveAtEnd(): Promise<void> {
    if (this.#options.end() - this.#savedTo > MIN_SAVED_BYTES) await this.save();
  }

  async close(): Promise<void> {
    await this.#inTurn(() => this.#release());
  }

  /** Looks at every record up to `size`. */
  async #build(size: number): Promise<HeadTable> {
    const table = new HeadTable();
    this.#untoldAt = this.#untoldAt >= size ? this.#untoldAt : 0;
    this.#table = table;
    this.#isOwn = true;
    const { file } = this.#options;
    this.#covered = await scanRecords(file, HEADER_BYTES, size, (found) => this.#see(table, found));
    return table;
  }

  async #findInTable(runId: string): Promise<RunTip | undefined> {
    try {
      return await this.#table.find(runId);
    } catch {
      // Damaged, or gone: what it knew is looked up again.
      await this.#release();
      return (await this.#build(this.#covered)).find(runId);
    }
  }

  /** The table in memory. */
  async #load(): Promise<HeadTable> {
    if (this.#table instanceof HeadTable) return this.#table;
    try {
      return await this.#table.load();
    } catch {
      await this.#release();
      return await this.#build(this.#covered);
    }
  }

  /** What was taken into the table is no tail any more; what was added meanwhile is the tail of it. */
  #settle(taken: readonly (readonly [string, RunTail])[]): void {
    for (const [runId, one] of taken) {
      const moved = this.#tail.get(runId);
      if (moved === one) this.#tail.delete(runId);
      else if (moved !== undefined) this.#tail.set(runId, { ...moved, firstSequence: one.sequence + 1 });
    }
  }

  async #write(table: HeadTable): Promise<void> {
    const { files, file, id } = this.#options;
    const cover = { id, covered: this.#covered, untoldAt: this.#untoldAt };
    try {
      await HeadsFile.write(files, this.#headsPath, file, cover, table);
    } catch {
      return; // The one in memory is as good.
    }
    this.#savedTo = cover.covered;
    this.#table = (await HeadsFile.open(files, this.#headsPath, file, id)) ?? table;
  }

  async #release(): Promise<void> {
    if (this.#table instanceof HeadsFile) await this.#table.close().catch(() => undefined); // It was only read.
  }

  #see(table: HeadTable, { at, place, runId }: FoundRecord): void {
    if (runId === undefined) {
      this.#untoldAt = at;
      return;
    }
    const before = table.find(runId);
    const sequence = place?.sequence ?? 0;
    const follows =
      place !== undefined && sequence === (before?.sequence ?? 0) + 1 && before?.at !== BROKEN_AT;
    table.set(runId, follows ? { at, sequence } : { at: BROKEN_AT, sequence: 1 });
  }

  #seeInTail({ at, place, runId }: FoundRecord): void {
    if (runId === undefined) {
      this.#untoldAt = at;
      return;
    }
    const before = this.#tail.get(runId);
    const sequence = place?.sequence ?? 1;
    const follows = place !== undefined && (before === undefined || sequence === before.sequence + 1);
    const isWhole = follows && before?.at !== BROKEN_AT;
    const firstSequence = before?.firstSequence ?? sequence;
    this.#tail.set(runId, { at: isWhole ? at : BROKEN_AT, sequence, firstSequence });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => undefined); // Told to whoever asked for it.
    return turn;
  }
}
