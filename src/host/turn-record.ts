/** `turn.json`: what became of a turn, for whoever looks later. */
import { readdir, readFile } from "node:fs/promises";
import nodePath from "node:path";
import type { TokenUsage } from "../shared/turn-events.ts";
import { ownIdentity, type ProcessIdentity } from "../storage/process-identity.ts";
import { writeFileAtomic } from "../storage/write-file-atomic.ts";
import { turnPathsAt } from "./session-paths.ts";

/** What the file holds. */
export interface TurnRecord {
  readonly version: 1;
  readonly turnId: string;
  readonly sessionId: string;
  readonly runId?: string;
  /** `running` with a process that is gone: the turn was cut off. */
  readonly status: "running" | "completed" | "failed" | "aborted";
  /** The process that has, or had, the turn. */
  readonly process: ProcessIdentity;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly endedAt?: string;
  readonly durationMs?: number;
  readonly sandboxMode: "subprocess" | "just-bash" | "custom";
  /** Whether the turn used a sandbox. */
  readonly sandboxOpened?: boolean;
  readonly runtime: { readonly python: boolean; readonly javascript: boolean };
  readonly error?: string;
  readonly finishReason?: string;
  readonly steps?: number;
  readonly usage?: TokenUsage;
}

/** Not synced: after a crash of the machine a record may be older than what it tells of, and never half. */
export async function writeTurnRecord(directory: string, record: TurnRecord): Promise<void> {
  await writeFileAtomic(turnPathsAt(directory).record, `${JSON.stringify(record, null, 2)}\n`, {
    sync: false,
  });
}

/**
 * Says of every turn that still runs on paper that it was aborted. For the holder of a session's lock, when the one
 * before it died: nobody else has a turn there. Never rejects; what cannot be read or written stays as it is.
 */
export async function closeCutOffTurns(turns: string): Promise<void> {
  const names = await readdir(turns).catch(() => []);
  for (const name of names) {
    const directory = nodePath.join(turns, name);
    try {
      const record = JSON.parse(await readFile(turnPathsAt(directory).record, "utf8")) as TurnRecord;
      if (record.status !== "running" || isOwn(record.process)) continue;
      const error = "the process that ran the turn ended before the turn did";
      await writeTurnRecord(directory, { ...record, status: "aborted", error });
    } catch {
      // Said above.
    }
  }
}

function isOwn(identity: ProcessIdentity): boolean {
  const own = ownIdentity();
  return identity.pid === own.pid && identity.start === own.start && identity.place === own.place;
}
