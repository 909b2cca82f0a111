/** The one jail of a sandbox: started by the first command, started anew after a kill, gone after `dispose`. */
import type { WorkerExit, WorkerProcess } from "../../parent/spawn-worker.ts";
import { spawnWorker } from "../../parent/spawn-worker.ts";
import { SandboxError } from "../../shared/errors.ts";
import { findStrangeMount } from "./check-mounts.ts";
import { type JailParts, jailLaunch } from "./jail.ts";
import { watchTreeMemory } from "./watch-tree-memory.ts";

/** A jail that has been started. */
export interface Jail {
  readonly process: WorkerProcess;
  /** Set when it was ended for what all its processes held. */
  isOverMemory: boolean;
}

export class JailLife {
  readonly #parts: JailParts;
  readonly #maxMemoryMb: number;
  #jail: Jail | null = null;
  /** What is read-only in the jail of today. */
  #prefixes = "";
  #holds = 0;
  /** A jail that was killed; the next one starts when it is gone. */
  #leaving: Promise<unknown> = Promise.resolve();
  /** One start at a time: a command that was aborted during it leaves it to the next. */
  #turn: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(parts: JailParts, maxMemoryMb: number) {
    this.#parts = parts;
    this.#maxMemoryMb = maxMemoryMb;
  }

  /**
   * The jail with these prefixes read-only. One with others is ended first, with all that runs in it: the kernel
   * takes no right from a jail that stands. Throws `WORKSPACE_INVALID` for a prefix that cannot be held, and where
   * something else than was meant is shown.
   */
  async enter(prefixes: readonly string[]): Promise<Jail> {
    const entered = this.#turn.then(() => this.#enter(prefixes));
    this.#turn = entered.catch(() => undefined); // told to who asked
    return await entered;
  }

  async #enter(prefixes: readonly string[]): Promise<Jail> {
    if (this.#isClosed) throw new SandboxError("SANDBOX_DISPOSED", "The sandbox was disposed of.");
    const key = JSON.stringify([...prefixes].sort());
    if (this.#jail !== null && this.#prefixes !== key) await this.kill();
    await this.#leaving;
    if (this.#jail !== null) return this.#jail;
    const launch = jailLaunch(this.#parts, prefixes);
    const started = await spawnWorker({ launch, onStderr: () => undefined });
    let isGone = false;
    void started.exit.then(() => {
      isGone = true;
    });
    const strange = await findStrangeMount(started.outerPid, launch.meant, () => isGone);
    if (strange !== null) {
      started.kill("SIGKILL");
      await started.exit;
      throw new SandboxError(
        "WORKSPACE_INVALID",
        `The path "${strange}" cannot be shown: while the jail was made, something else came to be in its place.`,
        { path: strange },
      );
    }
    started.release();
    const jail: Jail = { process: started, isOverMemory: false };
    this.#jail = jail;
    this.#prefixes = key;
    started.hold(this.#holds > 0);
    const stopWatching = watchTreeMemory(started.outerPid, this.#maxMemoryMb, () => {
      jail.isOverMemory = true;
      started.kill("SIGKILL");
    });
    void started.exit.then(() => {
      stopWatching();
      if (this.#jail === jail) this.#jail = null;
    });
    return jail;
  }

  /** Keeps the host's event loop alive until the function that it returns is called. */
  hold(): () => void {
    if (++this.#holds === 1) this.#jail?.process.hold(true);
    return () => {
      if (--this.#holds === 0) this.#jail?.process.hold(false);
    };
  }

  /** Ends all that runs in it; resolves when it is gone. */
  async kill(): Promise<void> {
    const jail = this.#jail;
    if (jail === null) return;
    this.#jail = null;
    jail.process.kill("SIGKILL");
    const gone = jail.process.exit;
    this.#leaving = gone;
    await gone;
  }

  /** What runs in the background gets SIGTERM, and a moment to leave. */
  async end(graceMs: number): Promise<void> {
    this.#isClosed = true;
    await this.#turn;
    await this.#leaving;
    const jail = this.#jail;
    if (jail === null) return;
    const release = this.hold();
    jail.process.stdin.write("end\n");
    const late = setTimeout(() => jail.process.kill("SIGKILL"), graceMs);
    await jail.process.exit;
    clearTimeout(late);
    release();
  }
}

/** Why a jail that nobody killed is gone. */
export function tellExit({ code, signal, stderrTail }: WorkerExit): string {
  const said = stderrTail.trim().split("\n").at(-1) ?? "";
  const how = signal === null ? `with code ${code}` : `by ${signal}`;
  return `the jail of the shell ended ${how}${said === "" ? "" : `: ${said}`}`;
}
