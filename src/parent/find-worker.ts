/** Where the built worker is. Looks at the disk, starts nothing. */
import { existsSync, readFileSync, statSync } from "node:fs";
import nodeModule from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { SandboxError } from "../shared/errors.ts";
import { buildId as ownBuildId } from "./build-id.ts";

const WORKER_FILE = "main.js";
// Not written as one word, nor asked for by a named `createRequire`: webpack follows both and would take the whole
// worker, Python and all, into the application's bundle.
const WORKER_ENTRY = ["@little-stack/harness", "worker"].join("/");
/** Lies beside the worker's main file, and beside no `worker/main.js` of an application. */
const BUILD_ID_FILE = "build-id.json";

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

/** Where the search starts. */
export interface SearchStart {
  /** URL of the module that this code is in; a bundle in CommonJS has none. */
  readonly moduleUrl: string | undefined;
  /** The working directory. */
  readonly directory: string;
  /** The build that a worker must be of to be taken unasked; empty: any. */
  readonly buildId: string;
}

/**
 * The worker's main file, as an absolute path.
 * @throws SandboxError `WORKER_NOT_FOUND` that lists what was tried and what to set.
 */
export function findWorker(workerPath: string | URL | null, start?: Partial<SearchStart>): string {
  if (workerPath !== null || start !== undefined) return locateWorker(workerPath, start).file;
  // Each sandbox asks several times. What lies there is still the build of this module, or its hello is refused.
  if (found === null || !isFile(found)) found = locateWorker(null).file;
  return found;
}

/** Of a search from the ordinary start, the last that led anywhere. */
let found: string | null = null;

/**
 * The same, with the way. The order: `workerPath` and nothing else; beside this module; the package as this
 * module sees it; the package as the working directory sees it. What was not named is passed over unless it is
 * a worker of this very build: a folder `worker/` beside a bundle may be the application's own.
 *
 * @throws SandboxError as `findWorker`.
 */
export function locateWorker(
  workerPath: string | URL | null,
  start: Partial<SearchStart> = {},
): LocatedWorker {
  if (workerPath !== null) return { file: named(workerPath), foundBy: "workerPath" };
  const { buildId = ownBuildId } = start;
  const tried: string[] = [];
  for (const { file, foundBy } of candidates({
    moduleUrl: "moduleUrl" in start ? start.moduleUrl : ownUrl(),
    directory: start.directory ?? process.cwd(),
  })) {
    const problem = whyNot(file, buildId);
    if (problem === null) return { file, foundBy };
    const place = `${file} (${problem})`;
    if (!tried.includes(place)) tried.push(place);
  }
  throw new SandboxError(
    "WORKER_NOT_FOUND",
    `The sandbox worker was not found. Tried: ${tried.join(", ")}. If this application is bundled, keep ` +
      '"@little-stack/harness" out of the bundle (esbuild, Rollup, webpack, Rspack: external; Vite: ssr.external; ' +
      "Next.js: serverExternalPackages), or copy the package's folder dist/worker beside the bundle and pass its " +
      "path as workerPath.",
    { tried },
  );
}

/** What the folder of a worker says that it was built from; `null` when it says nothing. */
export function readBuildId(workerFile: string): string | null {
  try {
    const text = readFileSync(join(dirname(workerFile), BUILD_ID_FILE), "utf8");
    const value: unknown = (JSON.parse(text) as { buildId?: unknown }).buildId;
    return typeof value === "string" ? value : null;
  } catch {
    // Not there or not readable as what it is: no worker of ours, as far as its files tell.
    return null;
  }
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

// In CommonJS a bundle has no `import.meta.url`, or one of the machine that made it (webpack), but its file's name.
function ownUrl(): string | undefined {
  try {
    if (typeof __filename === "string") return pathToFileURL(__filename).href;
  } catch {
    // webpack answers the `typeof` while it builds, also for an ES module, which has no such name.
  }
  return import.meta.url;
}

function* candidates({
  moduleUrl,
  directory,
}: Omit<SearchStart, "buildId">): Generator<{ file: string; foundBy: LocatedWorker["foundBy"] }> {
  if (moduleUrl?.startsWith("file:") === true) {
    const file = join(dirname(fileURLToPath(moduleUrl)), "worker", WORKER_FILE);
    yield { file, foundBy: "beside the library" };
    yield { file: resolvePackage(moduleUrl), foundBy: "package of the library" };
  }
  yield { file: resolvePackage(join(directory, "index.js")), foundBy: "package of the directory" };
}

/** The file, or where it was looked for. */
function resolvePackage(from: string): string {
  try {
    return nodeModule.createRequire(from).resolve(WORKER_ENTRY);
  } catch {
    // Not installed where this looks from: the next candidate may be.
    const path = from.startsWith("file:") ? fileURLToPath(from) : from;
    return `@little-stack/harness from ${dirname(path)}`;
  }
}

function whyNot(file: string, buildId: string): string | null {
  if (!isFile(file)) return "not there";
  const own = readBuildId(file);
  if (own === null) return `no worker of this package: no ${BUILD_ID_FILE} beside it`;
  return buildId === "" || own === buildId ? null : `of build ${own}, and this module of ${buildId}`;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
