/**
 * `fileJsonStore()`: one file per value below a directory, safe for any number of processes of any number of hosts
 * that share it, as far as their file system renames atomically. A value at `tasks/items/a` is `tasks/items/a.json`;
 * the locks lie in `.locks`, writes without a lock pass through `.staging`.
 */
import { randomUUID } from "node:crypto";
import { readdir, readFile, rm, rmdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type {
  DurableJsonStore,
  StoreLock,
  StoreWriteOptions,
  WithLockOptions,
} from "../shared/durable-store.ts";
import { isSandboxError, SandboxError } from "../shared/errors.ts";
import type { JsonValue } from "../shared/json.ts";
import { codeOf } from "../storage/error-code.ts";
import { acquireLeaseLock, type LeaseLock } from "../storage/lease-lock.ts";
import { makeDirectory, removeStaged, writeStaged } from "../storage/staged-write.ts";
import { lockLost } from "./lock-lost.ts";
import { toLockOptions } from "./lock-options.ts";
import { fromFileName, toFileName, toSegments } from "./store-path.ts";

/** Where values are kept, and how safely. */
export interface FileJsonStoreOptions {
  /** Made when it is missing. Nothing else may write below it. */
  readonly rootDir: string;
  /**
   * Flush each write to the disk before it resolves. `false`: what was written outlives the process, but perhaps not
   * a loss of power. @default true
   */
  readonly sync?: boolean | undefined;
  /** For people who find a lock taken. @default "process <pid>" */
  readonly label?: string | undefined;
}

/** A store in files. @throws SandboxError `OPTION_INVALID`. Touches no disk. */
export function fileJsonStore(options: FileJsonStoreOptions): DurableJsonStore {
  return new FileStore(options);
}

const SUFFIX = ".json";

class FileStore implements DurableJsonStore {
  readonly #root: string;
  readonly #sync: boolean;
  readonly #label: string | undefined;
  /** By lock, so that a lock of another store, or a made-up one, is none here. */
  readonly #held = new WeakMap<StoreLock, LeaseLock>();

  constructor({ rootDir, sync = true, label }: FileJsonStoreOptions) {
    if (typeof rootDir !== "string" || rootDir === "") {
      throw new SandboxError("OPTION_INVALID", 'Option "rootDir" must be the path of a directory.', {
        option: "rootDir",
      });
    }
    this.#root = resolve(rootDir);
    this.#sync = sync;
    this.#label = label;
  }

  async readJson(path: string): Promise<JsonValue | undefined> {
    const file = this.#fileOf(path);
    let text: string;
    try {
      text = await readFile(file, "utf8");
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw failed("read", file, error);
    }
    try {
      // Written last, so that a file that was cut, by a copy say, is known even where what is left is JSON.
      if (!text.endsWith("\n")) throw new Error("its end is missing");
      return JSON.parse(text) as JsonValue;
    } catch (error) {
      throw failed("read", file, error);
    }
  }

  async writeJson(path: string, value: JsonValue, { lock }: StoreWriteOptions = {}): Promise<void> {
    const file = this.#fileOf(path);
    await this.#staged("write", file, lock, (staging) =>
      writeStaged(file, `${JSON.stringify(value)}\n`, staging, this.#sync),
    );
  }

  async remove(path: string, { lock }: StoreWriteOptions = {}): Promise<void> {
    const file = this.#fileOf(path);
    await this.#staged("remove", file, lock, async (staging) => {
      if (await removeStaged(file, staging, this.#sync)) await this.#removeEmpty(dirname(file));
    });
  }

  async listDir(path: string): Promise<readonly string[]> {
    const directory = join(this.#root, ...(path === "" ? [] : toSegments(path)).map(toFileName));
    const segments = new Set<string>();
    try {
      for (const entry of await readdir(directory, { withFileTypes: true })) {
        const isValue = entry.name.endsWith(SUFFIX) && !entry.isDirectory();
        const segment = fromFileName(isValue ? entry.name.slice(0, -SUFFIX.length) : entry.name);
        if (segment !== undefined && (isValue || entry.isDirectory())) segments.add(segment);
      }
    } catch (error) {
      if (!isMissing(error)) throw failed("list", directory, error);
    }
    return [...segments].sort();
  }

  async withLock<T>(
    name: string,
    options: WithLockOptions,
    run: (lock: StoreLock) => Promise<T>,
  ): Promise<T> {
    const directory = join(this.#root, ".locks", toSegments(name).map(toFileName).join("%"));
    const held = await acquireLeaseLock(directory, {
      ...toLockOptions(options),
      ...(this.#label === undefined ? {} : { label: this.#label }),
    });
    const lock: StoreLock = { name, token: held.token, lost: held.lost };
    this.#held.set(lock, held);
    try {
      return await run(lock);
    } finally {
      this.#held.delete(lock);
      await held.release();
    }
  }

  #fileOf(path: string): string {
    return join(this.#root, ...toSegments(path).map(toFileName)) + SUFFIX;
  }

  /** Runs a change through the staging directory of its lock, or through one of its own. */
  async #staged(
    verb: string,
    file: string,
    lock: StoreLock | undefined,
    change: (staging: string) => Promise<void>,
  ): Promise<void> {
    if (lock === undefined) {
      const staging = join(this.#root, ".staging", `${process.pid}-${randomUUID()}`);
      try {
        await makeDirectory(staging, false);
        await change(staging);
      } catch (error) {
        throw failed(verb, file, error);
      } finally {
        await rm(staging, { recursive: true, force: true }).catch(() => undefined); // Nobody looks there.
      }
      return;
    }
    const held = this.#held.get(lock);
    if (held === undefined) throw lockLost(lock);
    try {
      await change(held.stagingDirectory);
    } catch (error) {
      if (!(await held.isHeld())) throw lockLost(lock);
      throw failed(verb, file, error);
    }
  }

  /** Directories that hold nothing any more, upwards; so that a queue that is named once leaves nothing behind. */
  async #removeEmpty(directory: string): Promise<void> {
    for (let empty = directory; empty.length > this.#root.length; empty = dirname(empty)) {
      try {
        await rmdir(empty);
      } catch {
        // Not empty, or another was faster: no matter.
        return;
      }
    }
  }
}

function isMissing(error: unknown): boolean {
  return codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR";
}

function failed(verb: string, file: string, cause: unknown): SandboxError {
  if (isSandboxError(cause)) return cause;
  const why = cause instanceof Error ? cause.message : String(cause);
  return new SandboxError("STORE_FAILED", `Cannot ${verb} ${file}: ${why}`, { file }, { cause });
}
