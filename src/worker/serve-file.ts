/** One `fs` request → one call of the file system. The answer's body is bytes for `read` and JSON otherwise. */
import type { ParentRequests } from "../protocol/messages.ts";
import { globFiles } from "../workspace/glob.ts";
import type { MountFs } from "../workspace/mount-fs.ts";

type FsParams = ParentRequests["fs"]["params"];
const encoder = new TextEncoder();

/** Rejects with an error whose `code` is `FS_ERROR` and whose `data` names errno and path. */
export async function serveFile(
  fs: MountFs,
  cwd: string,
  params: FsParams,
  content: Uint8Array,
): Promise<Uint8Array> {
  const absolute = (path: string): string => fs.resolvePath(cwd, path);
  const path = absolute(params.path);
  try {
    const answer = await perform(fs, params, path, absolute, content);
    return answer instanceof Uint8Array ? answer : encoder.encode(JSON.stringify(answer ?? null));
  } catch (error) {
    // What `MountFs` throws carries the POSIX name as `code`, as Node's own errors do.
    const { code: errno, message } = error as { code?: unknown; message: string };
    if (typeof errno !== "string") throw error;
    throw Object.assign(new Error(message), { code: "FS_ERROR", data: { errno, path } });
  }
}

async function perform(
  fs: MountFs,
  { op, other, recursive, force, mode }: FsParams,
  path: string,
  absolute: (path: string) => string,
  content: Uint8Array,
): Promise<unknown> {
  switch (op) {
    case "read":
      return fs.readFileBuffer(path);
    case "write":
      return fs.writeFile(path, content);
    case "append":
      return fs.appendFile(path, content);
    case "stat":
    case "lstat": {
      const { isFile, isDirectory, isSymbolicLink, mode: bits, size, mtime } = await fs[op](path);
      return { isFile, isDirectory, isSymbolicLink, mode: bits & 0o7777, size, mtimeMs: mtime.getTime() };
    }
    case "readdir":
      return fs.readdirWithFileTypes(path);
    case "mkdir":
      return fs.mkdir(path, { recursive });
    case "rm":
      return fs.rm(path, { recursive, force });
    case "mv":
      return fs.mv(path, absolute(required(other)));
    case "cp":
      return fs.cp(path, absolute(required(other)), { recursive });
    case "exists":
      return fs.exists(path);
    case "realpath":
      return fs.realpath(path);
    case "chmod":
      return fs.chmod(path, mode ?? 0);
    case "symlink":
      return fs.symlink(required(other), path);
    case "readlink":
      return fs.readlink(path);
    case "glob":
      return globFiles(fs, path, other === null ? absolute(".") : absolute(other));
  }
}

function required(other: string | null): string {
  if (other === null) throw new Error("the second path is missing");
  return other;
}
