/** Answers of the worker about files, from untrusted JSON to typed values; `null` for what has another shape. */
import type { DirectoryEntry, FileStat } from "../shared/file-system.ts";

/** The value of a JSON text; `undefined`, which no JSON text means, when it is none. */
export function parse(json: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(json));
  } catch {
    return undefined;
  }
}

export function toBoolean(value: unknown): boolean | null {
  return typeof value === "boolean" ? value : null;
}

export function toText(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

export function toTexts(value: unknown): string[] | null {
  return Array.isArray(value) && value.every((item) => typeof item === "string") ? value : null;
}

/** A path that starts at the root. */
export function toAbsolutePath(value: unknown): string | null {
  const path = toText(value);
  return path?.startsWith("/") ? path : null;
}

export function toFileStat(value: unknown): FileStat | null {
  const kind = toKind(value);
  if (kind === null) return null;
  const { mode, size, mtimeMs } = value as Record<string, unknown>;
  if (!isCount(mode) || !isCount(size) || typeof mtimeMs !== "number") return null;
  const mtime = new Date(mtimeMs);
  // A date out of range would throw where it is printed.
  return Number.isNaN(mtime.getTime()) ? null : { ...kind, mode, size, mtime };
}

export function toEntries(value: unknown): DirectoryEntry[] | null {
  if (!Array.isArray(value)) return null;
  const entries: DirectoryEntry[] = [];
  for (const item of value as unknown[]) {
    const kind = toKind(item);
    const name = toText((item as { name?: unknown } | null)?.name);
    if (kind === null || name === null || !isName(name)) return null;
    entries.push({ name, ...kind });
  }
  return entries;
}

function toKind(value: unknown): Omit<DirectoryEntry, "name"> | null {
  if (typeof value !== "object" || value === null) return null;
  const { isFile, isDirectory, isSymbolicLink } = value as Record<string, unknown>;
  if (
    typeof isFile !== "boolean" ||
    typeof isDirectory !== "boolean" ||
    typeof isSymbolicLink !== "boolean"
  ) {
    return null;
  }
  return { isFile, isDirectory, isSymbolicLink };
}

/** Hosts join names to directories of their own: a name must not lead anywhere else. */
function isName(name: string): boolean {
  return name !== "" && name !== "." && name !== ".." && !/[/\0]/.test(name);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
