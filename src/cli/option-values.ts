/** Text of one option → its value, or a `UsageError` that says what was expected. Pure. */
import { posix, resolve } from "node:path";
import { didYouMean, UsageError } from "./usage-error.ts";

/** One `--mount`. */
export interface MountArgument {
  /** As it was typed. */
  readonly text: string;
  /** Absolute path inside the sandbox. */
  readonly path: string;
  /** Absolute directory of the host. */
  readonly backingPath: string;
  readonly access: "rw" | "ro";
}

/** `/in=dir`, `/in=dir:ro`, `/in=dir:rw`. Only a last `:ro` or `:rw` is an access, so a directory may hold colons. */
export function toMount(text: string): MountArgument {
  const separator = text.indexOf("=");
  const path = text.slice(0, Math.max(separator, 0));
  const access = text.endsWith(":ro") ? "ro" : "rw";
  const directory = text.slice(separator + 1).replace(/:(ro|rw)$/, "");
  if (separator < 0 || directory === "")
    throw new UsageError(`--mount takes /path/inside=directory[:ro], not "${text}"`);
  if (!posix.isAbsolute(path))
    throw new UsageError(
      `--mount "${text}": the path inside must start with "/"; did you mean "/${path}=${directory}"?`,
    );
  return { text, path, backingPath: resolve(directory), access };
}

const MS_PER_UNIT: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** `500ms`, `30s`, `1.5m`, `1h` → milliseconds. */
export function toDurationMs(option: string, text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text);
  const amount = Number(match?.[1] ?? Number.NaN);
  const unit = match?.[2];
  if (match === null || !(amount > 0))
    throw new UsageError(`${option} takes a time such as 30s or 500ms, not "${text}"`);
  if (unit === undefined)
    throw new UsageError(`${option} "${text}" has no unit; did you mean "${text}s" or "${text}ms"?`);
  return Math.ceil(amount * (MS_PER_UNIT[unit] ?? 1));
}

const BYTES_PER_UNIT: Readonly<Record<string, number>> = { "": 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

/** `4096`, `64k`, `10m` → bytes. */
export function toBytes(option: string, text: string): number {
  const match = /^(\d+)([kmg]?)$/i.exec(text);
  const bytes = Number(match?.[1] ?? Number.NaN) * (BYTES_PER_UNIT[(match?.[2] ?? "").toLowerCase()] ?? 1);
  if (!Number.isSafeInteger(bytes) || bytes <= 0)
    throw new UsageError(`${option} takes a number of bytes such as 65536, 64k or 10m, not "${text}"`);
  return bytes;
}

/** `NAME=VALUE`. A bare name is refused: nothing of the parent's environment passes without being written out. */
export function toVariable(text: string): readonly [name: string, value: string] {
  const separator = text.indexOf("=");
  const name = separator < 0 ? text : text.slice(0, separator);
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
    throw new UsageError(`--env takes NAME=VALUE; "${name}" is not a name of a variable`);
  if (separator < 0)
    throw new UsageError(
      `--env takes NAME=VALUE; did you mean --env ${text}="$${text}"? (nothing is taken over from outside)`,
    );
  return [name, text.slice(separator + 1)];
}

/** One of a few words. */
export function toChoice<Word extends string>(option: string, text: string, words: readonly Word[]): Word {
  const found = words.find((word) => word === text);
  if (found !== undefined) return found;
  throw new UsageError(`${option} takes ${words.join(", ")}, not "${text}"${didYouMean(text, words)}`);
}

/** Absolute; `null` when the option is not given. */
export function toPath(option: string, value: string | boolean | undefined): string | null {
  if (value === undefined) return null;
  if (typeof value !== "string" || value === "") throw new UsageError(`${option} takes a path`);
  return resolve(value);
}
