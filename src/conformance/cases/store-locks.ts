/** Locks of a store: one owner at a time, and nothing written by one that has lost its lock. */
import type { DurableJsonStore, StoreLock } from "../../shared/durable-store.ts";
import { isSandboxError, type SandboxErrorCode } from "../../shared/errors.ts";
import type { Check } from "../check.ts";
import type { StoreCase } from "../store-stage.ts";

/** A lease that runs out while a test watches, in milliseconds. */
const SHORT_MS = 150;
/** A lease that an owner must be able to renew in time, on a busy machine too, in milliseconds. */
const RENEWED_MS = 1_200;

const nothing = async (): Promise<void> => undefined;

export const storeLockCases: readonly StoreCase[] = [
  {
    name: "one at a time has a lock: nothing that was counted under it is lost",
    async run({ store, other, check }) {
      await Promise.all(
        Array.from({ length: 24 }, (_, index) => {
          const by = index % 2 === 0 ? store : other;
          return by.withLock("locks/count", {}, async (lock) => {
            const count = (await by.readJson("count")) ?? 0;
            await by.writeJson("count", Number(count) + 1, { lock });
          });
        }),
      );
      check.equal("the count", await store.readJson("count"), 24);
    },
  },
  {
    name: "locks of other names do not wait for each other",
    async run({ store, check }) {
      const name = await store.withLock("a", {}, () =>
        store.withLock("A", {}, () => store.withLock("a/b", {}, async (lock) => lock.name)),
      );
      check.equal("the name of the innermost", name, "a/b");
    },
  },
  {
    name: "withLock gives what run gives or throws, and the lock back in both cases",
    async run({ store, check }) {
      check.equal("what it gives", await store.withLock("lock", {}, async () => 7), 7);
      const wrong = new Error("mine");
      const fail = async () => {
        throw wrong;
      };
      const thrown = await check.rejects(
        "withLock",
        () => store.withLock("lock", {}, fail),
        "what run threw",
      );
      check.that(thrown === wrong, "what it throws", thrown, "what run threw");
      const next = await store.withLock("lock", { waitMs: 5_000 }, async () => 8);
      check.equal("what the next one gives", next, 8);
    },
  },
  {
    name: "each owner of a lock has a greater token than all before",
    async run({ store, other, check }) {
      const tokens: number[] = [];
      for (let round = 0; round < 40; round++) {
        await (round % 2 === 0 ? store : other).withLock("lock", {}, async ({ token }) => tokens.push(token));
      }
      for (const [index, token] of tokens.entries())
        check.that(index === 0 || token > (tokens[index - 1] ?? 0), "the tokens", tokens, "growing ones");
    },
  },
  {
    name: "who waits for too long is refused with STORE_CONFLICT, and the owner is not disturbed",
    async run({ store, other, check }) {
      await store.withLock("lock", {}, async (lock) => {
        await refuses(check, "STORE_CONFLICT", () => other.withLock("lock", { waitMs: 20 }, nothing));
        await store.writeJson("value", 1, { lock });
      });
      check.equal("what the owner wrote", await store.readJson("value"), 1);
    },
  },
  {
    name: "an abort ends the wait with its reason",
    async run({ store, other, check }) {
      const stop = new AbortController();
      const reason = new Error("enough");
      await store.withLock("lock", {}, async () => {
        const waiting = other.withLock("lock", { signal: stop.signal }, nothing);
        stop.abort(reason);
        const thrown = await check.rejects("withLock", () => waiting, "the reason of the abort");
        check.that(thrown === reason, "what it rejects with", thrown, "the reason of the abort");
      });
    },
  },
  {
    name: "a lock goes to another after a lease that is not renewed, and the late owner's writes are refused",
    async run({ store, other, check }) {
      await store.writeJson("kept", 0);
      const late = await outlive(store, "lock");
      const writeLate = () => store.writeJson("value", "late", { lock: late.lock });
      await other.withLock("lock", {}, async (lock) => {
        check.that(
          lock.token > late.lock.token,
          "the next token",
          lock.token,
          `more than ${late.lock.token}`,
        );
        await refuses(check, "LOCK_LOST", writeLate);
        await refuses(check, "LOCK_LOST", () => store.remove("kept", { lock: late.lock }));
        await other.writeJson("value", "next", { lock });
      });
      await refuses(check, "LOCK_LOST", writeLate);
      late.finish();
      await late.done;
      check.equal("the values", [await store.readJson("value"), await store.readJson("kept")], ["next", 0]);
      check.equal("whether the late owner was told", late.lock.lost.aborted, true);
      check.equal("the lock afterwards", await store.withLock("lock", {}, async () => "free"), "free");
    },
  },
  {
    name: "a late owner that comes to its end does not give away what another has",
    async run({ store, other, check }) {
      const late = await outlive(store, "lock");
      await other.withLock("lock", {}, async (lock) => {
        late.finish();
        await late.done;
        await refuses(check, "STORE_CONFLICT", () => store.withLock("lock", { waitMs: 20 }, nothing));
        await other.writeJson("value", 1, { lock });
      });
      check.equal("what the owner wrote", await store.readJson("value"), 1);
    },
  },
  {
    name: "an owner that is at work keeps its lock past the lease",
    async run({ store, other, check }) {
      await store.withLock("lock", { leaseMs: RENEWED_MS }, async (lock) => {
        const waitMs = 1.5 * RENEWED_MS;
        await refuses(check, "STORE_CONFLICT", () => other.withLock("lock", { waitMs }, nothing));
        await store.writeJson("value", 1, { lock });
        check.equal("whether it was told of a loss", lock.lost.aborted, false);
      });
    },
  },
  {
    name: "a lock is worth nothing after its end, and one that was made up never",
    async run({ store, check }) {
      const lock = await store.withLock("lock", {}, async (held) => held);
      await refuses(check, "LOCK_LOST", () => store.writeJson("value", 1, { lock }));
      const madeUp: StoreLock = { name: "lock", token: lock.token + 1, lost: new AbortController().signal };
      await refuses(check, "LOCK_LOST", () => store.writeJson("value", 1, { lock: madeUp }));
      await refuses(check, "LOCK_LOST", () => store.remove("value", { lock: madeUp }));
      check.equal("the value", await store.readJson("value"), undefined);
    },
  },
];

/** An owner that holds a lock for longer than its lease, until `finish`. */
async function outlive(
  store: DurableJsonStore,
  name: string,
): Promise<{ lock: StoreLock; finish: () => void; done: Promise<void> }> {
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  let done: Promise<void> = Promise.resolve();
  const lock = await new Promise<StoreLock>((resolve, reject) => {
    done = store.withLock(name, { leaseMs: SHORT_MS, renew: false }, async (held) => {
      resolve(held);
      await finished;
    });
    done.catch(reject);
  });
  return { lock, finish, done };
}

async function refuses(check: Check, code: SandboxErrorCode, call: () => Promise<unknown>): Promise<void> {
  const error = await check.rejectsWith(code, "the call", call);
  check.that(isSandboxError(error), "the error", error, "a SandboxError");
}
