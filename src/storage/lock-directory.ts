/**
 * The files behind one lock. Each claim is a directory with a number of its own: `12` while it holds, `12.closed`
 * afterwards; the highest number is who holds the lock or held it last, so numbers only grow.
 *
 * - A claim is prepared aside and moved to its number: of several who try the same number, one gets it.
 * - A claim is closed, by its owner or by who takes over, through a rename. Its owner writes other files through the
 *   staging directory inside of it, so that from then on the kernel refuses the owner's every write: also the one
 *   that had been checked already when its process was stopped.
 * - Closed claims stay for a while: a claimant so late that its number was in use before sees them, and retreats.
 */
import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { codeOf } from "./error-code.ts";
import { type LockOwner, parseOwner } from "./lock-owner.ts";
import { makeDirectory, TEMPORARY_PREFIX } from "./staged-write.ts";

const CLAIM = /^([1-9]\d{0,15})(\.closed)?$/;
const PREPARED_PREFIX = "new-";
const GONE_PREFIX = "gone-";
const OWNER_FILE = "owner.json";

/** Closed claims that stay; when there are twice as many, the older half goes. */
const CLOSED_KEPT = 16;
/** A claimant that prepared for this long is dead; if it is not, it prepares once more. */
const PREPARED_FOR_MS = 60_000;

/** What stands in the directory of a lock. */
export interface Claims {
  readonly highest: number;
  /** Ascending. More than one where who took over has not closed the one before yet, or died before it did. */
  readonly open: readonly number[];
  readonly closed: readonly number[];
  readonly rest: readonly string[];
}

/** Reads the claims on a lock; none where the directory is missing. */
export async function readClaims(directory: string): Promise<Claims> {
  const open: number[] = [];
  const closed: number[] = [];
  const rest: string[] = [];
  for (const name of await readdir(directory).catch(emptyIfMissing)) {
    const [, number, isClosed] = CLAIM.exec(name) ?? [];
    if (number === undefined) rest.push(name);
    else (isClosed === undefined ? open : closed).push(Number(number));
  }
  open.sort((a, b) => a - b);
  closed.sort((a, b) => a - b);
  return { highest: Math.max(open.at(-1) ?? 0, closed.at(-1) ?? 0), open, closed, rest };
}

/** The owner of an open claim; `"closed"` when it is so by now, `"unreadable"` after a loss of power. */
export async function readOwner(
  directory: string,
  claim: number,
): Promise<LockOwner | "closed" | "unreadable"> {
  try {
    return parseOwner(await readFile(join(directory, String(claim), OWNER_FILE), "utf8")) ?? "unreadable";
  } catch (error) {
    if (codeOf(error) === "ENOENT") return "closed";
    throw error;
  }
}

/** Tries to get claim number `claim`. True: it is held, and every claim before it is closed. */
export async function takeClaim(directory: string, claim: number, owner: LockOwner): Promise<boolean> {
  const prepared = join(directory, `${PREPARED_PREFIX}${owner.claim}`);
  await makeDirectory(directory, false);
  await mkdir(join(prepared, owner.claim), { recursive: true, mode: 0o700 });
  await writeFile(join(prepared, OWNER_FILE), JSON.stringify(owner), { mode: 0o600 });
  const place = join(directory, String(claim));
  try {
    await rename(prepared, place);
  } catch (error) {
    await rm(prepared, { recursive: true, force: true });
    if (isTaken(error)) return false;
    throw error;
  }
  const { open, closed, highest, rest } = await readClaims(directory);
  if (highest !== claim || closed.includes(claim)) {
    await discard(directory, String(claim));
    return false;
  }
  for (const before of open) if (before !== claim) await closeClaim(directory, before);
  if (closed.length >= 2 * CLOSED_KEPT) await clean(directory, closed.slice(0, -CLOSED_KEPT), rest);
  return true;
}

/** Where the owner of a claim writes files before it moves them; gone from there once the claim is closed. */
export function stagingOf(directory: string, claim: number, owner: LockOwner): string {
  return join(directory, String(claim), owner.claim);
}

/** Writes down that the owner lives; false when its claim is closed. */
export async function renewClaim(directory: string, claim: number, owner: LockOwner): Promise<boolean> {
  const temporary = join(stagingOf(directory, claim, owner), `${TEMPORARY_PREFIX}owner`);
  try {
    await writeFile(temporary, JSON.stringify(owner), { mode: 0o600 });
    await rename(temporary, join(directory, String(claim), OWNER_FILE));
    return true;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
}

/** Closes a claim: its own, when `owner` is given, and nobody else's that has the number by a late mistake. */
export async function closeClaim(directory: string, claim: number, owner?: LockOwner): Promise<void> {
  if (owner !== undefined && !(await isOpen(directory, claim, owner))) return;
  try {
    await rename(join(directory, String(claim)), join(directory, `${claim}.closed`));
  } catch (error) {
    if (isTaken(error)) await discard(directory, String(claim));
    else if (codeOf(error) !== "ENOENT") throw error;
  }
}

/** Whether a claim still holds. */
export async function isOpen(directory: string, claim: number, owner: LockOwner): Promise<boolean> {
  try {
    await stat(stagingOf(directory, claim, owner));
    return true;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
}

async function clean(directory: string, closed: readonly number[], rest: readonly string[]): Promise<void> {
  for (const claim of closed) await discard(directory, `${claim}.closed`);
  for (const name of rest) {
    if (name.startsWith(GONE_PREFIX)) await rm(join(directory, name), { recursive: true, force: true });
    if (name.startsWith(PREPARED_PREFIX) && (await isOld(join(directory, name))))
      await discard(directory, name);
  }
}

/** Moved aside first: whoever still writes there by its path must not be met half way. */
async function discard(directory: string, name: string): Promise<void> {
  const aside = join(directory, `${GONE_PREFIX}${randomUUID()}`);
  try {
    await rename(join(directory, name), aside);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return;
    throw error;
  }
  await rm(aside, { recursive: true, force: true });
}

async function isOld(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined); // Gone, or on its way to become a claim.
  return found !== undefined && Date.now() - found.mtimeMs > PREPARED_FOR_MS;
}

/** What moving a directory onto one with files in it gives, by system. */
function isTaken(error: unknown): boolean {
  return ["ENOTEMPTY", "EEXIST", "EPERM"].includes(String(codeOf(error)));
}

function emptyIfMissing(error: unknown): string[] {
  if (codeOf(error) === "ENOENT") return [];
  throw error;
}
