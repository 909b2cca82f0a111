/** One `fs` request → one call of the file system. The answer's body is bytes for `read` and JSON otherwise. */
import type { ParentRequests } from "../protocol/messages.ts";
import type { SandboxFileSystem } from "../shared/file-system.ts";

type FsParams = ParentRequests["fs"]["params"];
const encoder = new TextEncoder();

/** Rejects with a `SandboxError` of code `FS_ERROR`, which crosses the wire with its data. */
export async function serveFile(
  files: SandboxFileSystem,
  params: FsParams,
  content: Uint8Array,
): Promise<Uint8Array> {
  const answer = await perform(files, params, content);
  return answer instanceof Uint8Array ? answer : encoder.encode(JSON.stringify(answer ?? null));
}

async function perform(
  files: SandboxFileSystem,
  { op, path, other, recursive, force, mode }: FsParams,
  content: Uint8Array,
): Promise<unknown> {
  switch (op) {
    case "read":
      return files.readFileBuffer(path);
    case "write":
      return files.writeFile(path, content);
    case "append":
      return files.appendFile(path, content);
    case "stat":
    case "lstat": {
      const { mtime, ...rest } = await files[op](path);
      return { ...rest, mtimeMs: mtime.getTime() };
    }
    case "readdir":
      return files.readdirWithFileTypes(path);
    case "mkdir":
      return files.mkdir(path, { recursive });
    case "rm":
      return files.rm(path, { recursive, force });
    case "mv":
      return files.mv(path, required(other));
    case "cp":
      return files.cp(path, required(other), { recursive });
    case "exists":
      return files.exists(path);
    case "realpath":
      return files.realpath(path);
    case "chmod":
      return files.chmod(path, mode ?? 0);
    case "symlink":
      return files.symlink(required(other), path);
    case "readlink":
      return files.readlink(path);
    case "glob":
      return files.glob(path, other === null ? {} : { cwd: other });
  }
}

function required(other: string | null): string {
  if (other === null) throw new Error("the second path is missing");
  return other;
}
