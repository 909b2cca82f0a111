/** The isolation report of a sandbox, asked for once and kept, and the record of it that a command carries. */
import { tellThrown } from "../shared/redact.ts";
import type { IsolationReport } from "../shared/sandbox.ts";
import { waitAtMost } from "./bounded-wait.ts";

/** Milliseconds that the end of a command waits for a report that is not there yet. */
const WAIT_MS = 200;

const NONE: IsolationReport = { rung: "none", engine: "unknown", defense: "none", walls: [] };

/** One per sandbox. */
export class IsolationKeeper {
  readonly #ask: (() => Promise<IsolationReport>) | undefined;
  #report: Promise<IsolationReport> | undefined;

  constructor(ask: (() => Promise<IsolationReport>) | undefined) {
    this.#ask = ask;
  }

  /** The report; a failed attempt is not kept. */
  async report(): Promise<IsolationReport> {
    if (this.#ask === undefined) return NONE;
    if (this.#report !== undefined) return await this.#report;
    const asked = this.#ask();
    this.#report = asked;
    asked.catch(() => {
      this.#report = undefined;
    });
    return await asked;
  }

  /**
   * For a command's end: what is known by now. Never rejects, never holds a result back for long, and never
   * asks: asking may start a process.
   */
  async known(): Promise<IsolationReport> {
    if (this.#ask !== undefined && this.#report === undefined) return unmeasured("there is no report yet");
    try {
      const report = await waitAtMost(this.report(), WAIT_MS);
      if (report.inTime) return report.value;
      return unmeasured("the report was not there when the command ended");
    } catch (thrown) {
      return unmeasured(`the report failed: ${tellThrown(thrown)}`);
    }
  }
}

// Claims nothing: a wall that was not measured must not look as if it held.
function unmeasured(reason: string): IsolationReport {
  return { ...NONE, walls: [{ name: "report", state: "not-claimed", reason }] };
}
