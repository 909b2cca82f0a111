/** The `fs` of a subprocess sandbox: each call is one request to the worker, which alone touches the mounts. */

import type { ParentRequests } from "../protocol/messages.ts";
import { isSandboxError, SandboxError } from "../shared/errors.ts";
import type { DirectoryEntry, FileStat, SandboxFileSystem } from "../shared/file-system.ts";
import type { WorkerLife } from "./worker-life.ts";

type FsParams = ParentRequests["fs"]["params"];

/** Operations that may be asked again when the worker was killed under them, for another command's sake. */
const REPEATABLE = new Set(["read", "stat", "lstat", "readdir", "exists", "realpath", "readlink", "glob"]);

export function workerFiles(
  life: WorkerLife,
  timeoutMs: number,
  readOnlyPrefixes: () => readonly string[],
): SandboxFileSystem {
  async function ask(
    params: Partial<FsParams> & Pick<FsParams, "op" | "path">,
    content?: Uint8Array,
  ): Promise<Uint8Array> {
    try {
      return await once(params, content);
    } catch (error) {
      if (isSandboxError(error) && error.code === "WORKER_EXITED" && REPEATABLE.has(params.op)) {
        return await once(params, content);
      }
      throw error;
    }
  }

  async function once(
    params: Partial<FsParams> & Pick<FsParams, "op" | "path">,
    content?: Uint8Array,
  ): Promise<Uint8Array> {
    const release = life.hold();
    let timer: NodeJS.Timeout | undefined;
    try {
      const { channel } = await life.connect();
      const call = channel.request(
        "fs",
        {
          other: null,
          recursive: false,
          force: false,
          mode: null,
          readOnlyPrefixes: [...readOnlyPrefixes()],
          ...params,
        },
        content === undefined ? {} : { body: content },
      );
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          void life.kill();
          reject(
            new SandboxError(
              "WORKER_EXITED",
              `fs.${params.op} took longer than ${timeoutMs} ms (timeoutMs).`,
            ),
          );
        }, timeoutMs);
      });
      return (await Promise.race([call, late])).body;
    } finally {
      clearTimeout(timer);
      release();
    }
  }

  const json = async <T>(params: Partial<FsParams> & Pick<FsParams, "op" | "path">): Promise<T> =>
    JSON.parse(new TextDecoder().decode(await ask(params))) as T;
  const stat = async (op: "stat" | "lstat", path: string): Promise<FileStat> => {
    const { mtimeMs, ...rest } = await json<Omit<FileStat, "mtime"> & { mtimeMs: number }>({ op, path });
    return { ...rest, mtime: new Date(mtimeMs) };
  };
  const done = async (
    params: Partial<FsParams> & Pick<FsParams, "op" | "path">,
    content?: Uint8Array,
  ): Promise<void> => {
    await ask(params, content);
  };
  const bytes = (content: string | Uint8Array): Uint8Array =>
    typeof content === "string" ? new TextEncoder().encode(content) : content;

  return {
    // A byte order mark is content.
    readFile: async (path) =>
      new TextDecoder("utf-8", { ignoreBOM: true }).decode(await ask({ op: "read", path })),
    readFileBuffer: (path) => ask({ op: "read", path }),
    writeFile: (path, content) => done({ op: "write", path }, bytes(content)),
    appendFile: (path, content) => done({ op: "append", path }, bytes(content)),
    stat: (path) => stat("stat", path),
    lstat: (path) => stat("lstat", path),
    readdir: async (path) =>
      (await json<DirectoryEntry[]>({ op: "readdir", path })).map((entry) => entry.name),
    readdirWithFileTypes: (path) => json({ op: "readdir", path }),
    mkdir: (path, options) => done({ op: "mkdir", path, recursive: options?.recursive === true }),
    rm: (path, options) =>
      done({ op: "rm", path, recursive: options?.recursive === true, force: options?.force === true }),
    mv: (path, other) => done({ op: "mv", path, other }),
    cp: (path, other, options) => done({ op: "cp", path, other, recursive: options?.recursive === true }),
    exists: (path) => json({ op: "exists", path }),
    realpath: (path) => json({ op: "realpath", path }),
    chmod: (path, mode) => done({ op: "chmod", path, mode }),
    symlink: (target, path) => done({ op: "symlink", path, other: target }),
    readlink: (path) => json({ op: "readlink", path }),
    glob: (path, options) => json({ op: "glob", path, other: options?.cwd ?? null }),
  };
}
