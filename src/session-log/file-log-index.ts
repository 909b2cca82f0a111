/**
 * Where each run of the file ends. A hint for `walkRun`, which notices what is not so, but for one thing: of a run that
 * is said to end too early it sees a whole chain. So what is known comes from a look at every record.
 */

import { HEADER_BYTES } from "./file-log-header.ts";
import { type FoundRecord, scanRecords } from "./file-log-scan.ts";
import { BROKEN_AT, type RunTip } from "./head-slots.ts";
import { HeadTable } from "./head-table.ts";
import type { LogFile } from "./log-files.ts";

export class LogIndex {
  #table = new HeadTable();
  /** Where the last line begins that may be any run's; 0 for none. */
  #untoldAt = 0;

  /** Looks at every record. Returns where the last whole line ends. */
  async build(file: LogFile, size: number): Promise<number> {
    this.#table = new HeadTable();
    this.#untoldAt = 0;
    return await scanRecords(file, HEADER_BYTES, size, (found) => this.#see(found));
  }

  /** The last record; `"unsure"` when only a look at every record can tell; undefined for a run that has none. */
  find(runId: string): RunTip | "unsure" | undefined {
    const tip = this.#table.find(runId);
    if (tip?.at === BROKEN_AT || (tip?.at ?? 0) < this.#untoldAt) return "unsure";
    return tip;
  }

  /** A record was added. */
  move(runId: string, tip: RunTip): void {
    this.#table.set(runId, tip);
  }

  #see({ at, place, runId }: FoundRecord): void {
    if (runId === undefined) {
      this.#untoldAt = at;
      return;
    }
    const before = this.#table.find(runId);
    const sequence = place?.sequence ?? 0;
    const follows =
      place !== undefined && sequence === (before?.sequence ?? 0) + 1 && before?.at !== BROKEN_AT;
    this.#table.set(runId, follows ? { at, sequence } : { at: BROKEN_AT, sequence: 1 });
  }
}
