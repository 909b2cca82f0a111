/**
 * What a `DurableJsonStore` must do, as cases that any test runner can run: each takes a store of its own and rejects
 * when a promise is broken. `docs/orchestration.md` says the promises in words.
 */
import type nodeAssert from "node:assert/strict";
import type { DurableJsonStore, JsonValue, StoreLock } from "../shared/durable-store.ts";
import { isSandboxError } from "../shared/errors.ts";

/** Loaded by the first case that runs: loading it opens the standard error of the process. */
let assert: typeof nodeAssert;

/** A store under test. */
export interface StoreUnderTest {
  readonly store: DurableJsonStore;
  /** A second one over the same data, as another process would have. @default the same one */
  readonly other?: DurableJsonStore;
}

/** Gives an empty store at each call. */
export type OpenStore = () => Promise<StoreUnderTest> | StoreUnderTest;

/** The promises of a store, bound to one. */
export interface StoreSuite {
  readonly name: string;
  readonly cases: readonly {
    /** The promise, as a sentence; unique within the suite. */
    readonly name: string;
    readonly group: string;
    /** Resolves when the promise holds; rejects with what was expected and what came. */
    readonly run: () => Promise<void>;
  }[];
  readonly notClaimed: readonly never[];
}

/** Every promise of a store. */
export function storeSuite(open: OpenStore): StoreSuite {
  const cases = CASES.map(({ name, run }) => ({
    name,
    group: "store",
    run: async () => {
      ({ default: assert } = await import("node:assert/strict"));
      await run(open);
    },
  }));
  return { name: "store", cases, notClaimed: [] };
}

/** A lease that runs out while a test watches, in milliseconds. */
const SHORT_MS = 150;
/** A lease that an owner must be able to renew in time, on a busy machine too, in milliseconds. */
const RENEWED_MS = 1_200;

const CASES: readonly { readonly name: string; run(open: OpenStore): Promise<void> }[] = [
  {
    name: "what is written is read, by others too, until it is written over or removed",
    async run(open) {
      const { store, other = store } = await open();
      assert.equal(await store.readJson("a/b"), undefined);
      await store.writeJson("a/b", { n: 1 });
      assert.deepEqual(await other.readJson("a/b"), { n: 1 });
      await other.writeJson("a/b", [2]);
      assert.deepEqual(await store.readJson("a/b"), [2]);
      await store.remove("a/b");
      assert.equal(await other.readJson("a/b"), undefined);
      await store.remove("a/b");
    },
  },
  {
    name: "every JSON value comes back as it was, and null is a value",
    async run(open) {
      const { store } = await open();
      const values: JsonValue[] = [null, false, 0, -1.5e-7, "", "ü😀\u0000\n", [], {}, [[], [null]]];
      values.push(JSON.parse('{"__proto__":1,"constructor":{"a":[1,2,3]},"":null}') as JsonValue);
      values.push("x".repeat(300_000));
      for (const value of values) {
        await store.writeJson("value", value);
        assert.deepEqual(await store.readJson("value"), value);
      }
    },
  },
  {
    name: "who reads a value has a copy",
    async run(open) {
      const { store } = await open();
      const value = { list: [1] };
      await store.writeJson("value", value);
      value.list.push(2);
      const read = (await store.readJson("value")) as { list: number[] };
      assert.deepEqual(read, { list: [1] });
      read.list.push(3);
      assert.deepEqual(await store.readJson("value"), { list: [1] });
    },
  },
  {
    name: "paths that differ are apart: by case, by a mark, below each other",
    async run(open) {
      const { store } = await open();
      const long = "Z".repeat(120);
      const paths = [
        "a",
        "A",
        "a.json",
        "a.json/b",
        "a/b",
        "a/B",
        "a:b",
        "a@b",
        "a=b",
        "a+b",
        "a~b",
        "a-b",
        "a_b",
        long,
      ];
      for (const path of paths) await store.writeJson(path, path);
      for (const path of paths) assert.equal(await store.readJson(path), path);
      await store.remove("a");
      assert.equal(await store.readJson("a/b"), "a/b");
      assert.deepEqual(await store.listDir("a"), ["B", "b"]);
    },
  },
  {
    name: "a path that is none is refused by every method",
    async run(open) {
      const { store } = await open();
      const bad = [
        "/a",
        "a/",
        "a//b",
        "..",
        "../a",
        "a/../b",
        ".a",
        "a.",
        "a b",
        "ä",
        "a\\b",
        "a\0",
        "a".repeat(121),
      ];
      for (const path of bad) {
        await assert.rejects(store.readJson(path), `readJson took ${JSON.stringify(path)}`);
        await assert.rejects(store.writeJson(path, 1), `writeJson took ${JSON.stringify(path)}`);
        await assert.rejects(store.remove(path), `remove took ${JSON.stringify(path)}`);
        await assert.rejects(store.listDir(path), `listDir took ${JSON.stringify(path)}`);
        await assert.rejects(
          store.withLock(path, {}, async () => undefined),
          `withLock took ${JSON.stringify(path)}`,
        );
      }
      await assert.rejects(store.writeJson("", 1));
    },
  },
  {
    name: "listDir gives the next segments, each once, sorted by code units",
    async run(open) {
      const { store } = await open();
      assert.deepEqual(await store.listDir(""), []);
      assert.deepEqual(await store.listDir("t"), []);
      for (const path of ["t/b", "t/a", "t/B", "t/a/x", "t/a/y", "t/10", "t/9", "t/a~1", "u"]) {
        await store.writeJson(path, 1);
      }
      assert.deepEqual(await store.listDir("t"), ["10", "9", "B", "a", "a~1", "b"]);
      assert.deepEqual(await store.listDir("t/a"), ["x", "y"]);
      assert.deepEqual(await store.listDir(""), ["t", "u"]);
      for (const path of ["t/a", "t/a/x", "t/a/y", "t/b"]) await store.remove(path);
      assert.deepEqual(await store.listDir("t"), ["10", "9", "B", "a~1"]);
    },
  },
  {
    name: "a value is whole, however many write and remove it at once",
    async run(open) {
      const { store, other = store } = await open();
      const isWhole = (value: JsonValue | undefined) =>
        value === undefined || (Array.isArray(value) && value.length === 2_000 && new Set(value).size === 1);
      await Promise.all(
        Array.from({ length: 12 }, async (_, index) => {
          const by = index % 2 === 0 ? store : other;
          for (let round = 0; round < 4; round++) {
            await by.writeJson(
              "d/value",
              Array.from({ length: 2_000 }, () => index),
            );
            assert.ok(isWhole(await by.readJson("d/value")), "a part of a value was read");
            if (index % 3 === 0) await by.remove("d/value");
          }
        }),
      );
    },
  },
  {
    name: "one at a time has a lock: nothing that was counted under it is lost",
    async run(open) {
      const { store, other = store } = await open();
      await Promise.all(
        Array.from({ length: 24 }, (_, index) => {
          const by = index % 2 === 0 ? store : other;
          return by.withLock("locks/count", {}, async (lock) => {
            const count = (await by.readJson("count")) ?? 0;
            await by.writeJson("count", Number(count) + 1, { lock });
          });
        }),
      );
      assert.equal(await store.readJson("count"), 24);
    },
  },
  {
    name: "locks of other names do not wait for each other",
    async run(open) {
      const { store } = await open();
      const name = await store.withLock("a", {}, () =>
        store.withLock("A", {}, () => store.withLock("a/b", {}, async (lock) => lock.name)),
      );
      assert.equal(name, "a/b");
    },
  },
  {
    name: "withLock gives what run gives or throws, and the lock back in both cases",
    async run(open) {
      const { store } = await open();
      assert.equal(await store.withLock("lock", {}, async () => 7), 7);
      const wrong = new Error("mine");
      await assert.rejects(
        store.withLock("lock", {}, async () => {
          throw wrong;
        }),
        (error) => error === wrong,
      );
      assert.equal(await store.withLock("lock", { waitMs: 5_000 }, async () => 8), 8);
    },
  },
  {
    name: "each owner of a lock has a greater token than all before",
    async run(open) {
      const { store, other = store } = await open();
      const tokens: number[] = [];
      for (let round = 0; round < 40; round++) {
        await (round % 2 === 0 ? store : other).withLock("lock", {}, async ({ token }) => tokens.push(token));
      }
      for (const [index, token] of tokens.entries())
        assert.ok(index === 0 || token > (tokens[index - 1] ?? 0));
    },
  },
  {
    name: "who waits for too long is refused with STORE_CONFLICT, and the owner is not disturbed",
    async run(open) {
      const { store, other = store } = await open();
      await store.withLock("lock", {}, async (lock) => {
        await rejectsWith(
          "STORE_CONFLICT",
          other.withLock("lock", { waitMs: 20 }, async () => undefined),
        );
        await store.writeJson("value", 1, { lock });
      });
      assert.equal(await store.readJson("value"), 1);
    },
  },
  {
    name: "an abort ends the wait with its reason",
    async run(open) {
      const { store, other = store } = await open();
      const stop = new AbortController();
      const reason = new Error("enough");
      await store.withLock("lock", {}, async () => {
        const waiting = other.withLock("lock", { signal: stop.signal }, async () => undefined);
        stop.abort(reason);
        await assert.rejects(waiting, (error) => error === reason);
      });
    },
  },
  {
    name: "a lock goes to another after a lease that is not renewed, and the late owner's writes are refused",
    async run(open) {
      const { store, other = store } = await open();
      await store.writeJson("kept", 0);
      const late = await outlive(store, "lock");
      await other.withLock("lock", {}, async (lock) => {
        assert.ok(lock.token > late.lock.token);
        await rejectsWith("LOCK_LOST", store.writeJson("value", "late", { lock: late.lock }));
        await rejectsWith("LOCK_LOST", store.remove("kept", { lock: late.lock }));
        await other.writeJson("value", "next", { lock });
      });
      await rejectsWith("LOCK_LOST", store.writeJson("value", "late", { lock: late.lock }));
      late.finish();
      await late.done;
      assert.deepEqual([await store.readJson("value"), await store.readJson("kept")], ["next", 0]);
      assert.ok(late.lock.lost.aborted, "the late owner was not told");
      assert.equal(await store.withLock("lock", {}, async () => "free"), "free");
    },
  },
  {
    name: "a late owner that comes to its end does not give away what another has",
    async run(open) {
      const { store, other = store } = await open();
      const late = await outlive(store, "lock");
      await other.withLock("lock", {}, async (lock) => {
        late.finish();
        await late.done;
        await rejectsWith(
          "STORE_CONFLICT",
          store.withLock("lock", { waitMs: 20 }, async () => undefined),
        );
        await other.writeJson("value", 1, { lock });
      });
      assert.equal(await store.readJson("value"), 1);
    },
  },
  {
    name: "an owner that is at work keeps its lock past the lease",
    async run(open) {
      const { store, other = store } = await open();
      await store.withLock("lock", { leaseMs: RENEWED_MS }, async (lock) => {
        await rejectsWith(
          "STORE_CONFLICT",
          other.withLock("lock", { waitMs: 1.5 * RENEWED_MS }, async () => undefined),
        );
        await store.writeJson("value", 1, { lock });
        assert.equal(lock.lost.aborted, false);
      });
    },
  },
  {
    name: "a lock is worth nothing after its end, and one that was made up never",
    async run(open) {
      const { store } = await open();
      const lock = await store.withLock("lock", {}, async (held) => held);
      await rejectsWith("LOCK_LOST", store.writeJson("value", 1, { lock }));
      const madeUp: StoreLock = { name: "lock", token: lock.token + 1, lost: new AbortController().signal };
      await rejectsWith("LOCK_LOST", store.writeJson("value", 1, { lock: madeUp }));
      await rejectsWith("LOCK_LOST", store.remove("value", { lock: madeUp }));
      assert.equal(await store.readJson("value"), undefined);
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

async function rejectsWith(code: string, promise: Promise<unknown>): Promise<void> {
  await assert.rejects(promise, (error) => {
    assert.ok(isSandboxError(error), `${code} was expected, but it was ${error}`);
    assert.equal(error.code, code);
    return true;
  });
}
