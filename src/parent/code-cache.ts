/**
 * V8's compiled form of the worker's code, kept between processes: who starts a worker opens the file, looks whose it
 * is and what it holds, and hands it on as an open descriptor that can only be read. A worker never learns where it
 * lies. It is made by a process of its own that runs no guest (`make-code-cache.ts`), once per build and Node.js.
 *
 * What is in it is run as code: a file that another user could have put there or changed is not used.
 */
import { createHash, randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { CODE_CACHE_HEADER_BYTES } from "../protocol/code-cache.ts";
import { buildId } from "./build-id.ts";
import type { Launch } from "./isolation/launch.ts";
import { processLaunch } from "./isolation/process.ts";
import { makePrivateDirectory } from "./make-private-directory.ts";

/** Where the compiled form for one kind of worker lies, and what makes it. */
export interface CodeCache {
  readonly file: string;
  readonly maker: Launch;
}

/** What decides which compiled form fits. */
export interface CodeCacheInput {
  /** An absolute path; made when it is needed. */
  readonly directory: string;
  readonly workerFile: string;
  readonly nodePath: string;
}

const MAKER_FILE = "make-code-cache.js";
/** What is compiled. */
const CORE_FILE = "engine/bundle/chunks/core.cjs";
const FILE_NAME = /^[0-9a-f]{64}\.bin(?:\.[0-9a-f]{16}\.tmp)?$/;
/** Much more than it ever is: what is larger is none. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Files of builds and of versions of Node.js that nobody has used for so long go when a new one comes. */
const MAX_AGE_MS = 30 * 24 * 60 * 60 * 1000;

/** `null` where there is no worker that could be compiled. Looks at the disk, starts nothing. */
export function codeCacheFor({ directory, workerFile, nodePath }: CodeCacheInput): CodeCache | null {
  try {
    const node = realpathSync(nodePath);
    // V8 refuses what another version of it made, but of the code it knows only the length.
    const files = [node, join(dirname(workerFile), CORE_FILE)].map((path) => [path, ...identityOf(path)]);
    const kind = JSON.stringify([buildId, process.arch, files]);
    const name = createHash("sha256").update(kind).digest("hex");
    const makerFile = join(dirname(workerFile), MAKER_FILE);
    const maker = processLaunch({
      workerFile: makerFile,
      nodePath,
      ownNode: true,
      execArgv: [],
      env: {},
      mounts: [],
      network: false,
    });
    return { file: join(directory, `${name}.bin`), maker };
  } catch {
    // No such Node.js: told when the worker is started.
    return null;
  }
}

function identityOf(path: string): number[] {
  const { size, mtimeMs } = statSync(path);
  return [size, mtimeMs];
}

/** Contents that were found whole, so that a file is hashed once per process. */
const known = new Set<string>();

/** An open file whose whole content is what a maker of this user wrote, or `null`. */
export function openCodeCache({ file }: CodeCache): number | null {
  let descriptor: number;
  try {
    if (faultOf(dirname(file)) !== null) return null;
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch {
    return null;
  }
  try {
    const stats = fstatSync(descriptor);
    const { dev, ino, size, mtimeMs, ctimeMs } = stats;
    const identity = JSON.stringify([dev, ino, size, mtimeMs, ctimeMs]);
    const fits = stats.isFile() && stats.nlink === 1 && isOwn(stats) && size > CODE_CACHE_HEADER_BYTES;
    if (fits && size <= MAX_BYTES && (known.has(identity) || isWhole(readFileSync(descriptor)))) {
      known.add(identity);
      return descriptor;
    }
  } catch {
    // It cannot be read: then there is none.
  }
  closeSync(descriptor);
  return null;
}

/** Whether there is one that a worker would get. */
export function hasCodeCache(cache: CodeCache): boolean {
  const descriptor = openCodeCache(cache);
  if (descriptor !== null) closeSync(descriptor);
  return descriptor !== null;
}

/** Keeps what a maker wrote. Throws what the system says. */
export function saveCodeCache({ file }: CodeCache, bytes: Uint8Array): void {
  const directory = dirname(file);
  makePrivateDirectory(directory);
  const fault = faultOf(directory);
  if (fault !== null) throw new Error(`${directory} ${fault}`);
  const temporary = `${file}.${randomBytes(8).toString("hex")}.tmp`;
  try {
    writeFileSync(temporary, Buffer.concat([digestOf(bytes), bytes]), { mode: 0o600, flag: "wx" });
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  removeOld(directory);
}

function removeOld(directory: string): void {
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    const stats = FILE_NAME.test(name) ? lstatSync(path, { throwIfNoEntry: false }) : undefined;
    const usedMs = Math.max(stats?.atimeMs ?? 0, stats?.mtimeMs ?? 0);
    if (stats !== undefined && Date.now() - usedMs > MAX_AGE_MS) rmSync(path, { force: true });
  }
}

function isWhole(content: Buffer): boolean {
  const digest = content.subarray(0, CODE_CACHE_HEADER_BYTES);
  return digest.equals(digestOf(content.subarray(CODE_CACHE_HEADER_BYTES)));
}

function digestOf(bytes: Uint8Array): Buffer {
  return createHash("sha256").update(bytes).digest();
}

/** Why somebody else could put a file there; `null`: nobody can. */
function faultOf(directory: string): string | null {
  const stats = lstatSync(directory);
  if (stats.isSymbolicLink()) return "is a link: expected the directory itself";
  if (!stats.isDirectory()) return "is not a directory";
  return isOwn(stats)
    ? null
    : "is another user's, or others may write to it: expected this user's, mode 0700";
}

/** Windows has no such numbers: there the directory of the user's own profile is what protects it. */
function isOwn({ uid, mode }: { uid: number; mode: number }): boolean {
  const user = process.geteuid?.();
  return user === undefined || (uid === user && (mode & 0o022) === 0);
}
