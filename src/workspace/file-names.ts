/** Paths of files that have several: a change of one is a change of all. */
import { inodeKey, type TreeEntry } from "./tree-entry.ts";

export class FileNames {
  readonly #paths = new Map<string, Set<string>>();
  /** Files whose names were looked for, with their number at the time. */
  readonly #searched = new Set<string>();

  note(path: string, entry: TreeEntry): void {
    const key = inodeKey(entry);
    const paths = this.#paths.get(key);
    if (paths === undefined) this.#paths.set(key, new Set([path]));
    else paths.add(path);
  }

  /** The known paths of a file with several, that of `entry` too; none of any other entry. */
  of(entry: TreeEntry | undefined): Iterable<string> {
    return entry !== undefined && hasSeveral(entry) ? (this.#paths.get(inodeKey(entry)) ?? []) : [];
  }

  /**
   * Whether more paths may be known than are noted here, from a time when the file had one only. True once for each
   * number of names: those that lie outside the tree are not looked for again and again.
   */
  mayHaveMore(entry: TreeEntry | undefined): entry is TreeEntry {
    if (entry === undefined || !hasSeveral(entry)) return false;
    const key = inodeKey(entry);
    if ((this.#paths.get(key)?.size ?? 0) >= entry.nlink) return false;
    const search = `${key}:${entry.nlink}`;
    if (this.#searched.has(search)) return false;
    this.#searched.add(search);
    return true;
  }
}

/** Every directory has several links, and one name. */
export function hasSeveral({ kind, nlink }: TreeEntry): boolean {
  return kind === "file" && nlink > 1;
}
