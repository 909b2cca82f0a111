/** Two states of a tracked tree → what was created, modified and deleted in between. Pure. */
import type { FileChange } from "../shared/file-change.ts";
import type { TreeEntry } from "./tree-entry.ts";

/** State of paths inside the sandbox. */
export type Tree = ReadonlyMap<string, TreeEntry>;

/** What counts as a change. */
export interface DiffOptions {
  /** Report files and directories whose permission bits alone differ as modified. @default false */
  readonly modes?: boolean;
}

/**
 * The changes from one state to another, sorted by path. A file is modified when its content differs, a link
 * when its target does; one kind in the place of another is a deletion and a creation, in this order. Times
 * alone are no change. FIFOs, sockets and devices are never reported.
 */
export function diffTrees(before: Tree, after: Tree, options: DiffOptions = {}): FileChange[] {
  const changes: FileChange[] = [];
  for (const [path, entry] of after) {
    const old = before.get(path);
    if (old === entry) continue;
    if (old === undefined) push(changes, "created", path, entry);
    else if (old.kind !== entry.kind) {
      push(changes, "deleted", path, old);
      push(changes, "created", path, entry);
    } else if (isModified(old, entry, options.modes === true)) push(changes, "modified", path, entry);
  }
  for (const [path, old] of before) if (!after.has(path)) push(changes, "deleted", path, old);
  // Stable, so a deletion stays before the creation at its path.
  return changes.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

/** Whether two states of one path differ in what is reported. */
export function isChange(before: TreeEntry | undefined, after: TreeEntry | undefined): boolean {
  if (before === undefined || after === undefined) return before !== after;
  return before.kind !== after.kind || isModified(before, after, false);
}

function push(changes: FileChange[], change: FileChange["change"], path: string, entry: TreeEntry): void {
  const { kind, size, sha256 } = entry;
  if (kind === "other") return;
  if (change === "deleted" || kind !== "file") changes.push({ change, path, kind });
  else changes.push({ change, path, kind, size, ...(sha256 !== undefined && { sha256 }) });
}

function isModified(old: TreeEntry, entry: TreeEntry, modes: boolean): boolean {
  if (modes && entry.kind !== "symlink" && old.mode !== entry.mode) return true;
  if (entry.kind === "symlink") return old.linkTarget !== entry.linkTarget;
  if (entry.kind !== "file") return false;
  if (old.size !== entry.size) return true;
  if (old.sha256 !== undefined && entry.sha256 !== undefined) return old.sha256 !== entry.sha256;
  // Unreadable at one of the two times: a new ctime is all there is to go by.
  return old.ctimeMs !== entry.ctimeMs;
}
