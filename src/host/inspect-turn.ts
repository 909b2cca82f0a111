/** What a turn left on disk, looked at and not changed. */
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import nodePath from "node:path";
import { codeOf } from "../storage/error-code.ts";
import { isAlive } from "../storage/process-identity.ts";
import { turnPathsAt } from "./session-paths.ts";
import type { TurnRecord } from "./turn-record.ts";

/** What was found in one turn. */
export interface TurnInspection {
  /** `"cut off"`: it runs on paper, and its process is gone. `null`: the record cannot be read. */
  readonly state: TurnRecord["status"] | "cut off" | null;
  readonly eventLines: number;
  readonly malformedLines: number;
  readonly disposeFailures: number;
  /** One sentence for each thing that is broken. */
  readonly broken: readonly string[];
  /** The same for what a crash leaves and nothing suffers from. */
  readonly notes: readonly string[];
}

/** A longer line is no event: none of ours comes near. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
const STATES = ["running", "completed", "failed", "aborted"];
const LAST_EVENTS = ["harness.turn.completed", "harness.turn.failed"];

/** @param isBusy whether a live process has the session's lock: its turn is being written. Never rejects. */
export async function inspectTurn(
  directory: string,
  sessionId: string,
  isBusy: boolean,
): Promise<TurnInspection> {
  const broken: string[] = [];
  const notes: string[] = [];
  const state = await inspectRecord(directory, sessionId, broken, notes);
  const events = await inspectEvents(turnPathsAt(directory).events);
  const isOver = state === "completed" || state === "failed";
  if (state === "cut off") broken.push("it was cut off: the process that ran it is gone");
  const mayGrow = isBusy || state === "running";
  if (events.problem !== null && !mayGrow) (isOver ? broken : notes).push(events.problem);
  if (events.malformed > 0)
    broken.push(
      `events.ndjson has ${events.malformed} malformed lines, the first is line ${events.firstMalformed}`,
    );
  if (events.isOutOfOrder) broken.push("events.ndjson has events that are missing or out of order");
  if (events.disposeFailures > 0)
    broken.push(`harness.runtime.dispose.failed, ${events.disposeFailures} times`);
  if (events.problem === null && !mayGrow && !events.isWhole)
    (isOver ? broken : notes).push("events.ndjson ends before the turn does");
  return {
    state,
    eventLines: events.lines,
    malformedLines: events.malformed,
    disposeFailures: events.disposeFailures,
    broken,
    notes,
  };
}

async function inspectRecord(
  directory: string,
  sessionId: string,
  broken: string[],
  notes: string[],
): Promise<TurnInspection["state"]> {
  try {
    const text = await readFile(turnPathsAt(directory).record, "utf8");
    const record = JSON.parse(text) as Partial<TurnRecord> | null;
    const { version, turnId, sessionId: session, status, process } = record ?? {};
    if (version !== 1 || status === undefined || !STATES.includes(status)) {
      broken.push("turn.json is no record of a turn");
      return null;
    }
    if (turnId !== nodePath.basename(directory) || session !== sessionId)
      broken.push("turn.json says that it is another turn's");
    if (status !== "running" || process === undefined) return status;
    const alive = isAlive(process);
    if (alive === "unknown") notes.push("it runs; whether its process lives, this machine cannot tell");
    return alive === "no" ? "cut off" : "running";
  } catch (error) {
    if (codeOf(error) === "ENOENT") notes.push("it has no turn.json: it was cut off before it began");
    else broken.push(`turn.json cannot be read (${codeOf(error) ?? "no JSON"})`);
    return null;
  }
}

async function inspectEvents(file: string) {
  const found = {
    lines: 0,
    malformed: 0,
    firstMalformed: 0,
    disposeFailures: 0,
    isOutOfOrder: false,
    /** Whether the last line has its end, and tells the end of the turn. */
    isWhole: false,
    problem: null as string | null,
  };
  let expected = 1;
  let last: unknown;
  const take = (line: Buffer | undefined): void => {
    found.lines++;
    const event = line === undefined ? undefined : toEvent(line);
    if (event === undefined) {
      found.malformed++;
      if (found.malformed === 1) found.firstMalformed = found.lines;
    } else {
      if (event.seq !== expected) found.isOutOfOrder = true;
      expected = event.seq;
      if (event.type === "harness.runtime.dispose.failed") found.disposeFailures++;
    }
    expected++;
    last = event?.type;
  };
  try {
    const hasOpenEnd = await readLines(file, take);
    found.isWhole = !hasOpenEnd && typeof last === "string" && LAST_EVENTS.includes(last);
  } catch (error) {
    const errno = codeOf(error);
    found.problem =
      errno === "ENOENT" ? "events.ndjson is missing" : `events.ndjson cannot be read (${errno})`;
  }
  return found;
}

function toEvent(line: Buffer): { type: string; seq: number } | undefined {
  try {
    const { type, seq } = JSON.parse(line.toString("utf8")) as { type?: unknown; seq?: unknown };
    return typeof type === "string" && typeof seq === "number" ? { type, seq } : undefined;
  } catch {
    return undefined; // counted as malformed
  }
}

/**
 * One line at a time, whatever the size of the file.
 * @param take gets `undefined` for a line that is too long
 * @returns whether the last line lacks its end; it is not taken then
 */
async function readLines(file: string, take: (line: Buffer | undefined) => void): Promise<boolean> {
  let pieces: Buffer[] = [];
  let bytes = 0;
  const add = (piece: Buffer): void => {
    bytes += piece.length;
    if (bytes <= MAX_LINE_BYTES) pieces.push(piece);
    else pieces = [];
  };
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      add(chunk.subarray(from, end));
      take(bytes <= MAX_LINE_BYTES ? Buffer.concat(pieces) : undefined);
      pieces = [];
      bytes = 0;
      from = end + 1;
    }
    add(chunk.subarray(from));
  }
  return bytes > 0;
}
