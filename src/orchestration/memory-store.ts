/** `memoryJsonStore()`: values and locks that live as long as this object. For one process, and for tests. */

import type {
  DurableJsonStore,
  StoreLock,
  StoreWriteOptions,
  WithLockOptions,
} from "../shared/durable-store.ts";
import { SandboxError } from "../shared/errors.ts";
import type { JsonValue } from "../shared/json.ts";
import { lockLost } from "./lock-lost.ts";
import { toLockOptions } from "./lock-options.ts";
import { toSegments } from "./store-path.ts";

/** A store in memory. Values are kept as text: who reads one has a copy. */
export function memoryJsonStore(): DurableJsonStore {
  return new MemoryStore();
}

interface Holder {
  readonly token: number;
  readonly lost: AbortController;
  timer: NodeJS.Timeout | undefined;
  /** Past a lease that is not renewed: the next one takes over. */
  isLate: boolean;
}

interface Lock {
  lastToken: number;
  holder: Holder | undefined;
  /** In the order in which they came. Who is called has the lock. */
  readonly waiting: Set<() => void>;
}

class MemoryStore implements DurableJsonStore {
  readonly #values = new Map<string, string>();
  readonly #locks = new Map<string, Lock>();

  async readJson(path: string): Promise<JsonValue | undefined> {
    const text = this.#values.get(toSegments(path).join("/"));
    return text === undefined ? undefined : (JSON.parse(text) as JsonValue);
  }

  async writeJson(path: string, value: JsonValue, { lock }: StoreWriteOptions = {}): Promise<void> {
    toSegments(path);
    this.#check(lock);
    this.#values.set(path, JSON.stringify(value));
  }

  async remove(path: string, { lock }: StoreWriteOptions = {}): Promise<void> {
    toSegments(path);
    this.#check(lock);
    this.#values.delete(path);
  }

  async listDir(path: string): Promise<readonly string[]> {
    const prefix = path === "" ? "" : `${toSegments(path).join("/")}/`;
    const names = new Set<string>();
    for (const key of this.#values.keys()) {
      if (key.startsWith(prefix)) names.add(key.slice(prefix.length).split("/", 1)[0] ?? "");
    }
    return [...names].sort();
  }

  async withLock<T>(
    name: string,
    options: WithLockOptions,
    run: (lock: StoreLock) => Promise<T>,
  ): Promise<T> {
    toSegments(name);
    const { leaseMs, waitMs, renew, signal } = toLockOptions(options);
    signal?.throwIfAborted();
    const lock = this.#locks.get(name) ?? { lastToken: 0, holder: undefined, waiting: new Set() };
    this.#locks.set(name, lock);
    const take = () => takeLock(name, lock, renew ? undefined : leaseMs);
    const holder = isFree(lock) ? take() : await waitFor(name, lock, waitMs, signal, take);
    try {
      return await run({ name, token: holder.token, lost: holder.lost.signal });
    } finally {
      clearTimeout(holder.timer);
      if (lock.holder === holder) {
        lock.holder = undefined;
        wakeOne(lock);
      }
    }
  }

  #check(lock: StoreLock | undefined): void {
    if (lock === undefined) return;
    if (this.#locks.get(lock.name)?.holder?.token !== lock.token) throw lockLost(lock);
  }
}

function isFree({ holder }: Lock): boolean {
  return holder === undefined || holder.isLate;
}

/** Makes the caller the holder; a late one before it is told. */
function takeLock(name: string, lock: Lock, leaseMs: number | undefined): Holder {
  const before = lock.holder;
  clearTimeout(before?.timer);
  const holder: Holder = {
    token: ++lock.lastToken,
    lost: new AbortController(),
    timer: undefined,
    isLate: false,
  };
  if (leaseMs !== undefined) {
    holder.timer = setTimeout(() => {
      holder.isLate = true;
      wakeOne(lock);
    }, leaseMs);
  }
  lock.holder = holder;
  before?.lost.abort(lockLost({ name, token: before.token }));
  return holder;
}

function wakeOne(lock: Lock): void {
  const [first] = lock.waiting;
  first?.();
}

/** Resolves with the lock taken: between its being free and its being taken nothing else runs. */
function waitFor(
  name: string,
  lock: Lock,
  waitMs: number,
  signal: AbortSignal | undefined,
  take: () => Holder,
): Promise<Holder> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      lock.waiting.delete(wake);
    };
    const wake = () => {
      end();
      resolve(take());
    };
    const onAbort = () => {
      end();
      reject(signal?.reason);
    };
    const onTime = () => {
      end();
      reject(
        new SandboxError("STORE_CONFLICT", `The lock ${name} was held for more than ${waitMs} ms.`, { name }),
      );
    };
    const timer = setTimeout(onTime, Math.min(waitMs, 2 ** 31 - 1));
    signal?.addEventListener("abort", onAbort);
    lock.waiting.add(wake);
  });
}
