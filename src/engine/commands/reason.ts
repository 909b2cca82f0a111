import { errnoText } from "../../workspace/shell-error.ts";

/** Why a call of the file system failed, in the words of the C library: «Read-only file system». */
export function reasonOf(error: unknown): string {
  if (typeof error === "object" && error !== null && "code" in error && typeof error.code === "string") {
    return errnoText(error.code);
  }
  return error instanceof Error ? error.message : String(error);
}
