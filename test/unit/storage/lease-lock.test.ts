import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isSandboxError } from "../../../src/shared/errors.ts";
import { acquireLeaseLock } from "../../../src/storage/lease-lock.ts";
import { removeStaged, writeStaged } from "../../../src/storage/staged-write.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

const codeOf = (error: unknown) =>
  isSandboxError(error) ? error.code : (error as NodeJS.ErrnoException).code;
const failsWith = async (promise: Promise<unknown>, code: string) =>
  expect(
    codeOf(
      await promise.then(
        () => "resolved",
        (error: unknown) => error,
      ),
    ),
  ).toBe(code);

/** Resolves when the owner of a lock has been told that it lost it. */
const loss = (lock: { lost: AbortSignal }) =>
  new Promise<void>((resolve) => lock.lost.addEventListener("abort", () => resolve()));

test("one owner at a time, and whoever asks without waiting is told who has it", async () => {
  const directory = join(tempDir(), "lock");
  const lock = await acquireLeaseLock(directory, { label: "the first" });
  const refused = await acquireLeaseLock(directory).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: "STORE_CONFLICT", data: { owner: "the first" } });
  await lock.release();
  await (await acquireLeaseLock(directory)).release();
});

test("tokens grow over every owner, also after many have come and gone", async () => {
  const directory = join(tempDir(), "lock");
  const tokens: number[] = [];
  for (let i = 0; i < 50; i++) {
    const lock = await acquireLeaseLock(directory);
    tokens.push(lock.token);
    await lock.release();
  }
  expect(tokens).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
  expect(readdirSync(directory).length).toBeLessThan(40);
});

test("those who wait get it in the order in which they came", async () => {
  const directory = join(tempDir(), "lock");
  const order: number[] = [];
  const first = await acquireLeaseLock(directory);
  const others = [1, 2, 3, 4].map(async (number) => {
    const lock = await acquireLeaseLock(directory, { waitMs: 10_000 });
    order.push(number);
    await lock.release();
  });
  await first.release();
  await Promise.all(others);
  expect(order).toEqual([1, 2, 3, 4]);
});

test("a wait ends by its time and by its signal, and the others still get their turn", async () => {
  const directory = join(tempDir(), "lock");
  const first = await acquireLeaseLock(directory);
  const late = acquireLeaseLock(directory, { waitMs: 30 });
  const stop = new AbortController();
  const aborted = acquireLeaseLock(directory, { waitMs: 10_000, signal: stop.signal });
  const patient = acquireLeaseLock(directory, { waitMs: 10_000 });
  await failsWith(late, "STORE_CONFLICT");
  stop.abort(new Error("enough"));
  await expect(aborted).rejects.toThrow("enough");
  await first.release();
  expect((await patient).token).toBe(2);
});

test("an owner that is not heard of loses the lock after its lease, and its writes are refused", async () => {
  const directory = join(tempDir(), "lock");
  const file = join(directory, "../values/a.json");
  const late = await acquireLeaseLock(directory, { leaseMs: 40, renew: false });
  await writeStaged(file, "one", late.stagingDirectory, false);
  const lost = loss(late);
  const next = await acquireLeaseLock(directory, { waitMs: 10_000 });
  await lost;
  expect(next.token).toBe(late.token + 1);
  await failsWith(writeStaged(file, "late", late.stagingDirectory, false), "ENOENT");
  await failsWith(removeStaged(file, late.stagingDirectory, false), "ENOENT");
  expect(readFileSync(file, "utf8")).toBe("one");
  expect([await late.isHeld(), await next.isHeld()]).toEqual([false, true]);
  await late.release();
  expect(await next.isHeld()).toBe(true);
});

test("an owner that lives keeps the lock past its lease", async () => {
  const directory = join(tempDir(), "lock");
  const lock = await acquireLeaseLock(directory, { leaseMs: 300 });
  await failsWith(acquireLeaseLock(directory, { waitMs: 700 }), "STORE_CONFLICT");
  expect([await lock.isHeld(), lock.lost.aborted]).toEqual([true, false]);
});

test("a clock that went back keeps no dead owner's lock", async () => {
  const directory = join(tempDir(), "lock");
  await acquireLeaseLock(directory, { leaseMs: 40, renew: false, now: () => 9_000_000 });
  expect((await acquireLeaseLock(directory, { waitMs: 10_000, now: () => 1_000_000 })).token).toBe(2);
});

test("what is left of a claim after a loss of power holds nobody up", async () => {
  const directory = join(tempDir(), "lock");
  mkdirSync(join(directory, "7"), { recursive: true });
  writeFileSync(join(directory, "7/owner.json"), "");
  expect((await acquireLeaseLock(directory)).token).toBe(8);
  expect(existsSync(join(directory, "7"))).toBe(false);
});

test("a claimant that is late by a whole life of the lock does not get a number that was in use", async () => {
  const directory = join(tempDir(), "lock");
  await (await acquireLeaseLock(directory)).release();
  const now = await acquireLeaseLock(directory);
  const { takeClaim } = await import("../../../src/storage/lock-directory.ts");
  const { ownIdentity } = await import("../../../src/storage/process-identity.ts");
  const owner = { claim: "late", label: "late", leaseMs: 1_000, renewedAtMs: 0, ...ownIdentity() };
  expect(await takeClaim(directory, 1, owner)).toBe(false);
  expect(await now.isHeld()).toBe(true);
  expect(readdirSync(directory).sort()).toEqual(["1.closed", "2"]);
});

test("a directory that cannot be made is named", async () => {
  const file = join(tempDir(), "file");
  writeFileSync(file, "");
  const error = await acquireLeaseLock(join(file, "lock")).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "STORE_FAILED", message: expect.stringContaining(join(file, "lock")) });
});
