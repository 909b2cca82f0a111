/** Paths that match a pattern, over any file system of a sandbox. */
import type { DirectoryEntry } from "../shared/file-system.ts";
import { joinVirtualPath, resolveVirtualPath } from "../shared/virtual-path.ts";
import { compileNamePattern, hasWildcard, matchesName } from "./name-pattern.ts";

/** What a glob reads. */
export interface GlobSource {
  readdirWithFileTypes(path: string): Promise<DirectoryEntry[]>;
  exists(path: string): Promise<boolean>;
}

/**
 * Paths that match, sorted; relative to `cwd` when the pattern is relative. `*`, `?` and `[…]` match within one
 * name and skip names with a leading dot; `**` as a whole component matches any number of directories, follows no
 * link and skips those with a leading dot. Directories that cannot be read match nothing.
 */
export async function globFiles(source: GlobSource, pattern: string, cwd: string): Promise<string[]> {
  const parts = pattern.split("/").filter((part) => part !== "" && part !== ".");
  const start = pattern.startsWith("/") ? "/" : resolveVirtualPath("/", cwd);
  let found = new Set([start]);
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    const next = new Set<string>();
    for (const directory of found)
      for (const path of await expand(source, directory, part, isLast)) next.add(path);
    found = next;
  }
  const matches: string[] = [];
  for (const path of found) if (path !== start && (await source.exists(path))) matches.push(path);
  const prefix = start === "/" ? "/" : `${start}/`;
  const isRelative = !pattern.startsWith("/");
  return matches
    .map((path) => (isRelative && path.startsWith(prefix) ? path.slice(prefix.length) : path))
    .sort();
}

async function expand(
  source: GlobSource,
  directory: string,
  part: string,
  isLast: boolean,
): Promise<string[]> {
  if (part === "..") return [resolveVirtualPath(directory, "..")];
  if (part === "**") return await allBelow(source, directory, isLast);
  if (!hasWildcard(part)) return [joinVirtualPath(directory, part)];
  const pattern = compileNamePattern(part);
  return (await list(source, directory))
    .filter(({ name }) => matchesName(pattern, name))
    .map(({ name }) => joinVirtualPath(directory, name));
}

/** The directory itself and those below it, and on request all that is in them. */
async function allBelow(source: GlobSource, directory: string, withFiles: boolean): Promise<string[]> {
  const found: string[] = [];
  const pending = [directory];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    found.push(next);
    for (const entry of await list(source, next)) {
      if (entry.name.startsWith(".")) continue;
      const path = joinVirtualPath(next, entry.name);
      if (entry.isDirectory) pending.push(path);
      else if (withFiles) found.push(path);
    }
  }
  return found;
}

async function list(source: GlobSource, directory: string): Promise<DirectoryEntry[]> {
  try {
    return await source.readdirWithFileTypes(directory);
  } catch {
    return []; // not a directory, or not readable: nothing in it matches
  }
}
