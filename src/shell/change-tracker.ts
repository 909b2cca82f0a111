/**
 * Which command changed which path. Who is about to change a path says so, and waits while it is looked at: what
 * is different from the last look was somebody else's doing. When the command ends, its paths are looked at
 * again, and what is different now is its own. A path belongs to whoever named it last, so a nested command's
 * changes are its own and not the outer one's again; a directory stands for all below it.
 *
 * The names are a hint of a worker that may lie. It cannot make a change look like none, since every state is
 * read from the disk here; what it leaves out differs from the index at the end, and is told as nobody's.
 * An executor that names nothing has everything looked at before and after each of its commands.
 */
import { randomUUID } from "node:crypto";
import type { FileChange } from "../shared/file-change.ts";
import { tellThrown } from "../shared/redact.ts";
import { isBelow, parentOfVirtualPath } from "../shared/virtual-path.ts";
import type { HarnessMount } from "../shared/workspace-spec.ts";
import { driveLook } from "../workspace/drive-look.ts";
import { diffTrees, isChange } from "../workspace/file-changes.ts";
import type { Difference } from "../workspace/tree-entry.ts";
import { type Reading, TreeIndex } from "../workspace/tree-index.ts";
import { waitAtMost } from "./bounded-wait.ts";
import { ChangeFrame, type ToolWindow, toolAt } from "./change-frame.ts";
import type { ChangeJournal, Interrupted } from "./change-journal.ts";
import { Turns } from "./turns.ts";

/** The changes of one command. */
export interface ChangeReport {
  readonly changes: readonly FileChange[];
  /** Why the changes are not known, when the disk could not be looked at. */
  readonly unknown?: string;
}

/** Paths of one command that are looked at one by one; with more, everything is. */
const MAX_TOLD_PATHS = 100_000;
/** How long a command that was killed waits for the looks of others to end. */
const TURN_MS = 100;
/** Up to this many entries, all are looked at after each tool call, which takes up to 5 ms; else after the command. */
const MAX_SMALL_TREE = 500;

/** Begins the ids of calls of `sandbox.fs`. */
export const FS_CALL = "fs:";

/** What a tracker is made of. */
export interface ChangeTrackerOptions {
  readonly mounts: readonly HarnessMount[];
  /** Whether commands name what they are about to change. */
  readonly isTold: boolean;
  readonly journal?: ChangeJournal | undefined;
  /** Told what an earlier host left untold, before anything else is. */
  onRecovered?(command: Interrupted, changes: readonly FileChange[]): void;
}

/** One per sandbox. */
export class ChangeTracker {
  readonly #options: ChangeTrackerOptions;
  readonly #index: TreeIndex | undefined;
  readonly #roots: readonly string[];
  readonly #isTold: boolean;
  /** Commands under way, the youngest last. */
  readonly #open: ChangeFrame[] = [];
  /** Path → who named it last. */
  readonly #owners = new Map<string, ChangeFrame>();
  /** Those who own paths. */
  readonly #active = new Set<ChangeFrame>();
  readonly #nobody = new ChangeFrame("");
  /** Looks pause in between, and each starts from the state that the one before it left. */
  readonly #turns = new Turns();
  #learnt: Promise<void> | undefined;
  #isStopped = false;
  /** Said once, with the first command. */
  #journalProblem: string | undefined;

  constructor(options: ChangeTrackerOptions) {
    const { mounts, isTold } = options;
    this.#options = options;
    const hasTracked = mounts.some(({ tracked }) => tracked);
    this.#index = hasTracked ? new TreeIndex(mounts) : undefined;
    this.#roots = this.#index?.places.roots.map(({ path }) => path) ?? [];
    this.#isTold = isTold;
  }

  /** Whether any mount is tracked: without one nobody needs to know which paths a call touches. */
  get isTracking(): boolean {
    return this.#index !== undefined;
  }

  /** A command starts. The first one waits until it is known what is there. */
  async open(id: string): Promise<ChangeFrame> {
    const frame = new ChangeFrame(id);
    this.#open.push(frame);
    try {
      await this.#learn();
      if (this.#journalProblem !== undefined) frame.problem = this.#journalProblem;
      this.#journalProblem = undefined;
      if (!this.#isTold) await this.#touch(frame, this.#roots);
    } catch (thrown) {
      frame.problem = unreadable(thrown);
    }
    return frame;
  }

  /** A command is about to change these paths. Resolves when it may. */
  async touch(frame: ChangeFrame, paths: readonly string[]): Promise<void> {
    if (this.#index === undefined || frame.isClosing) return;
    frame.told += paths.length;
    if (frame.told > MAX_TOLD_PATHS) return;
    const isNew = paths.some((path) => this.#ownerOf(path) !== frame);
    if (isNew) await this.#touch(frame, paths);
  }

  /** A tool of the command may change files until the promise of the function returned has resolved. */
  startTool(frame: ChangeFrame, toolCallId: string): () => Promise<void> {
    const window: ToolWindow = { toolCallId, startMs: Date.now(), frame: new ChangeFrame("") };
    frame.tools.push(window);
    return async () => {
      window.endMs = Date.now();
      if (this.#index === undefined || this.#index.size > MAX_SMALL_TREE || frame.isClosing) return;
      try {
        await this.#turns.take(() => this.#look(this.#roots, "new", this.#nobody));
        window.isLookedAt = true;
      } catch (thrown) {
        frame.problem = unreadable(thrown);
      }
    };
  }

  /**
   * A command has ended: its changes and those of its tools.
   *
   * @param readWithinMs files that are not read by then are told without a digest
   */
  async close(frame: ChangeFrame, readWithinMs = Number.POSITIVE_INFINITY): Promise<ChangeReport> {
    frame.isClosing = true;
    const settled = this.#settle(frame, performance.now() + readWithinMs);
    try {
      if (readWithinMs === Number.POSITIVE_INFINITY) await settled;
      else if (!(await waitAtMost(settled, readWithinMs + TURN_MS)).inTime) {
        // Behind somebody else's look: what this one would find is told as nobody's.
        frame.isAbandoned = true;
        frame.problem ??= "the files could not be looked at in time";
      }
    } catch (thrown) {
      frame.problem ??= unreadable(thrown);
    }
    if (frame.problem !== undefined) return { changes: [], unknown: frame.problem };
    const byTools = frame.tools.flatMap(({ toolCallId, frame: { changes } }) =>
      changes.map((change) => ({ ...change, toolCallId })),
    );
    const changes = [...frame.changes, ...byTools];
    this.#moveOn(frame, changes);
    return { changes };
  }

  /** A command around this one has its before where this one left it. */
  #moveOn(frame: ChangeFrame, changes: readonly FileChange[]): void {
    const { journal } = this.#options;
    const index = this.#index;
    if (journal === undefined || index === undefined || this.#active.size === 0) return;
    try {
      journal.moved(
        frame.id,
        changes.map(({ path }) => [path, index.entryAt(path) ?? null] as const),
      );
    } catch {
      // A full disk: what is told now may after a crash be told once more, as the outer command's.
    }
  }

  /** Runs an operation of `sandbox.fs` on these paths and tells what it changed, also when it fails. */
  async around<T>(
    paths: readonly string[],
    operation: () => Promise<T>,
    onChanges: (changes: readonly FileChange[], id: string) => void,
  ): Promise<T> {
    if (this.#index === undefined) return await operation();
    const frame = new ChangeFrame(`${FS_CALL}${randomUUID()}`);
    await this.#learn();
    await this.#touch(frame, paths);
    try {
      return await operation();
    } finally {
      onChanges((await this.close(frame)).changes, frame.id);
    }
  }

  /** Compares everything: what differs now, or differed when it was first named, is nobody's. */
  async findUnreported(): Promise<readonly FileChange[]> {
    if (this.#options.journal !== undefined) await this.#learn();
    if (this.#learnt === undefined || !this.#isTold) return [];
    const index = this.#index;
    const mayStop = () => this.#isStopped;
    await this.#turns.take(() => this.#look(this.#roots, "new", this.#nobody, { mayStop }));
    if (index === undefined || this.#isStopped) return [];
    // What a command changed after that was told by then, from the state that nobody had left.
    return this.#nobody.changes
      .filter(({ path }) => !isChange(index.entryAt(path), this.#nobody.stateAt(path)))
      .map((change) => ({ ...change, unreported: true }));
  }

  /** Gives up the last comparison. */
  stop(): void {
    this.#isStopped = true;
  }

  async #learn(): Promise<void> {
    const index = this.#index;
    if (index === undefined) return;
    this.#learnt ??= this.#turns.take(async () => {
      await driveLook(index.learn(), () => false);
      try {
        const { found, problem } = this.#options.journal?.readInterrupted() ?? { found: [] };
        for (const command of found)
          this.#options.onRecovered?.(command, await this.#changesSince(index, command));
        this.#journalProblem = problem;
      } catch (thrown) {
        this.#journalProblem = tellThrown(thrown);
      }
    });
    await this.#learnt;
  }

  async #changesSince(index: TreeIndex, { paths, before }: Interrupted): Promise<FileChange[]> {
    await driveLook(index.look(paths, "all", []), () => false);
    const changes = diffTrees(before, new Map(index.entries(paths)));
    return changes.map((change) => ({ ...change, recovered: true }));
  }

  /** Names owned paths, after what others did there has been told apart. */
  async #touch(frame: ChangeFrame, paths: readonly string[]): Promise<void> {
    await this.#turns.take(async () => {
      await this.#look(paths, "all", this.#nobody, { mayStop: () => frame.isClosing });
      const index = this.#index;
      if (index === undefined) return;
      // Under every name that shows it: what is seen there is this frame's doing too.
      const owned = new Set(paths.flatMap((path) => [path, ...index.namesOf(path)]));
      this.#options.journal?.touch(frame.id, [...owned], index.entries(owned));
      this.#active.add(frame);
      for (const path of owned) {
        if (this.#active.size > 1) this.#disown((owned) => isBelow(owned, path));
        this.#owners.set(path, frame);
      }
    });
  }

  async #settle(frame: ChangeFrame, untilMs: number): Promise<void> {
    if (this.#index === undefined) return;
    await this.#turns.take(async () => {
      const paths = [...this.#owners].filter(([, owner]) => owner === frame).map(([path]) => path);
      const look = (at: readonly string[], otherwise: ChangeFrame) =>
        this.#look(at, "new", otherwise, { untilMs });
      if (paths.length > 0) await look(paths, frame);
      if (frame.told > MAX_TOLD_PATHS) await look(this.#roots, frame);
      else if (frame.tools.length > 0) await look(this.#roots, this.#nobody);
      this.#disown((_path, owner) => owner === frame);
      this.#active.delete(frame);
      const at = this.#open.indexOf(frame);
      if (at >= 0) this.#open.splice(at, 1);
      const outer = this.#open.at(-1);
      if (!this.#isTold && at >= 0 && outer !== undefined)
        for (const root of this.#roots) this.#owners.set(root, outer);
    });
  }

  /** Brings the index up to date and tells each difference to the owner of its path. */
  async #look(
    paths: readonly string[],
    reading: Reading,
    otherwise: ChangeFrame,
    { untilMs, mayStop = () => false }: { readonly untilMs?: number; mayStop?(): boolean } = {},
  ): Promise<void> {
    const differences: Difference[] = [];
    try {
      if (this.#index !== undefined)
        await driveLook(this.#index.look(paths, reading, differences, untilMs), mayStop);
    } finally {
      for (const difference of differences) {
        if (!isChange(difference.before, difference.after)) continue;
        const owner =
          this.#ownerOf(difference.path) ?? toolAt(this.#open, difference.changedAtMs) ?? otherwise;
        (owner.isAbandoned ? this.#nobody : owner).note(difference);
      }
    }
  }

  #ownerOf(path: string): ChangeFrame | undefined {
    for (let at = path; this.#owners.size > 0; at = parentOfVirtualPath(at)) {
      const owner = this.#owners.get(at);
      if (owner !== undefined || at === "/") return owner;
    }
    return undefined;
  }

  #disown(isOver: (path: string, owner: ChangeFrame) => boolean): void {
    for (const [path, owner] of this.#owners) if (isOver(path, owner)) this.#owners.delete(path);
  }
}

function unreadable(thrown: unknown): string {
  return `the tracked mounts cannot be read: ${tellThrown(thrown)}`;
}
