/** Lines of byte strings, and results that are byte strings. */
import type { ExecResult } from "just-bash";

/** The lines of text or of a byte string without their ends; a last line needs none. */
export function linesOf(bytes: string, end = "\n"): string[] {
  if (bytes === "") return [];
  const lines = bytes.split(end);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Lines with their ends. */
export function joinLines(lines: readonly string[], end: string): string {
  return lines.length === 0 ? "" : lines.join(end) + end;
}

/** Compares byte strings byte by byte. */
export function compareBytes(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A result whose output is a byte string. */
export function byteAnswer(stdout: string, stderr = "", exitCode = stderr === "" ? 0 : 1): ExecResult {
  return { stdout, stdoutKind: "bytes", stderr, exitCode };
}
