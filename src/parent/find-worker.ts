/** Where the built worker is. Looks at the disk, starts nothing. */
import { existsSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { SandboxError } from "../shared/errors.ts";

const WORKER_FILE = "main.js";

/** A built worker, and which way led to it. */
export interface LocatedWorker {
  /** Its main file, an absolute path. */
  readonly file: string;
  readonly foundBy:
    | "workerPath"
    | "beside the library"
    | "package of the library"
    | "package of the directory";
}

/**
 * The worker's main file, as an absolute path.
 * @throws SandboxError `WORKER_NOT_FOUND` that lists what was tried and what to set.
 */
export function findWorker(workerPath: string | URL | null, from?: string): string {
  return locateWorker(workerPath, from).file;
}

/** The same, with the way. @throws SandboxError as `findWorker`. */
export function locateWorker(
  workerPath: string | URL | null,
  from: string | undefined = import.meta.url,
): LocatedWorker {
  if (workerPath !== null) return { file: named(workerPath), foundBy: "workerPath" };
  const tried: string[] = [];
  for (const { file, foundBy } of candidates(from)) {
    if (file === null) continue;
    if (isFile(file)) return { file, foundBy };
    tried.push(file);
  }
  throw new SandboxError(
    "WORKER_NOT_FOUND",
    `The sandbox worker was not found. Tried: ${tried.join(", ")}. If this application is bundled, keep ` +
      '"@little-stack/harness" external (esbuild and webpack: external; Next.js: serverExternalPackages), or copy ' +
      "the package's dist/worker folder beside the bundle and pass its path as workerPath.",
    { tried },
  );
}

function named(workerPath: string | URL): string {
  const path = resolve(
    workerPath instanceof URL || workerPath.startsWith("file:") ? fileURLToPath(workerPath) : workerPath,
  );
  const file = existsSync(path) && statSync(path).isDirectory() ? join(path, WORKER_FILE) : path;
  if (isFile(file)) return file;
  throw new SandboxError(
    "WORKER_NOT_FOUND",
    `workerPath "${String(workerPath)}" is not there: expected the file dist/worker/${WORKER_FILE} of ` +
      `@little-stack/harness, or the folder that holds it (looked for ${file}).`,
    { tried: [file] },
  );
}

function* candidates(
  from: string | undefined,
): Generator<{ file: string | null; foundBy: LocatedWorker["foundBy"] }> {
  // A bundle as CommonJS has no `import.meta.url`.
  const here = from?.startsWith("file:") ? dirname(fileURLToPath(from)) : null;
  yield { file: here === null ? null : join(here, "worker", WORKER_FILE), foundBy: "beside the library" };
  yield { file: from === undefined ? null : resolvePackage(from), foundBy: "package of the library" };
  yield { file: resolvePackage(join(process.cwd(), "index.js")), foundBy: "package of the directory" };
}

function resolvePackage(from: string): string | null {
  try {
    return createRequire(from).resolve("@little-stack/harness/worker");
  } catch {
    // Not installed where this looks from: the next candidate may be.
    return null;
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
