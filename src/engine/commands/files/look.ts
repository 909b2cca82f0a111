/** What the programs for files ask of an entry. */
import type { FsStat, IFileSystem } from "just-bash";
import type { PlaceStat } from "../../../workspace/place-info.ts";

/** An entry as the file system of the workspace tells it, which the engine hands on whole. */
export type Look = FsStat & PlaceStat;

/** Who owns every file. */
export const OWNER = { name: "user", id: 1000 } as const;
/** What the kernel leaves out of the mode of new entries. */
export const UMASK = 0o022;

/** Rejects with the file system's error. */
export async function look(fs: IFileSystem, path: string, follow: boolean): Promise<Look> {
  const entry = (await (follow ? fs.stat(path) : fs.lstat(path))) as Look;
  // The engine hands dates on in a wrapper that Node's own calls do not take for dates.
  const [mtime, atime, ctime] = [entry.mtime, entry.atime, entry.ctime].map(
    (time) => new Date(time.getTime()),
  );
  return { ...entry, mtime: mtime ?? entry.mtime, atime: atime ?? entry.atime, ctime: ctime ?? entry.ctime };
}

/** `null` where nothing can be seen. */
export async function lookIfThere(fs: IFileSystem, path: string, follow: boolean): Promise<Look | null> {
  return look(fs, path, follow).catch(() => null);
}

/** The path of an operand; a slash at its end is kept, because it asks for a directory. */
export function pathOf(fs: IFileSystem, cwd: string, operand: string): string {
  const path = operand === "" ? "" : fs.resolvePath(cwd, operand);
  return operand.endsWith("/") && path !== "/" ? `${path}/` : path;
}

export function isSameFile(a: Look, b: Look): boolean {
  return a.ino === b.ino && a.dev === b.dev;
}

/** One letter, as in `ls -l` (with `-` for files) . */
export function kindLetter({ isFile, isDirectory, isSymbolicLink, isDevice }: Look): string {
  if (isDevice) return "c";
  return isDirectory ? "d" : isSymbolicLink ? "l" : isFile ? "-" : "p";
}

/** `drwxr-xr-x`. */
export function modeText(entry: Look): string {
  return kindLetter(entry) + permissionText(entry.mode);
}

/** `rwxr-xr-x`. */
export function permissionText(mode: number): string {
  const bits = [...(mode & 0o777).toString(2).padStart(9, "0")].map((bit, at) =>
    bit === "1" ? "rwx"[at % 3] : "-",
  );
  const marks: readonly (readonly [number, number, string])[] = [
    [0o4000, 2, "s"],
    [0o2000, 5, "s"],
    [0o1000, 8, "t"],
  ];
  for (const [bit, at, mark] of marks) {
    if ((mode & bit) !== 0) bits[at] = bits[at] === "x" ? mark : mark.toUpperCase();
  }
  return bits.join("");
}

/** Bits of the mode that say what kind of entry it is. */
export function kindBits(entry: Look): number {
  const letter = kindLetter(entry);
  return letter === "d"
    ? 0o040000
    : letter === "l"
      ? 0o120000
      : letter === "c"
        ? 0o020000
        : letter === "p"
          ? 0o010000
          : 0o100000;
}

/** The last part of a path, without slashes at its end. */
export function baseName(path: string): string {
  return (
    path
      .replace(/(?<=.)\/+$/, "")
      .split("/")
      .pop() || "/"
  );
}

/** A name in a directory, as messages show it. */
export function joinShown(directory: string, name: string): string {
  return directory.endsWith("/") ? directory + name : `${directory}/${name}`;
}

/** Whether a person at the prompt said yes; the answer is the next line of standard input. */
export class Answers {
  readonly #lines: string[];

  constructor(stdin: string) {
    this.#lines = stdin === "" ? [] : stdin.split("\n");
  }

  isYes(): boolean {
    return /^[yY]/.test(this.#lines.shift() ?? "");
  }
}
