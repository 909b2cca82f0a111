/**
 * Errors of the file system, in the one form that the interpreter takes as «this command failed»: a
 * `BadSubstitutionError`, which every pipeline turns into its `stderr` and status 1 while the script goes on.
 * Any other error thrown from a redirect ends the script, and with it the output so far.
 * Commands read `message` and `code`, as they do of Node's own errors.
 */
import { BadSubstitutionError } from "just-bash:errors";
import { type FsErrorInfo, fsErrorMessage } from "../workspace/fs-error.ts";
import { toShellText } from "../workspace/shell-error.ts";

/** Makes the error for one failed file operation; the shape that `MountFs` takes as `createError`. */
export function createShellFsError(info: FsErrorInfo): Error {
  const error = new BadSubstitutionError(info.path, "", `${toShellText(info.path, info.errno)}\n`);
  error.name = "FsError";
  error.message = fsErrorMessage(info);
  return Object.assign(error, { code: info.errno, path: info.path });
}
