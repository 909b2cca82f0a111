/** Where things lie in the directory of a session and of a turn: for who writes them, and for `doctor`, who reads. */
import nodePath from "node:path";

/** Sessions that are being made, or removed, have a name that begins so. */
export const MADE = ".new-";
export const REMOVED = ".removed-";

/** Paths in the directory of a session. */
export interface SessionPaths {
  readonly record: string;
  /** Held by whoever has a turn in the session, or removes it. */
  readonly lock: string;
  readonly turns: string;
  /** What commands changed and no event has told yet. */
  readonly changeJournal: string;
}

/** Text only: touches no disk. */
export function sessionPathsAt(directory: string): SessionPaths {
  return {
    record: nodePath.join(directory, "session.json"),
    lock: nodePath.join(directory, "turn.lock"),
    turns: nodePath.join(directory, "turns"),
    changeJournal: nodePath.join(directory, "changes.journal"),
  };
}

/** Paths in the directory of a turn. */
export interface TurnPaths {
  readonly record: string;
  readonly events: string;
}

/** Text only: touches no disk. */
export function turnPathsAt(directory: string): TurnPaths {
  return {
    record: nodePath.join(directory, "turn.json"),
    events: nodePath.join(directory, "events.ndjson"),
  };
}
