/**
 * The system's files, until a call that is chosen: it fails, or the process "dies" there and never calls again. What a
 * loss of power would leave is known as well: what was synced, under a name that was synced.
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { type LogFile, type LogFiles, systemFiles } from "../../src/session-log/log-files.ts";

/** `short`: half of a write is done, and after it the system has no room. */
export type FaultKind = "fail" | "die before" | "die after" | "short";

export class FailingFiles {
  /** Names of the calls so far. */
  readonly calls: string[] = [];
  readonly #path: string;
  #at = Number.POSITIVE_INFINITY;
  #kind: FaultKind = "fail";
  #code = "EIO";
  #died: () => void = () => undefined;
  /** Resolves when the process is dead. */
  readonly death = new Promise<void>((resolve) => {
    this.#died = resolve;
  });
  #isDead = false;
  readonly #opened = new Set<LogFile>();
  #synced: Buffer | undefined;
  #isNameSynced = false;

  /** @param path Of the file of which is known what was synced. */
  constructor(path: string) {
    this.#path = path;
  }

  /** Which call from now on has the fault: 0 is the next. */
  arm(after: number, kind: FaultKind, code = "EIO"): void {
    this.#at = this.calls.length + after;
    this.#kind = kind;
    this.#code = code;
  }

  /** What the system closes for a process that is gone. */
  async closeAll(): Promise<void> {
    for (const file of this.#opened) await file.close();
  }

  /** Leaves what was on the disk: nothing for a name that never was. */
  losePower(): void {
    if (this.#isNameSynced && this.#synced !== undefined) writeFileSync(this.#path, this.#synced);
    else rmSync(this.#path, { force: true });
  }

  readonly files: LogFiles = {
    open: (path, flags, mode) =>
      this.#call("open", async () => {
        const file = await systemFiles.open(path, flags, mode);
        this.#opened.add(file);
        return this.#wrap(file, path, (await file.stat()).isDirectory());
      }),
    lstat: (path) => this.#call("lstat", () => systemFiles.lstat(path)),
    rename: (from, to) => this.#call("rename", () => systemFiles.rename(from, to)),
    rm: (path) => this.#call("rm", () => systemFiles.rm(path)),
  };

  #wrap(file: LogFile, path: string, isDirectory: boolean): LogFile {
    const synced = () => {
      if (isDirectory) this.#isNameSynced = true;
      else if (path === this.#path) this.#synced = readFileSync(path);
    };
    const kind = isDirectory ? "directory" : "file";
    // What power leaves is known by name: the disk itself need not be waited for.
    const sync = (name: string) => this.#call(`${name} ${kind}`, async () => synced());
    return {
      write: ((buffer: Uint8Array, offset: number, length: number, position: number) =>
        this.#call("write", (isShort) =>
          file.write(buffer, offset, isShort ? Math.ceil(length / 2) : length, position),
        )) as LogFile["write"],
      read: ((buffer: Uint8Array, offset: number, length: number, position: number) =>
        this.#call("read", () => file.read(buffer, offset, length, position))) as LogFile["read"],
      stat: (() => this.#call("stat", () => file.stat())) as LogFile["stat"],
      sync: () => sync("sync"),
      datasync: () => sync("datasync"),
      truncate: (length) => this.#call("truncate", () => file.truncate(length)),
      close: () =>
        this.#call(`close ${kind}`, async () => {
          this.#opened.delete(file);
          await file.close();
        }),
    };
  }

  async #call<T>(name: string, work: (isShort: boolean) => Promise<T>): Promise<T> {
    if (this.#isDead) return await new Promise<never>(() => undefined);
    const number = this.calls.push(name) - 1;
    if (number !== this.#at) return await work(false);
    if (this.#kind === "fail" || (this.#kind === "short" && name !== "write"))
      throw Object.assign(new Error(`${name}: ${this.#code}`), { code: this.#code });
    if (this.#kind === "short") {
      // The next call writes the rest, or would: it fails.
      this.arm(0, "fail", "ENOSPC");
      return await work(true);
    }
    this.#isDead = true;
    if (this.#kind === "die after") await work(false).catch(() => undefined);
    this.#died();
    return await new Promise<never>(() => undefined);
  }
}
