/**
 * A lock that is a file with its owner's name in it, for processes that share a directory. It appears and vanishes
 * whole: a written file is linked into place, and only one link succeeds.
 *
 * It lasts as long as its owner's process, however long that is busy: for turns, which take minutes and may block their
 * process. Where an owner that is only slow must not be waited for, `lease-lock.ts` is the one.
 *
 * The lock of a dead owner is taken over. Two that find it at once must not both believe to have it, and neither may
 * remove what the other has just made. So whoever takes over first takes a lock on that: a file named after the dead
 * owner's token. While it is held nobody else replaces the dead one's file, and a token is never used again. That
 * second lock is one like any other, so a death in the middle of taking over is taken over in turn.
 */
import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { link, lstat, lutimes, open, readdir, rename, rm, writeFile } from "node:fs/promises";
import nodePath from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { codeOf } from "./error-code.ts";
import { isAlive, ownIdentity, type ProcessIdentity } from "./process-identity.ts";

/** Who holds a lock, as its file says. `pid` is 0 where it names nobody: it is no lock file of this package's. */
export interface LockOwner extends ProcessIdentity {
  readonly token: string;
  /** ISO 8601, UTC. */
  readonly since: string;
}

/** A lock that this process holds. */
export interface FileLock {
  /** Never the same twice. */
  readonly token: string;
  /** Whether its owner before had died without releasing it. */
  readonly tookOver: boolean;
  /** Whether the file still says so. `false` after a release, or when somebody removed the file or took it over. */
  isHeld(): Promise<boolean>;
  /** Removes the file if it is still this lock. Each call gives the same promise, which never rejects. */
  release(): Promise<void>;
}

/** How often an owner says that it lives, for those that cannot look at its process, in milliseconds. */
const HEARTBEAT_MS = 10_000;
/** Without a sign of life for so long, by the clock, an owner that nobody can look at may be dead, in milliseconds. */
const SILENT_MS = 60_000;
/**
 * And is, when it gives none while it is watched for so long. Clocks jump and differ, and a machine that slept wakes
 * with every lock old.
 */
const WATCH_MS = 15_000;
/** Rounds in which a lock was there and gone again, before that is taken for a fault of the file system. */
const MAX_ROUNDS = 100;
/** More than any owner takes. */
const MAX_OWNER_BYTES = 4096;

/**
 * Takes the lock, or says who has it. The directory must be there: `ENOENT` and every other error of the system
 * rejects, and so does `NO_LOCK_FILE` for what is there and no regular file. An owner that nobody can look at, and that
 * was silent for a minute, is watched for 15 seconds.
 *
 * @param wait For tests.
 */
export async function tryFileLock(
  path: string,
  wait: (ms: number) => Promise<void> = sleep,
): Promise<FileLock | { readonly heldBy: LockOwner }> {
  const token = randomBytes(8).toString("hex");
  const mine = `${path}.${token}.tmp`;
  const owner: LockOwner = { ...ownIdentity(), token, since: new Date().toISOString() };
  try {
    await writeFile(mine, JSON.stringify(owner), { flag: "wx", mode: 0o600 });
    // A round ends without an answer when the lock changed between two looks at it: somebody else got on.
    for (let round = 0; round < MAX_ROUNDS; round++) {
      if (await linkAs(mine, path)) {
        // One that died between writing its file and linking it left no lock to take over.
        await removeLeftovers(path, token);
        return new HeldLock(path, token, false);
      }
      const found = await readOwner(path);
      if (found === undefined) continue;
      if (!(await isDead(found, path))) return { heldBy: found };
      if (isAlive(found) === "unknown" && (await isChangedAfter(wait, path))) {
        if ((await readOwner(path))?.token === found.token) return { heldBy: found };
        continue;
      }
      const right = await tryFileLock(`${path}.${found.token}`, wait);
      if ("heldBy" in right) return right;
      try {
        if ((await readOwner(path))?.token !== found.token) continue;
        await rename(mine, path);
        await removeLeftovers(path, token);
        return new HeldLock(path, token, true);
      } finally {
        await right.release();
      }
    }
    throw Object.assign(new Error(`${path} is there and not there.`), { code: "EAGAIN" });
  } finally {
    await rm(mine, { force: true }).catch(() => undefined); // a name that nobody looks for
  }
}

/** Who has the lock, and whether that owner is dead; `undefined` when nobody has it. Rejects as above. Changes nothing. */
export async function lookAtFileLock(
  path: string,
): Promise<{ owner: LockOwner; isDead: boolean } | undefined> {
  const owner = await readOwner(path);
  return owner === undefined ? undefined : { owner, isDead: await isDead(owner, path) };
}

class HeldLock implements FileLock {
  readonly token: string;
  readonly tookOver: boolean;
  readonly #path: string;
  readonly #heartbeat: NodeJS.Timeout;
  #released: Promise<void> | undefined;

  constructor(path: string, token: string, tookOver: boolean) {
    this.#path = path;
    this.token = token;
    this.tookOver = tookOver;
    this.#heartbeat = setInterval(() => void this.#beat(), HEARTBEAT_MS);
    this.#heartbeat.unref();
  }

  async isHeld(): Promise<boolean> {
    if (this.#released !== undefined) return false;
    return (await readOwner(this.#path).catch(() => undefined))?.token === this.token;
  }

  release(): Promise<void> {
    this.#released ??= this.#remove();
    return this.#released;
  }

  async #remove(): Promise<void> {
    clearInterval(this.#heartbeat);
    try {
      if ((await readOwner(this.#path))?.token === this.token) await rm(this.#path, { force: true });
    } catch {
      // The directory is gone, or no longer ours to write: the lock ends with this process at the latest.
    }
  }

  async #beat(): Promise<void> {
    const now = new Date();
    await lutimes(this.#path, now, now).catch(() => undefined); // somebody removed it; `isHeld` tells
  }
}

/** Whether the link was made; `false` when the name is taken. */
async function linkAs(file: string, name: string): Promise<boolean> {
  try {
    await link(file, name);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/**
 * What a lock file says; `undefined` when there is none. What is no owner, made by hand, say, is a silent one. What is
 * no regular file is not opened: a pipe would be waited for, and a link to nothing is in the way without being there.
 */
async function readOwner(path: string): Promise<LockOwner | undefined> {
  let text: string;
  try {
    if (!(await lstat(path)).isFile())
      throw Object.assign(new Error(`${path} is no regular file.`), { code: "NO_LOCK_FILE" });
    text = await readStart(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
  try {
    const owner = JSON.parse(text) as LockOwner;
    if (/^[0-9a-f]{16}$/.test(owner.token) && Number.isSafeInteger(owner.pid)) return owner;
  } catch {
    // Not JSON: as below.
  }
  return { pid: 0, start: null, place: "nowhere", token: "0".repeat(16), since: "" };
}

async function readStart(path: string): Promise<string> {
  // NOFOLLOW and NONBLOCK: what was put there since it was looked at is neither followed nor waited for.
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_OWNER_BYTES), 0, MAX_OWNER_BYTES, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}

async function isDead(owner: LockOwner, path: string): Promise<boolean> {
  const alive = isAlive(owner);
  if (alive !== "unknown") return alive === "no";
  const info = await lstat(path).catch(() => undefined); // gone meanwhile: the next round sees it
  return info !== undefined && Date.now() - info.mtimeMs > SILENT_MS;
}

/** Whether the file was touched, replaced or removed meanwhile. */
async function isChangedAfter(wait: (ms: number) => Promise<void>, path: string): Promise<boolean> {
  const look = () => lstat(path).catch(() => undefined); // gone: the next round sees it
  const before = await look();
  await wait(WATCH_MS);
  const after = await look();
  return before === undefined || after?.mtimeMs !== before.mtimeMs || after.ino !== before.ino;
}

/**
 * What processes left that died before their file was linked, or while they took over. Only for the holder of `path`:
 * a file named after the token of an owner before it means nothing to anybody as long as it holds the lock, and that
 * token never comes again.
 */
async function removeLeftovers(path: string, token: string): Promise<void> {
  const directory = nodePath.dirname(path);
  const prefix = `${nodePath.basename(path)}.`;
  const names = await readdir(directory).catch(() => []); // left for the next one
  for (const name of names) {
    if (!name.startsWith(prefix) || name.startsWith(prefix + token)) continue;
    const file = nodePath.join(directory, name);
    if (name.endsWith(".tmp")) {
      const owner = await readOwner(file).catch(() => undefined); // as above
      if (owner === undefined || !(await isDead(owner, file))) continue;
    } else if (!/^[0-9a-f]{16}(?:\.[0-9a-f]{16})*$/.test(name.slice(prefix.length))) continue;
    await rm(file, { force: true }).catch(() => undefined); // as above
  }
}
