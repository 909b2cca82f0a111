/** What a check of the workspace says of a place in it → the same of the option that the caller wrote. */
import { isSandboxError, SandboxError } from "../shared/errors.ts";

/**
 * The error with the place that its message begins with renamed, code and data as they were; any other error as it is.
 *
 * @param nameOf The option's name, or `undefined` for a place that has none.
 */
export function nameOption(error: unknown, nameOf: (place: string) => string | undefined): unknown {
  if (!isSandboxError(error) || error.code !== "WORKSPACE_INVALID") return error;
  const end = error.message.indexOf(": expected ");
  const name = end < 0 ? undefined : nameOf(error.message.slice(0, end));
  if (name === undefined) return error;
  return new SandboxError(error.code, name + error.message.slice(end), error.data, { cause: error.cause });
}
