/**
 * Which command changed which path, from walks of the tracked mounts. Each start and end of a command is a
 * border; what changed between two borders belongs to the command that started last and is still open, and
 * to nobody when none is. So a nested command's changes are its own and not the outer one's again, and what
 * somebody else did between commands is nobody's. Nested commands that overlap share borders: a change made
 * while two of them run is the younger one's.
 */

import type { FileChange } from "../shared/file-change.ts";
import { tellThrown } from "../shared/redact.ts";
import { isAtOrBelow } from "../shared/virtual-path.ts";
import type { HarnessMount } from "../shared/workspace-spec.ts";
import { diffTrees } from "../workspace/file-changes.ts";
import { type Tree, type TreeEntry, TreeIndex, trackedMounts } from "../workspace/snapshot.ts";

/** The changes of one command. */
export interface ChangeReport {
  readonly changes: readonly FileChange[];
  /** Why the changes are not known, when a walk failed. */
  readonly unknown?: string;
}

/** Paths that one command changed: their state before its first change and after its last one. */
export interface ChangeFrame {
  readonly touched: Set<string>;
  readonly before: Map<string, TreeEntry>;
  readonly after: Map<string, TreeEntry>;
  problem?: string;
}

/** One per sandbox. */
export class ChangeTracker {
  readonly #index: TreeIndex | undefined;
  readonly #open: ChangeFrame[] = [];
  /** Paths that a call of `sandbox.fs` is changing at this moment: no command is blamed for them. */
  readonly #claimed = new Set<readonly string[]>();
  /** Walks pause in between, and each starts from the state that the one before it left. */
  #turn: Promise<unknown> = Promise.resolve();
  #hasWalked = false;

  constructor(mounts: readonly HarnessMount[]) {
    const tracked = trackedMounts(mounts);
    this.#index = tracked.length === 0 ? undefined : new TreeIndex(tracked);
  }

  /** Whether any mount is tracked: without one nobody needs to know which paths a call touches. */
  get isTracking(): boolean {
    return this.#index !== undefined;
  }

  /** A command starts. */
  async open(): Promise<ChangeFrame> {
    const frame: ChangeFrame = { touched: new Set(), before: new Map(), after: new Map() };
    await this.#border(frame, () => this.#open.push(frame));
    return frame;
  }

  /** A command has ended: its changes, sorted by path. */
  async close(frame: ChangeFrame): Promise<ChangeReport> {
    await this.#border(frame, () => this.#open.splice(this.#open.indexOf(frame), 1));
    if (frame.problem !== undefined) return { changes: [], unknown: frame.problem };
    return { changes: diffTrees(frame.before, frame.after) };
  }

  /** Runs an operation of `sandbox.fs` on these paths and tells what it changed, also when it fails. */
  async around<T>(
    paths: readonly string[],
    operation: () => Promise<T>,
    onChanges: (changes: readonly FileChange[]) => void,
  ): Promise<T> {
    const index = this.#index;
    if (index === undefined) return await operation();
    const before = await this.#inTurn(() => {
      this.#attribute(index.tree, index.walkBelow(paths));
      this.#claimed.add(paths);
      return below(index.tree, paths);
    });
    try {
      return await operation();
    } finally {
      await this.#inTurn(() => {
        const after = below(index.walkBelow(paths), paths);
        this.#claimed.delete(paths);
        onChanges(diffTrees(before, after));
      });
    }
  }

  async #border(frame: ChangeFrame, cross: () => unknown): Promise<void> {
    const index = this.#index;
    if (index === undefined) return;
    await this.#inTurn(async () => {
      try {
        const before = index.tree;
        const after = await index.walkInPieces();
        // The first walk only learns what is there.
        if (this.#hasWalked) this.#attribute(before, after);
        this.#hasWalked = true;
      } catch (thrown) {
        frame.problem = `the tracked mounts cannot be read: ${tellThrown(thrown)}`;
      }
      cross();
    });
  }

  #attribute(before: Tree, after: Tree): void {
    const frame = this.#open.at(-1);
    if (frame === undefined || before === after) return;
    const note = (path: string): void => {
      const old = before.get(path);
      const entry = after.get(path);
      // Equal states are the same object.
      if (old === entry || this.#isClaimed(path)) return;
      if (!frame.touched.has(path) && old !== undefined) frame.before.set(path, old);
      frame.touched.add(path);
      if (entry === undefined) frame.after.delete(path);
      else frame.after.set(path, entry);
    };
    for (const path of after.keys()) note(path);
    for (const path of before.keys()) if (!after.has(path)) note(path);
  }

  #isClaimed(path: string): boolean {
    for (const paths of this.#claimed) if (paths.some((claimed) => isAtOrBelow(path, claimed))) return true;
    return false;
  }

  async #inTurn<T>(work: () => T | Promise<T>): Promise<T> {
    const mine = this.#turn.then(work);
    this.#turn = mine.catch(() => undefined); // whoever waits for `mine` gets the failure
    return await mine;
  }
}

function below(tree: Tree, paths: readonly string[]): Tree {
  return new Map([...tree].filter(([path]) => paths.some((above) => isAtOrBelow(path, above))));
}
