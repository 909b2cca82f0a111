/** The `fs` of a subprocess sandbox: each call is one request to the worker, which alone touches the mounts. */

import { CallFailure } from "../protocol/call-failure.ts";
import { MAX_FILE_ANSWER_BYTES, MAX_SMALL_ANSWER_BYTES, type ParentRequests } from "../protocol/messages.ts";
import { asciiText } from "../shared/ascii-text.ts";
import { isSandboxError, SandboxError } from "../shared/errors.ts";
import type { FileStat, SandboxFileSystem } from "../shared/file-system.ts";
import { tellThrown } from "../shared/redact.ts";
import { parse, toAbsolutePath, toBoolean, toEntries, toFileStat, toText, toTexts } from "./file-answers.ts";
import type { WorkerLife } from "./worker-life.ts";

type FsParams = ParentRequests["fs"]["params"];
type FsCall = Partial<FsParams> & Pick<FsParams, "op" | "path">;

/** Operations that may be asked again when the worker was killed under them, for another command's sake. */
const REPEATABLE = new Set(["read", "stat", "lstat", "readdir", "exists", "realpath", "readlink", "glob"]);

/** Operations whose answer grows with what is there. */
const LISTS = new Set(["readdir", "glob"]);

function maxAnswerBytes(op: FsParams["op"]): number {
  return LISTS.has(op) ? MAX_FILE_ANSWER_BYTES : MAX_SMALL_ANSWER_BYTES;
}

export function workerFiles(
  life: WorkerLife,
  timeoutMs: number,
  readOnlyPrefixes: () => readonly string[],
): SandboxFileSystem {
  async function ask(params: FsCall, content?: Uint8Array): Promise<Uint8Array> {
    const deadlineMs = performance.now() + timeoutMs;
    try {
      return await once(params, content, deadlineMs);
    } catch (error) {
      if (isSandboxError(error) && error.code === "WORKER_EXITED" && REPEATABLE.has(params.op)) {
        return await once(params, content, deadlineMs);
      }
      throw error;
    }
  }

  async function once(
    params: FsCall,
    content: Uint8Array | undefined,
    deadlineMs: number,
  ): Promise<Uint8Array> {
    const release = life.hold();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        void life.kill();
        const why = `fs.${params.op} took longer than ${timeoutMs} ms (timeoutMs).`;
        reject(new SandboxError("WORKER_START_TIMEOUT", why));
      }, deadlineMs - performance.now());
    });
    try {
      return (await Promise.race([request(params, content), late])).body;
    } catch (error) {
      throw error instanceof CallFailure ? toFsError(error, params.path) : error;
    } finally {
      clearTimeout(timer);
      release();
    }
  }

  async function request(params: FsCall, content: Uint8Array | undefined): Promise<{ body: Uint8Array }> {
    const { channel } = await life.connect();
    return await channel.request(
      "fs",
      {
        other: null,
        recursive: false,
        force: false,
        mode: null,
        readOnlyPrefixes: [...readOnlyPrefixes()],
        ...params,
      },
      {
        ...(content === undefined ? {} : { body: content }),
        ...(params.op === "read" ? {} : { maxAnswerBytes: maxAnswerBytes(params.op) }),
      },
    );
  }

  const answer = async <T>(params: FsCall, read: (value: unknown) => T | null): Promise<T> => {
    const value = read(parse(await ask(params)));
    if (value !== null) return value;
    const why = new SandboxError(
      "PROTOCOL_BROKEN",
      `The worker's answer to fs.${params.op} has the wrong shape.`,
    );
    life.condemn(why);
    throw why;
  };
  const stat = (op: "stat" | "lstat", path: string): Promise<FileStat> => answer({ op, path }, toFileStat);
  const done = async (params: FsCall, content?: Uint8Array): Promise<void> => {
    await ask(params, content);
  };
  const bytes = (content: string | Uint8Array): Uint8Array =>
    typeof content === "string" ? new TextEncoder().encode(content) : content;

  return {
    // A byte order mark is content.
    readFile: async (path) => {
      const content = await ask({ op: "read", path });
      return asciiText(content) ?? new TextDecoder("utf-8", { ignoreBOM: true }).decode(content);
    },
    readFileBuffer: (path) => ask({ op: "read", path }),
    writeFile: (path, content) => done({ op: "write", path }, bytes(content)),
    appendFile: (path, content) => done({ op: "append", path }, bytes(content)),
    stat: (path) => stat("stat", path),
    lstat: (path) => stat("lstat", path),
    readdir: async (path) => (await answer({ op: "readdir", path }, toEntries)).map(({ name }) => name),
    readdirWithFileTypes: (path) => answer({ op: "readdir", path }, toEntries),
    mkdir: (path, options) => done({ op: "mkdir", path, recursive: options?.recursive === true }),
    rm: (path, options) =>
      done({ op: "rm", path, recursive: options?.recursive === true, force: options?.force === true }),
    mv: (path, other) => done({ op: "mv", path, other }),
    cp: (path, other, options) => done({ op: "cp", path, other, recursive: options?.recursive === true }),
    exists: (path) => answer({ op: "exists", path }, toBoolean),
    realpath: (path) => answer({ op: "realpath", path }, toAbsolutePath),
    chmod: (path, mode) => done({ op: "chmod", path, mode }),
    symlink: (target, path) => done({ op: "symlink", path, other: target }),
    readlink: (path) => answer({ op: "readlink", path }, toText),
    glob: (path, options) => answer({ op: "glob", path, other: options?.cwd ?? null }, toTexts),
  };
}

/** What the worker says of a failed call: its words are checked, its code is one of ours or none. */
function toFsError(failure: CallFailure, path: string): SandboxError {
  const { code, data } = failure;
  const errno = data?.errno;
  // Failures of files speak of the sandbox's paths; any other is an error of the worker's own, with the host's.
  const message = code === "FS_ERROR" ? failure.message : tellThrown(failure);
  const known = typeof errno === "string" && /^E[A-Z0-9]{1,20}$/.test(errno) ? errno : "EIO";
  return new SandboxError("FS_ERROR", message.slice(0, 2_000), { errno: known, path });
}
