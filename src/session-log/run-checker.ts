/** Every record of a file in its order → what is wrong with it, once each: after a finding the chain goes on from there. */
import { decodeRecord } from "./file-log-record.ts";
import { countLines } from "./file-log-run.ts";
import type { FoundRecord } from "./file-log-scan.ts";
import { RUN_START } from "./seal-event.ts";
import type { SessionLogFinding, SessionLogHead } from "./verify.ts";

const MAX_FINDINGS = 1_000;

interface CheckedRun {
  sequence: number;
  /** Undefined after a record that is damaged. */
  hash: string | undefined;
  /** Where the last record was written. */
  begins: number;
  readonly keys: Set<string>;
}

export class RunChecker {
  readonly #known = new Map<string, SessionLogHead[]>();
  readonly #runs = new Map<string, CheckedRun>();
  readonly #findings: SessionLogFinding[] = [];
  #findingCount = 0;
  #line = 2;
  #events = 0;
  /** By how many bytes the records since the last finding about it are not where they were written. */
  #shift = 0;

  constructor(known: readonly SessionLogHead[]) {
    for (const head of known) this.#known.set(head.runId, [...(this.#known.get(head.runId) ?? []), head]);
  }

  get events(): number {
    return this.#events;
  }

  see({ at, record, place, runId }: FoundRecord): void {
    const line = this.#line;
    this.#line += countLines(record);
    if (runId === undefined) {
      this.#find(line, null, null, "the line is no event: it is damaged, and whose it is cannot be told");
      return;
    }
    this.#events += 1;
    const run = this.#runs.get(runId) ?? { ...RUN_START, begins: 0, keys: new Set<string>() };
    this.#runs.set(runId, run);
    const expected = run.sequence + 1;
    const decoded = decodeRecord(record);
    if (typeof decoded === "string") {
      this.#find(line, runId, expected, decoded);
      run.sequence = place?.sequence ?? expected;
      run.hash = undefined;
    } else {
      const { event, begins, previousAt } = decoded;
      this.#checkPlace(line, runId, event.sequence, at - begins);
      if (event.sequence !== expected) this.#find(line, runId, expected, `the sequence is ${event.sequence}`);
      else if (run.hash !== undefined && event.previousHash !== run.hash)
        this.#find(line, runId, expected, "previousHash is not the hash of the event before");
      else if (run.keys.has(event.appendIdempotencyKey))
        this.#find(line, runId, expected, "an event before it has the same key");
      else if (previousAt !== run.begins)
        this.#find(line, runId, expected, "it names another place for the event before it");
      this.#compare(line, runId, event.sequence, event.hash);
      run.keys.add(event.appendIdempotencyKey);
      run.sequence = event.sequence;
      run.hash = event.hash;
    }
    run.begins = place?.begins ?? at;
  }

  /** After the last record. */
  end(): { findings: readonly SessionLogFinding[]; findingCount: number } {
    for (const heads of this.#known.values())
      for (const { runId, sequence } of heads) {
        const last = this.#runs.get(runId)?.sequence ?? 0;
        if (last < sequence)
          this.#find(0, runId, sequence, `it is known, and not there: the run ends with ${last}`);
      }
    return { findings: this.#findings, findingCount: this.#findingCount };
  }

  heads(): SessionLogHead[] {
    return [...this.#runs].map(([runId, { sequence, hash = "" }]) => ({ runId, sequence, hash }));
  }

  #compare(line: number, runId: string, sequence: number, hash: string): void {
    for (const known of this.#known.get(runId) ?? [])
      if (known.sequence === sequence && known.hash !== hash)
        this.#find(line, runId, sequence, `the hash is ${hash}, and ${known.hash} is known`);
  }

  /** Lines that are gone, or that were added, move all that follow: the first of those is the finding. */
  #checkPlace(line: number, runId: string, sequence: number, shift: number): void {
    if (shift === this.#shift) return;
    this.#shift = shift;
    const where =
      shift === 0
        ? "where it was written"
        : `${Math.abs(shift)} bytes ${shift < 0 ? "before" : "after"} where it was written`;
    const what = `it is ${where}, other than the line before it: lines were removed, added or moved`;
    this.#find(line, runId, sequence, what);
  }

  #find(line: number, runId: string | null, sequence: number | null, what: string): void {
    this.#findingCount += 1;
    if (this.#findings.length < MAX_FINDINGS) this.#findings.push({ line, runId, sequence, what });
  }
}
