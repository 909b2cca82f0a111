/**
 * Failures of the file system: thrown inside as `Failure`, shown outside as what `createError` makes of
 * it. Nothing else leaves: the host's paths in Node's own errors stop here.
 */
import { libuvTexts } from "./node-fs.ts";
import { errnoText } from "./shell-error.ts";

/** What went wrong, in the sandbox's own terms. */
export interface FsErrorInfo {
  /** POSIX name, for example `"EROFS"`. */
  readonly errno: string;
  /** The call as Node names it, for example `"open"`. */
  readonly syscall: string;
  /** Path inside the sandbox. */
  readonly path: string;
}

/** Makes the error that a caller of the file system sees. */
export type CreateFsError = (info: FsErrorInfo) => Error;

/** The default error: `code` and message as Node's own errors have them, with the sandbox's path. */
export class FsError extends Error {
  /** POSIX name. */
  readonly code: string;
  /** Path inside the sandbox. */
  readonly path: string;

  constructor(info: FsErrorInfo) {
    super(fsErrorMessage(info));
    this.name = "FsError";
    this.code = info.errno;
    this.path = info.path;
  }
}

/** Whether a value is an error of the file system, also one that another `createError` made. */
export function isFsError(value: unknown): value is FsError {
  if (!(value instanceof Error) || !("code" in value) || !("path" in value)) return false;
  return typeof value.path === "string" && typeof value.code === "string" && /^E[A-Z0-9]+$/.test(value.code);
}

/** A failure in Node's words: `ENOENT: no such file or directory, open '/virtual/path'`. */
export function fsErrorMessage({ errno, syscall, path }: FsErrorInfo): string {
  return `${errno}: ${libuvTexts.get(errno) ?? errnoText(errno).toLowerCase()}, ${syscall} '${path}'`;
}

/** Thrown inside the workspace; `path` only when it is another one than the caller asked for. */
export class Failure extends Error {
  readonly errno: string;
  readonly path: string | undefined;

  constructor(errno: string, path?: string) {
    super(errno);
    this.errno = errno;
    this.path = path;
  }
}

// What Node throws of itself, before or without a system call.
const nodeCodes: Readonly<Record<string, string>> = {
  ERR_FS_FILE_TOO_LARGE: "EFBIG",
  ERR_STRING_TOO_LONG: "EFBIG",
  ERR_BUFFER_TOO_LARGE: "EFBIG",
  ERR_ACCESS_DENIED: "EACCES",
  ERR_INVALID_ARG_VALUE: "EINVAL",
  ERR_INVALID_ARG_TYPE: "EINVAL",
  ERR_OUT_OF_RANGE: "EINVAL",
};

/** The POSIX name of anything thrown by Node or by us; `EIO` for what has none. */
export function toErrno(error: unknown): string {
  if (error instanceof Failure) return error.errno;
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  if (typeof code !== "string") return "EIO";
  return nodeCodes[code] ?? (/^E[A-Z0-9]+$/.test(code) ? code : "EIO");
}
