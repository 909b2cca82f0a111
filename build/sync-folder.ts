import { mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * Makes `to` hold exactly the files of `from`, moving them. A file that is the same stays untouched and each
 * other one is replaced by a rename: who reads `to` meanwhile sees whole files only.
 */
export function syncFolder(from: string, to: string): void {
  const wanted = new Set(filesUnder(from));
  for (const file of wanted) {
    const target = join(to, file);
    if (hasSameBytes(join(from, file), target)) continue;
    mkdirSync(dirname(target), { recursive: true });
    renameSync(join(from, file), target);
  }
  for (const file of filesUnder(to)) if (!wanted.has(file)) rmSync(join(to, file));
  removeEmptyFolders(to);
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

function hasSameBytes(a: string, b: string): boolean {
  try {
    return readFileSync(a).equals(readFileSync(b));
  } catch {
    // `b` is not there, or not a file: then it is to be replaced.
    return false;
  }
}

function removeEmptyFolders(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    const child = join(folder, entry.name);
    removeEmptyFolders(child);
    if (readdirSync(child).length === 0) rmdirSync(child);
  }
}
