/** The health of a data directory: everything in it that a host would stumble over. Reads, and changes nothing. */
import { constants } from "node:fs";
import { access, readdir, stat, statfs } from "node:fs/promises";
import nodePath from "node:path";
import { isSandboxError } from "../shared/errors.ts";
import { codeOf } from "../storage/error-code.ts";
import { lookAtFileLock } from "../storage/file-lock.ts";
import { type DataDirectory, dataDirectoryAt } from "./data-directory.ts";
import { inspectTurn } from "./inspect-turn.ts";
import { isSafeName } from "./safe-name.ts";
import { readSession } from "./session-file.ts";
import { MADE, REMOVED, sessionPathsAt } from "./session-paths.ts";

/** One thing that was found. */
export interface DataDirectoryFinding {
  /** `"note"`: left by a crash, and the next host clears it away or goes on with it. */
  readonly level: "broken" | "note";
  readonly sessionId: string | null;
  readonly turnId: string | null;
  readonly what: string;
}

/** What was found in a data directory. */
export interface DataDirectoryReport {
  /** Absolute. */
  readonly dataDir: string;
  /** Free for this user; `null` when it cannot be told. */
  readonly freeBytes: number | null;
  readonly sessions: { readonly readable: number; readonly damaged: number };
  readonly turns: {
    readonly completed: number;
    readonly failed: number;
    readonly aborted: number;
    readonly running: number;
    readonly cutOff: number;
    readonly unreadable: number;
  };
  readonly events: { readonly lines: number; readonly malformed: number; readonly disposeFailures: number };
  readonly locks: { readonly held: number; readonly stale: number };
  readonly findings: readonly DataDirectoryFinding[];
}

/** Turns that are read at a time. */
const AT_ONCE = 16;
/** With less room than this a turn cannot be recorded, in bytes. */
const LEAST_FREE_BYTES = 1024 * 1024;

/** Never rejects for what it finds. */
export async function inspectDataDirectory(path: string, signal: AbortSignal): Promise<DataDirectoryReport> {
  const data = dataDirectoryAt(path);
  const inspection = new Inspection(data, signal);
  if (await inspection.lookAtDirectories()) await inspection.lookAtSessions();
  return inspection.report();
}

class Inspection {
  readonly #data: DataDirectory;
  readonly #signal: AbortSignal;
  readonly #findings: DataDirectoryFinding[] = [];
  readonly #sessions = { readable: 0, damaged: 0 };
  readonly #turns = { completed: 0, failed: 0, aborted: 0, running: 0, cutOff: 0, unreadable: 0 };
  readonly #events = { lines: 0, malformed: 0, disposeFailures: 0 };
  readonly #locks = { held: 0, stale: 0 };
  #freeBytes: number | null = null;

  constructor(data: DataDirectory, signal: AbortSignal) {
    this.#data = data;
    this.#signal = signal;
  }

  report(): DataDirectoryReport {
    return {
      dataDir: this.#data.root,
      freeBytes: this.#freeBytes,
      sessions: this.#sessions,
      turns: this.#turns,
      events: this.#events,
      locks: this.#locks,
      findings: this.#findings,
    };
  }

  /** @returns whether there are sessions to look at */
  async lookAtDirectories(): Promise<boolean> {
    const { root, sessions, persistent, agents } = this.#data;
    const problem = await directoryProblem(root);
    if (problem !== null) {
      this.#add(
        "broken",
        problem === "is missing" ? "the data directory is missing" : `the data directory ${problem}`,
      );
      return false;
    }
    if (await this.#isSomethingElse()) {
      this.#add("broken", "it is no data directory: there is something in it, and nothing that a host makes");
      return false;
    }
    this.#freeBytes = await statfs(root).then(
      ({ bavail, bsize }) => bavail * bsize,
      () => null, // a file system that does not say
    );
    if (this.#freeBytes !== null && this.#freeBytes < LEAST_FREE_BYTES)
      this.#add("broken", `only ${this.#freeBytes} bytes are free`);
    let hasSessions = true;
    for (const [name, directory] of Object.entries({ sessions, persistent, agents })) {
      const found = await directoryProblem(directory);
      if (found === null) continue;
      this.#add(found === "is missing" ? "note" : "broken", `${name}/ ${found}`);
      if (name === "sessions") hasSessions = false;
    }
    return hasSessions;
  }

  /** An empty directory is one that the next host begins with. */
  async #isSomethingElse(): Promise<boolean> {
    const { root, ...parts } = this.#data;
    const names = await this.#list(root, null);
    const known = Object.values(parts).map((path) => nodePath.basename(path));
    return names.length > 0 && !names.some((name) => known.includes(name));
  }

  async lookAtSessions(): Promise<void> {
    const names = await this.#list(this.#data.sessions, null);
    for (const name of names.sort()) {
      if (this.#signal.aborted) return;
      if (name.startsWith(MADE) || name.startsWith(REMOVED))
        this.#add(
          "note",
          `sessions/${name} is a session that is being made or removed, or was when its process died`,
        );
      else if (isSafeName(name)) await this.#lookAtSession(name);
      else this.#add("note", `sessions/${name} is no session`);
    }
  }

  async #lookAtSession(id: string): Promise<void> {
    try {
      const { directory, sessionDir, artifactsDir } = await readSession(this.#data, id);
      this.#sessions.readable++;
      for (const path of [sessionDir, artifactsDir]) {
        const problem = await directoryProblem(path);
        if (problem !== null) this.#add("broken", `${nodePath.basename(path)}/ ${problem}`, id);
      }
      await this.#lookAtTurns(id, directory, await this.#lookAtLock(id, directory));
    } catch (error) {
      if (isSandboxError(error) && error.code === "SESSION_NOT_FOUND") return; // removed meanwhile
      this.#sessions.damaged++;
      this.#add("broken", error instanceof Error ? error.message : String(error), id);
    }
  }

  /** @returns whether a live process has it */
  async #lookAtLock(id: string, directory: string): Promise<boolean> {
    const lock = await lookAtFileLock(sessionPathsAt(directory).lock);
    if (lock === undefined) return false;
    if (!lock.isDead) this.#locks.held++;
    else {
      this.#locks.stale++;
      const { pid, since } = lock.owner;
      this.#add(
        "note",
        pid === 0
          ? "its lock names no process, and has not changed for a minute; the next turn takes it over"
          : `its lock is of process ${pid}, which is gone (since ${since}); the next turn takes it over`,
        id,
      );
    }
    return !lock.isDead;
  }

  async #lookAtTurns(sessionId: string, directory: string, isBusy: boolean): Promise<void> {
    const { turns } = sessionPathsAt(directory);
    const names = (await this.#list(turns, sessionId)).sort();
    for (let from = 0; from < names.length && !this.#signal.aborted; from += AT_ONCE) {
      const some = names.slice(from, from + AT_ONCE);
      const found = await Promise.all(
        some.map((name) => inspectTurn(nodePath.join(turns, name), sessionId, isBusy)),
      );
      for (const [index, turn] of found.entries()) {
        const turnId = some[index] ?? "";
        this.#turns[turn.state === null ? "unreadable" : turn.state === "cut off" ? "cutOff" : turn.state]++;
        this.#events.lines += turn.eventLines;
        this.#events.malformed += turn.malformedLines;
        this.#events.disposeFailures += turn.disposeFailures;
        for (const what of turn.broken) this.#add("broken", what, sessionId, turnId);
        for (const what of turn.notes) this.#add("note", what, sessionId, turnId);
      }
    }
  }

  async #list(directory: string, sessionId: string | null): Promise<string[]> {
    try {
      return await readdir(directory);
    } catch (error) {
      // A session without a turn yet may lack the directory.
      if (codeOf(error) !== "ENOENT")
        this.#add("broken", `${nodePath.basename(directory)}/ cannot be read (${codeOf(error)})`, sessionId);
      return [];
    }
  }

  #add(
    level: DataDirectoryFinding["level"],
    what: string,
    sessionId: string | null = null,
    turnId: string | null = null,
  ): void {
    this.#findings.push({ level, sessionId, turnId, what });
  }
}

async function directoryProblem(path: string): Promise<string | null> {
  try {
    if (!(await stat(path)).isDirectory()) return "is no directory";
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    const errno = codeOf(error);
    return errno === "ENOENT" ? "is missing" : `cannot be read and written (${errno ?? "unknown"})`;
  }
}
