/**
 * Errors of the file system, in the one form that the interpreter takes as «this command failed»: a
 * `BadSubstitutionError`, which every pipeline turns into its `stderr` and status 1 while the script goes on.
 * Any other error thrown from a redirect ends the script, and with it the output so far.
 * Commands read `message` and `code`, as they do of Node's own errors, and print the message of what they do not
 * know: that is then the C library's text, as a shell's user expects it. `nodeText` is for `python3` and `js-exec`.
 */
import { BadSubstitutionError } from "just-bash:errors";
import { type FsErrorInfo, fsErrorMessage } from "../workspace/fs-error.ts";
import { errnoText, toShellText } from "../workspace/shell-error.ts";

/** What the engine's commands look for in a message; what they print of these they put in words of their own. */
const READ_BY_COMMANDS = new Set([
  "ENOENT",
  "EEXIST",
  "EISDIR",
  "ENOTDIR",
  "ENOTEMPTY",
  "EACCES",
  "EPERM",
  "EINVAL",
]);

/** The last failures by path, for commands whose own word says less. Every failure is noted, so none is out of date. */
const failures = new Map<string, FsErrorInfo>();
const MAX_FAILURES = 64;
let latest: FsErrorInfo | undefined;

/** What stopped the last call that failed at this path. */
export function failureAt(path: string): string | undefined {
  return failures.get(path)?.errno;
}

/** The last call that failed. */
export function lastFailure(): FsErrorInfo | undefined {
  return latest;
}

/** What a call can meet that only reads; of a path that is missing none of them is ever noted. */
const MET_BY_READING = new Set(["EOPNOTSUPP", "ELOOP", "EACCES", "ENAMETOOLONG", "EFBIG", "EIO", "ENOTDIR"]);

/** Why the last call failed at a path that ends as a message shows it, where it was not that nothing is there. */
export function readFailureBelow(shown: string): string | undefined {
  const end = shown.replace(/^(\.\/)+/, "");
  const found = [...failures.values()].findLast(({ path }) => path === end || path.endsWith(`/${end}`));
  return found !== undefined && MET_BY_READING.has(found.errno) ? found.errno : undefined;
}

function note(info: FsErrorInfo): void {
  latest = info;
  failures.delete(info.path);
  failures.set(info.path, info);
  const [oldest] = failures.keys();
  if (failures.size > MAX_FAILURES && oldest !== undefined) failures.delete(oldest);
}

/** Makes the error for one failed file operation; the shape that `MountFs` takes as `createError`. */
export function createShellFsError(info: FsErrorInfo): Error {
  note(info);
  const error = new BadSubstitutionError(info.path, "", `${toShellText(info.path, info.errno)}\n`);
  error.name = "FsError";
  error.message = READ_BY_COMMANDS.has(info.errno) ? fsErrorMessage(info) : errnoText(info.errno);
  return Object.assign(error, { code: info.errno, path: info.path, nodeText: fsErrorMessage(info) });
}
