/** The next event of a run: its place, the time and the hash that binds it to the one before. */
import type { SessionLogEvent } from "../shared/session-log.ts";
import { type CheckedAppend, sha256 } from "./check-append.ts";

/** Where a run stands: the last event's. */
export interface RunHead {
  readonly sequence: number;
  readonly hash: string;
}

/** Before the first event. */
export const RUN_START: RunHead = { sequence: 0, hash: "0".repeat(64) };

/** The event that follows `head`. */
export function sealEvent(
  append: CheckedAppend,
  head: RunHead,
  at = new Date().toISOString(),
): SessionLogEvent {
  const { runId, appendIdempotencyKey, occurrenceId, type, data, dataText, digest } = append;
  const group = occurrenceId === undefined ? {} : { occurrenceId };
  const stated = {
    runId,
    sequence: head.sequence + 1,
    appendIdempotencyKey,
    ...group,
    type,
    data,
    at,
    digest,
  };
  const event = { ...stated, previousHash: head.hash };
  return { ...event, hash: hashOf(event, dataText) };
}

/** Over all fields but `hash`, in canonical JSON. @param dataText `data` in canonical JSON. */
export function hashOf(event: Omit<SessionLogEvent, "hash">, dataText: string): string {
  const { appendIdempotencyKey, at, digest, occurrenceId, previousHash, runId, sequence, type } = event;
  // Canonical as it stands: see `appendText`.
  const group = occurrenceId === undefined ? "" : `"occurrenceId":"${occurrenceId}",`;
  return sha256(
    `{"appendIdempotencyKey":"${appendIdempotencyKey}","at":"${at}","data":${dataText},"digest":"${digest}",${group}` +
      `"previousHash":"${previousHash}","runId":"${runId}","sequence":${sequence},"type":"${type}"}`,
  );
}
