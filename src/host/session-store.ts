/**
 * Sessions on disk, for any number of processes at once. A session appears and vanishes whole: it is made beside its
 * place and renamed into it, and renamed away before it is removed. Whoever works in one, or removes it, holds its
 * lock.
 */
import { randomBytes } from "node:crypto";
import { lstat, mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import nodePath from "node:path";
import { isSandboxError, SandboxError } from "../shared/errors.ts";
import { codeOf } from "../storage/error-code.ts";
import { type FileLock, tryFileLock } from "../storage/file-lock.ts";
import { writeFileAtomic } from "../storage/write-file-atomic.ts";
import { removeAllSync } from "../workspace/remove-all.ts";
import { type DataDirectory, makeDataDirectory } from "./data-directory.ts";
import { checkKeys, storeFailed } from "./host-errors.ts";
import { isSafeName, newId } from "./safe-name.ts";
import type { LocalHarnessSession } from "./session.ts";
import { checkMetadata, checkSessionId, readSession, toSession, toSessionText } from "./session-file.ts";
import { MADE, REMOVED, sessionPathsAt } from "./session-paths.ts";

/** Options of `createSession`. */
export interface CreateSessionOptions {
  /**
   * 1 to 100 letters, digits, `.`, `_` or `-`, beginning with a letter or digit.
   * @default a new one that sorts by time
   */
  readonly id?: string | undefined;
  /** Plain JSON data, kept in the session's file. @default {} */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** Sessions of the same name that may come and go while one is made. */
const MOVE_TRIES = 20;
/** After so many milliseconds nobody is still making a session. */
const ABANDONED_MS = 3_600_000;

export class SessionStore {
  readonly #data: DataDirectory;

  constructor(data: DataDirectory) {
    this.#data = data;
  }

  async create(options: CreateSessionOptions = {}): Promise<LocalHarnessSession> {
    checkKeys("createSession", options, ["id", "metadata"]);
    const id = options.id === undefined ? newId("session") : checkSessionId(options.id);
    const metadata = checkMetadata(options.metadata);
    await makeDataDirectory(this.#data);
    const record = { id, createdAt: new Date().toISOString(), metadata };
    const session = toSession(this.#data, record);
    const making = this.#aside(MADE);
    try {
      const { turns, record: file } = sessionPathsAt(making);
      for (const path of [
        making,
        nodePath.join(making, "session"),
        nodePath.join(making, "artifacts"),
        turns,
      ])
        await mkdir(path, { mode: 0o700 });
      await writeFileAtomic(file, toSessionText(record));
      await this.#moveInto(making, session);
    } catch (error) {
      await rm(making, { recursive: true, force: true }).catch(() => undefined); // the error before is the one to tell
      throw storeFailed(`The session "${id}" could not be made`, error);
    }
    return session;
  }

  async open(id: string): Promise<LocalHarnessSession> {
    return await readSession(this.#data, checkSessionId(id));
  }

  /** Those that can be opened, oldest first. */
  async list(): Promise<readonly LocalHarnessSession[]> {
    let names: string[];
    try {
      names = await readdir(this.#data.sessions);
    } catch (error) {
      if (codeOf(error) === "ENOENT") return [];
      throw storeFailed("The sessions could not be listed", error);
    }
    const found = await Promise.all(names.filter(isSafeName).map((name) => this.#readIfWhole(name)));
    await this.#sweep(names);
    return found
      .filter((session) => session !== undefined)
      .sort((a, b) => compare(a.createdAt, b.createdAt) || compare(a.id, b.id));
  }

  /** Whole or damaged, as long as nobody works in it. */
  async remove(id: string): Promise<void> {
    const directory = nodePath.join(this.#data.sessions, checkSessionId(id));
    await this.#mustBeDirectory(id, directory);
    const lock = await this.lock(id);
    const gone = this.#aside(REMOVED);
    try {
      await rename(directory, gone);
      await removeSession(gone);
    } catch (error) {
      throw storeFailed(`The session "${id}" could not be removed`, error);
    } finally {
      await lock.release();
    }
  }

  /** Takes a session for this process. Rejects with `SESSION_BUSY` or `SESSION_NOT_FOUND`. */
  async lock(id: string): Promise<FileLock> {
    const path = sessionPathsAt(nodePath.join(this.#data.sessions, id)).lock;
    let tried: Awaited<ReturnType<typeof tryFileLock>>;
    try {
      tried = await tryFileLock(path);
    } catch (error) {
      if (codeOf(error) === "ENOENT") throw notFound(id);
      throw storeFailed(`The lock of the session "${id}" could not be taken`, error);
    }
    if (!("heldBy" in tried)) return tried;
    const { pid, since } = tried.heldBy;
    if (pid === 0)
      throw new SandboxError(
        "SESSION_BUSY",
        `The lock of the session "${id}" names no process. It counts as one until it has not changed for a minute.`,
        { sessionId: id },
      );
    throw new SandboxError(
      "SESSION_BUSY",
      `Process ${pid} has had a turn in the session "${id}" since ${since}.`,
      { sessionId: id, pid, since },
    );
  }

  #aside(prefix: string): string {
    return nodePath.join(this.#data.sessions, `${prefix}${randomBytes(8).toString("hex")}`);
  }

  /** Onto a directory that is not empty the rename fails; an empty one is no session. */
  async #moveInto(made: string, { id, directory }: LocalHarnessSession): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        return await rename(made, directory);
      } catch (error) {
        const isTaken = await lstat(directory).then(
          () => true,
          () => false, // the rename says why
        );
        // The one that was in the way has been removed since.
        const isFree = !isTaken && ["ENOTEMPTY", "EEXIST"].includes(codeOf(error) ?? "");
        if (isFree && tries < MOVE_TRIES) continue;
        if (!isTaken) throw error;
      }
      throw new SandboxError("SESSION_EXISTS", `There is already a session "${id}".`, { sessionId: id });
    }
  }

  async #readIfWhole(id: string): Promise<LocalHarnessSession | undefined> {
    try {
      return await readSession(this.#data, id);
    } catch (error) {
      // Opening it says what is wrong; it may also have gone since the listing.
      if (isSandboxError(error)) return undefined;
      throw error;
    }
  }

  /** Removes what processes left that died while they made or removed a session. */
  async #sweep(names: readonly string[]): Promise<void> {
    for (const name of names) {
      if (!name.startsWith(MADE) && !name.startsWith(REMOVED)) continue;
      const path = nodePath.join(this.#data.sessions, name);
      const info = await stat(path).catch(() => undefined); // gone meanwhile
      const isLeft =
        info !== undefined && (name.startsWith(REMOVED) || Date.now() - info.mtimeMs > ABANDONED_MS);
      if (isLeft) await removeSession(path).catch(() => undefined); // left for the next one
    }
  }

  async #mustBeDirectory(id: string, directory: string): Promise<void> {
    const info = await lstat(directory).catch(() => undefined); // told as not there
    if (info === undefined) throw notFound(id);
    if (!info.isDirectory())
      throw new SandboxError("SESSION_INVALID", `The session "${id}" is no directory.`, { sessionId: id });
  }
}

async function removeSession(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true, maxRetries: 2 });
  } catch {
    // What a guest nested too deep, or closed: taken apart without a pause, as it is moved about meanwhile.
    removeAllSync(path);
  }
}

function notFound(id: string): SandboxError {
  return new SandboxError("SESSION_NOT_FOUND", `There is no session "${id}".`, { sessionId: id });
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
