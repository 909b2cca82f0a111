import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type FileLock, lookAtFileLock, tryFileLock } from "../../../src/storage/file-lock.ts";
import { ownIdentity } from "../../../src/storage/process-identity.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

/** Takes a lock that must be free. */
async function take(path: string): Promise<FileLock> {
  const tried = await tryFileLock(path);
  if ("heldBy" in tried) throw new Error(`held by ${tried.heldBy.pid}`);
  return tried;
}

function leave(path: string, owner: object): void {
  const token = "0123456789abcdef";
  writeFileSync(path, JSON.stringify({ token, since: "then", ...ownIdentity(), ...owner }));
}

test("a lock that is held tells who has it, and is free after its release", async () => {
  const path = join(tempDir(), "lock");
  const lock = await take(path);
  expect(await lock.isHeld()).toBe(true);
  expect(await tryFileLock(path)).toMatchObject({ heldBy: { pid: process.pid, token: lock.token } });
  await lock.release();
  expect(await lock.isHeld()).toBe(false);
  expect(existsSync(path)).toBe(false);
  const next = await take(path);
  expect(next.tookOver).toBe(false);
  // A second release of the first is none of the next one.
  await lock.release();
  expect(await next.isHeld()).toBe(true);
  await next.release();
});

test("one of ten that ask at once gets it, and nothing else is left beside it", async () => {
  const folder = tempDir();
  const tried = await Promise.all(Array.from({ length: 10 }, () => tryFileLock(join(folder, "lock"))));
  const got = tried.filter((answer): answer is FileLock => !("heldBy" in answer));
  expect(got).toHaveLength(1);
  expect(readdirSync(folder)).toEqual(["lock"]);
  await got[0]?.release();
  expect(readdirSync(folder)).toEqual([]);
});

test.each([
  ["is gone", { pid: 2 ** 22 + 1 }],
  ["had its id before another process got it", { start: "1" }],
])("the lock of an owner that %s is taken over by one of ten", async (_what, owner) => {
  const folder = tempDir();
  const path = join(folder, "lock");
  leave(path, owner);
  const tried = await Promise.all(Array.from({ length: 10 }, () => tryFileLock(path)));
  const got = tried.filter((answer): answer is FileLock => !("heldBy" in answer));
  expect(got.map(({ tookOver }) => tookOver)).toEqual([true]);
  expect(await got[0]?.isHeld()).toBe(true);
  expect(readdirSync(folder)).toEqual(["lock"]);
  await got[0]?.release();
});

test("one that died while it took over is taken over too, and its files go", async () => {
  const folder = tempDir();
  const path = join(folder, "lock");
  const dead = { pid: 2 ** 22 + 1 };
  leave(path, dead);
  leave(`${path}.0123456789abcdef`, { ...dead, token: "fedcba9876543210" });
  leave(`${path}.fedcba9876543210.tmp`, dead);
  leave(`${path}.aaaaaaaaaaaaaaaa`, dead);
  const lock = await take(path);
  expect(lock.tookOver).toBe(true);
  expect(readdirSync(folder)).toEqual(["lock"]);
  await lock.release();
});

test("what one left that died before it had the lock goes with the next that takes it, also if it is free", async () => {
  const folder = tempDir();
  const path = join(folder, "lock");
  const long = new Date(Date.now() - 61_000);
  leave(`${path}.fedcba9876543210.tmp`, { pid: 2 ** 22 + 1 });
  leave(`${path}.0123456789abcdef.tmp`, {});
  // Dead between making it and writing it, or only slow: for a minute nobody can tell.
  writeFileSync(`${path}.aaaaaaaaaaaaaaaa.tmp`, "");
  writeFileSync(`${path}.bbbbbbbbbbbbbbbb.tmp`, "");
  utimesSync(`${path}.bbbbbbbbbbbbbbbb.tmp`, long, long);
  const lock = await take(path);
  expect(readdirSync(folder)).toEqual(["lock", "lock.0123456789abcdef.tmp", "lock.aaaaaaaaaaaaaaaa.tmp"]);
  await lock.release();
});

test.each([
  ["an owner in another place", (path: string) => leave(path, { place: "another machine" })],
  ["a file that names no owner", (path: string) => writeFileSync(path, "")],
])("%s keeps the lock as long as there are signs of life", async (_what, make) => {
  const path = join(tempDir(), "lock");
  make(path);
  expect(await tryFileLock(path)).toHaveProperty("heldBy");
  const past = new Date(Date.now() - 61_000);
  utimesSync(path, past, past);
  const waits: number[] = [];
  const wait = async (ms: number) => void waits.push(ms);
  const tried = await tryFileLock(path, wait);
  if ("heldBy" in tried) throw new Error("held");
  expect(tried.tookOver).toBe(true);
  // Longer than between two signs of life.
  expect(waits).toEqual([15_000]);
  await tried.release();
});

test("an owner that gives a sign of life while it is watched keeps its lock, whatever the clock says", async () => {
  const path = join(tempDir(), "lock");
  leave(path, { place: "another machine" });
  const at = (agoMs: number) => new Date(Date.now() - agoMs);
  utimesSync(path, at(3_600_000), at(3_600_000));
  // Its clock is an hour behind.
  const wait = async () => utimesSync(path, at(3_590_000), at(3_590_000));
  expect(await tryFileLock(path, wait)).toMatchObject({ heldBy: { pid: process.pid } });
});

test("one that takes over what was released while it was watched has a lock of its own", async () => {
  const path = join(tempDir(), "lock");
  leave(path, { place: "another machine" });
  utimesSync(path, 1, 1);
  const tried = await tryFileLock(path, async () => rmSync(path));
  expect(tried).toMatchObject({ tookOver: false });
  if (!("heldBy" in tried)) await tried.release();
});

test.each([
  ["a pipe", (path: string) => spawnSync("mkfifo", [path])],
  ["a directory", (path: string) => mkdirSync(path)],
  ["a link to nothing", (path: string) => symlinkSync("/nonexistent", path)],
  [
    "a link to a lock",
    (path: string) => {
      leave(`${path}-2`, {});
      symlinkSync(`${path}-2`, path);
    },
  ],
])("%s in the place of a lock is an error, and is left alone", async (_what, make) => {
  const folder = tempDir();
  const path = join(folder, "lock");
  make(path);
  const before = readdirSync(folder);
  for (const call of [tryFileLock, lookAtFileLock])
    await expect(call(path)).rejects.toMatchObject({ code: "NO_LOCK_FILE" });
  expect(readdirSync(folder)).toEqual(before);
});

test("a lock that a pipe replaced is held no more, and its release leaves that", async () => {
  const path = join(tempDir(), "lock");
  const lock = await take(path);
  rmSync(path);
  spawnSync("mkfifo", [path]);
  expect(await lock.isHeld()).toBe(false);
  await lock.release();
  expect(existsSync(path)).toBe(true);
});

test("a file of any size that names no owner is a silent one", async () => {
  const path = join(tempDir(), "lock");
  writeFileSync(path, "");
  // More than could be read at once.
  truncateSync(path, 2 ** 32);
  expect(await tryFileLock(path)).toMatchObject({ heldBy: { pid: 0 } });
});

test("a directory that is not there, or goes meanwhile, is an error of the system and no lock", async () => {
  const folder = join(tempDir(), "gone");
  await expect(tryFileLock(join(folder, "lock"))).rejects.toMatchObject({ code: "ENOENT" });
  mkdirSync(folder);
  const lock = await take(join(folder, "lock"));
  expect(JSON.parse(readFileSync(join(folder, "lock"), "utf8"))).toMatchObject(ownIdentity());
  await lock.release();
});
