/** What the file system refuses a host → a `SandboxError` that says what could not be done. */

import { invalidOption, isRecord, unknownOption } from "../shared/check-options.ts";
import { isSandboxError, SandboxError, type SandboxErrorCode } from "../shared/errors.ts";
import { codeOf } from "../storage/error-code.ts";

/** Throws `OPTION_INVALID` for anything but an object without keys that are not known. */
export function checkKeys(what: string, value: unknown, known: readonly string[]): void {
  if (!isRecord(value)) throw invalidOption(what, "an object");
  const unknown = unknownOption(value, known);
  if (unknown === undefined) return;
  throw new SandboxError(
    "OPTION_INVALID",
    `Unknown option "${unknown}" of ${what}. Known options: ${known.join(", ")}.`,
    { option: unknown },
  );
}

/**
 * An error of the file system, said in words of ours. One that is already ours stays as it is.
 * @param what what could not be done, for example `the session "a" could not be written`
 */
export function storeFailed(
  what: string,
  cause: unknown,
  code: SandboxErrorCode = "STORE_FAILED",
): SandboxError {
  if (isSandboxError(cause)) return cause;
  const errno = codeOf(cause);
  const why = errno === undefined ? "" : ` (${errno})`;
  return new SandboxError(code, `${what}${why}.`, errno === undefined ? {} : { errno }, { cause });
}
