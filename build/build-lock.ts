/** One build at a time in one work tree: test runners and people start builds side by side. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { root } from "./paths.ts";

const POLL_MS = 100;

/** Runs `work` while no other process does; a lock left by a process that is gone is taken over. */
export async function withBuildLock<T>(
  work: () => Promise<T>,
  lock = join(root, ".cache", "build.lock"),
): Promise<T> {
  mkdirSync(dirname(lock), { recursive: true });
  while (!tryTake(lock)) {
    if (isAbandoned(lock)) rmSync(lock, { force: true });
    else await delay(POLL_MS);
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function tryTake(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

function isAbandoned(lock: string): boolean {
  try {
    const owner = Number(readFileSync(lock, "utf8"));
    if (owner > 0) process.kill(owner, 0);
    return false;
  } catch (error) {
    // ESRCH: no such process. ENOENT: the owner has just finished. Anything else is another's live process.
    return codeOf(error) === "ESRCH";
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
