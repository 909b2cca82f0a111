/** Results of programs, and the paths that they are given. */
import type { CommandContext, ExecResult } from "just-bash";

/** A result with text as output. */
export function answer(stdout: string, stderr = "", exitCode = stderr === "" ? 0 : 1): ExecResult {
  return { stdout, stderr, exitCode };
}

/** The path that an operand names; an empty one names nothing. */
export function pathOf({ fs, cwd }: CommandContext, operand: string): string {
  if (operand === "") return "";
  const path = fs.resolvePath(cwd, operand);
  // The slash at the end asks for a directory, which a name made plain no longer does.
  return operand.endsWith("/") && path !== "/" ? `${path}/` : path;
}
