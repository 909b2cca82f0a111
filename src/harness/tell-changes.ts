/** What a command changed, in the few lines that a model needs. */
import type { FileChange } from "../shared/file-change.ts";

/** Changed paths that are told; more are counted. */
const MAX_CHANGES = 20;

/** One `git commit` writes dozens of files of its own, which would push out those that the model has to see. */
const GIT_DIRECTORY = /(?:^|\/)\.git(?:\/|$)/;

/** Such as `created /session/a.txt`; then `and 7 more`; then, in one line, what changed below `.git`. */
export function tellChanges(changes: readonly FileChange[]): string[] {
  const own = changes.filter(({ path }) => !GIT_DIRECTORY.test(path));
  const told = own.slice(0, MAX_CHANGES).map(({ change, path }) => `${change} ${path}`);
  const rest = own.length - told.length;
  if (rest > 0) told.push(`and ${rest} more`);
  const ofGit = changes.length - own.length;
  if (ofGit > 0) told.push(`.git: ${ofGit} ${ofGit === 1 ? "change" : "changes"}`);
  return told;
}
