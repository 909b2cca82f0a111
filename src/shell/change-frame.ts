/** What one command, tool call or file call changed, collected look by look. */
import type { FileChange } from "../shared/file-change.ts";
import { diffTrees } from "../workspace/file-changes.ts";
import type { Difference, TreeEntry } from "../workspace/tree-entry.ts";

/** A call of a tool, as far as its files go. */
export interface ToolWindow {
  readonly toolCallId: string;
  readonly startMs: number;
  /** Absent while it runs. */
  endMs?: number;
  /** Everything was looked at when it ended: what is found later is not its doing. */
  isLookedAt?: boolean;
  readonly frame: ChangeFrame;
}

/** The clock of a file system lags behind by up to a tick. */
const TICK_MS = 12;

/** Paths that one of them changed: their state before its first change and after its last one. */
export class ChangeFrame {
  /** As the journal knows it. */
  readonly id: string;
  /** Tool calls of this command that may change files by themselves. */
  readonly tools: ToolWindow[] = [];
  /** Paths that were told; above `MAX_TOLD_PATHS` everything is looked at in the end. */
  told = 0;
  /** Why nothing can be said of its changes. */
  problem?: string;
  /** Its result is out already: what is found for it now is nobody's. */
  isAbandoned = false;
  /** Looks for this frame's sake stop: its command is over. */
  isClosing = false;
  readonly #touched = new Set<string>();
  readonly #before = new Map<string, TreeEntry>();
  readonly #after = new Map<string, TreeEntry>();

  constructor(id: string) {
    this.id = id;
  }

  note({ path, before, after }: Difference): void {
    if (!this.#touched.has(path) && before !== undefined) this.#before.set(path, before);
    this.#touched.add(path);
    if (after === undefined) this.#after.delete(path);
    else this.#after.set(path, after);
  }

  /** After its last change. */
  stateAt(path: string): TreeEntry | undefined {
    return this.#after.get(path);
  }

  /** Sorted by path. */
  get changes(): FileChange[] {
    return diffTrees(this.#before, this.#after);
  }
}

/**
 * Whose tool call ran when a path that nobody had named was changed; of several the one that started last.
 *
 * @param frames commands under way
 */
export function toolAt(frames: readonly ChangeFrame[], changedAtMs: number): ChangeFrame | undefined {
  let found: ToolWindow | undefined;
  for (const { tools } of frames) {
    for (const window of tools) {
      if (window.isLookedAt) continue;
      const isWithin =
        window.startMs - TICK_MS <= changedAtMs && changedAtMs <= (window.endMs ?? Date.now()) + 1;
      if (isWithin && window.startMs >= (found?.startMs ?? 0)) found = window;
    }
  }
  return found?.frame;
}
