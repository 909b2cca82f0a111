import { errnoText } from "../../workspace/shell-error.ts";

/** Why a call of the file system failed, in the words of the C library: «Read-only file system». */
export function reasonOf(error: unknown): string {
  const code = codeOf(error);
  if (code !== undefined) return errnoText(code);
  return error instanceof Error ? error.message : String(error);
}

/** The error code of a call of the file system: `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  const hasCode =
    typeof error === "object" && error !== null && "code" in error && typeof error.code === "string";
  return hasCode ? String(error.code) : undefined;
}
