/** The calls of `sandbox.fs` with their arguments checked, whoever does the work: TypeScript's types bind nobody. */
import { SandboxError } from "../shared/errors.ts";
import type { SandboxFileSystem } from "../shared/file-system.ts";

interface Kind {
  readonly expected: string;
  accepts(value: unknown): boolean;
}

const text: Kind = { expected: "a string", accepts: (value) => typeof value === "string" };
const content: Kind = {
  expected: "a string or a Uint8Array",
  // By its tag: a Uint8Array of another realm (vm, Jest) is none of this one.
  accepts: (value) =>
    typeof value === "string" || Object.prototype.toString.call(value) === "[object Uint8Array]",
};
const mode: Kind = {
  expected: "a whole number such as 0o644",
  accepts: (value) => Number.isSafeInteger(value),
};
const options: Kind = {
  expected: "an object",
  accepts: (value) => value === undefined || typeof value === "object",
};
const globOptions: Kind = {
  expected: "an object whose cwd, if any, is a string",
  accepts: (value) => options.accepts(value) && ["string", "undefined"].includes(typeof cwdOf(value)),
};

const ARGUMENTS: { readonly [Name in keyof SandboxFileSystem]: Readonly<Record<string, Kind>> } = {
  readFile: { path: text },
  readFileBuffer: { path: text },
  writeFile: { path: text, content },
  appendFile: { path: text, content },
  stat: { path: text },
  lstat: { path: text },
  readdir: { path: text },
  readdirWithFileTypes: { path: text },
  mkdir: { path: text, options },
  rm: { path: text, options },
  mv: { source: text, destination: text },
  cp: { source: text, destination: text, options },
  exists: { path: text },
  realpath: { path: text },
  chmod: { path: text, mode },
  symlink: { target: text, linkPath: text },
  readlink: { path: text },
  glob: { pattern: text, options: globOptions },
};

/** The names of all calls. */
export const FILE_CALLS: readonly string[] = Object.keys(ARGUMENTS);

/** The same files; a call with an argument of a wrong type rejects with `FS_ERROR` (`EINVAL`) and reaches nothing. */
export function checkedFiles(files: SandboxFileSystem): SandboxFileSystem {
  const calls = files as unknown as Readonly<Record<string, (...values: unknown[]) => Promise<unknown>>>;
  const entries = Object.entries(ARGUMENTS).map(([name, kinds]) => [
    name,
    async (...values: unknown[]) => {
      checkArguments(name, kinds, values);
      return await calls[name]?.(...values);
    },
  ]);
  return Object.fromEntries(entries) as SandboxFileSystem;
}

function checkArguments(
  name: string,
  kinds: Readonly<Record<string, Kind>>,
  values: readonly unknown[],
): void {
  for (const [index, [argument, kind]] of Object.entries(kinds).entries()) {
    const value = values[index];
    if (kind.accepts(value)) continue;
    const path = typeof values[0] === "string" ? values[0] : "";
    throw new SandboxError(
      "FS_ERROR",
      `EINVAL: fs.${name}: ${argument} must be ${kind.expected}, but is ${shown(value)}`,
      { errno: "EINVAL", path, argument },
    );
  }
}

function cwdOf(value: unknown): unknown {
  return (value as { readonly cwd?: unknown } | null | undefined)?.cwd;
}

function shown(value: unknown): string {
  if (value === null || ["undefined", "number", "boolean"].includes(typeof value)) return String(value);
  return Array.isArray(value) ? "an array" : `of type ${typeof value}`;
}
