/**
 * Says what is about to be changed, before it is. Whoever keeps the record of changes looks at a path while its
 * writer waits: so it knows the state before, whatever others did there in the meantime.
 */
import { isAtOrBelow, isBelow, parentOfVirtualPath } from "../shared/virtual-path.ts";
import type { HarnessMount } from "../shared/workspace-spec.ts";

/** Thrown by a change that has not happened yet: it may once these paths are told. */
export class Untold extends Error {
  readonly paths: readonly string[];

  constructor(paths: readonly string[]) {
    super("not told yet");
    this.paths = paths;
  }
}

/** What one shell has told of its command. */
export class TouchLog {
  readonly #watched: readonly string[];
  readonly #told = new Set<string>();
  #tell: ((paths: string[]) => Promise<void>) | null = null;

  /** @param watched mounts whose changes are somebody's business; paths elsewhere are not told */
  constructor(watched: readonly string[]) {
    this.#watched = watched;
  }

  /** A command begins or, with `null`, is over: see `TouchLogs.command`. */
  direct(tell: ((paths: string[]) => Promise<void>) | null): void {
    this.#tell = tell;
    this.forget();
  }

  /** Another command began or ended: what was told before may be another's by now. */
  forget(): void {
    this.#told.clear();
  }

  /** Throws `Untold` unless each path, or one above it, was told. A path stands for all below it. */
  require(paths: readonly string[]): void {
    if (this.#tell === null) return;
    const untold = paths.filter((path) => this.#isWatched(path) && !this.#isTold(path));
    if (untold.length > 0) throw new Untold(untold);
  }

  /** Tells paths. Resolves when whoever is told has looked at them. */
  async tell(paths: readonly string[]): Promise<void> {
    await this.#tell?.([...paths]);
    for (const path of paths) this.#told.add(path);
  }

  #isWatched(path: string): boolean {
    return this.#watched.some((mount) => isAtOrBelow(path, mount) || isBelow(mount, path));
  }

  #isTold(path: string): boolean {
    if (this.#told.size === 0) return false;
    for (let at = path; ; at = parentOfVirtualPath(at)) {
      if (this.#told.has(at)) return true;
      if (at === "/") return false;
    }
  }
}

/** The logs of all shells that share one file system. */
export class TouchLogs {
  readonly #watched: string[] = [];
  readonly #logs = new Set<TouchLog>();

  /** @param mounts those that are tracked are watched */
  constructor(mounts: readonly Pick<HarnessMount, "path" | "tracked">[]) {
    this.watch(mounts);
  }

  /** For logs that were made before their workspace was known: these mounts from now on. */
  watch(mounts: readonly Pick<HarnessMount, "path" | "tracked">[]): void {
    const paths = mounts.filter(({ tracked }) => tracked).map(({ path }) => path);
    this.#watched.splice(0, this.#watched.length, ...paths);
  }

  /** For a shell that is opened. */
  open(): TouchLog {
    const log = new TouchLog(this.#watched);
    this.#logs.add(log);
    return log;
  }

  /** Its shell is gone. */
  close(log: TouchLog): void {
    this.#logs.delete(log);
  }

  /** Runs a command of a shell, whose changes are told by `tell`. */
  async command<T>(
    log: TouchLog,
    tell: (paths: string[]) => Promise<void>,
    run: () => Promise<T>,
  ): Promise<T> {
    this.#forget();
    log.direct(tell);
    try {
      return await run();
    } finally {
      log.direct(null);
      this.#forget();
    }
  }

  /** Runs what changes files for somebody else: what any shell has told before, or meanwhile, may then be another's. */
  async between<T>(run: () => Promise<T>): Promise<T> {
    this.#forget();
    try {
      return await run();
    } finally {
      this.#forget();
    }
  }

  #forget(): void {
    for (const log of this.#logs) log.forget();
  }
}
