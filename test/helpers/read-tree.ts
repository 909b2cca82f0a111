/** A directory of the host as it is, read whole, and what changed between two readings. */
import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/** Path as the sandbox names it → kind and, for files and links, a digest of what they hold. */
export type TreeReading = ReadonlyMap<string, string>;

export function readTree(
  directory: string,
  shownAs: string,
  found = new Map<string, string>(),
): Map<string, string> {
  for (const name of readdirSync(directory)) {
    const [host, path] = [join(directory, name), `${shownAs}/${name}`];
    const stats = lstatSync(host);
    if (stats.isSymbolicLink()) found.set(path, `symlink ${readlinkSync(host)}`);
    else if (stats.isDirectory()) readTree(host, path, found.set(path, "directory "));
    else found.set(path, `file ${createHash("sha256").update(readFileSync(host)).digest("hex")}`);
  }
  return found;
}

/** One line for each change: what, path, kind, and the digest of a file that is there after it. Sorted. */
export function changesBetween(before: TreeReading, after: TreeReading): string[] {
  const kind = (state = "") => state.slice(0, state.indexOf(" "));
  const lines: string[] = [];
  for (const path of new Set([...before.keys(), ...after.keys()])) {
    const [old, now] = [before.get(path), after.get(path)];
    if (old === now) continue;
    const is = now?.startsWith("file") ? now : kind(now);
    if (old !== undefined && now !== undefined && kind(old) === kind(now))
      lines.push(`modified ${path} ${is}`);
    else {
      if (old !== undefined) lines.push(`deleted ${path} ${kind(old)}`);
      if (now !== undefined) lines.push(`created ${path} ${is}`);
    }
  }
  return lines.sort();
}

/** Reported changes in the form of `changesBetween`. */
export function linesOf(
  changes: readonly { change: string; path: string; kind: string; sha256?: string }[],
): string[] {
  return changes
    .map(({ change, path, kind, sha256 }) =>
      sha256 === undefined ? `${change} ${path} ${kind}` : `${change} ${path} ${kind} ${sha256}`,
    )
    .sort();
}
