/**
 * The sandbox's files as CPython's file system (Emscripten's shape), in place of just-bash's own. That one holds a
 * whole file in memory from open to close, refuses files above 8 MiB, takes a file that it could not read for an
 * empty one and writes that back, finds out at close that it must not write, and knows seven errors. Here each read
 * and write goes to the file at once, and every failure keeps its number.
 *
 * Longer than most files because Emscripten takes a file system as two tables of functions over one state.
 * Runs in the thread of `python3`; the calls wait for the file system of the worker (`worker-files.ts`).
 */
import { PART } from "./file-parts.ts";
import { WASI_ERRNO } from "./wasi-errno.ts";

/** What just-bash's `SyncBackend` gives; failures are thrown with the file system's text. */
export interface Backend {
  lstat(path: string): HostStat;
  readdir(path: string): string[];
  mkdir(path: string, recursive: boolean): void;
  rm(path: string, recursive: boolean, force: boolean): void;
  symlink(target: string, path: string): void;
  link(existing: string, path: string): void;
  readlink(path: string): string;
  chmod(path: string, mode: number): void;
  rename(from: string, to: string): void;
  filePart(part: number, path: string, numbers: readonly number[], bytes?: Uint8Array): Uint8Array;
}

interface HostStat {
  readonly isDirectory: boolean;
  readonly isSymbolicLink: boolean;
  readonly mode: number;
  readonly size: number;
  readonly mtime: Date;
}

interface FileNode {
  readonly id: number;
  name: string;
  parent: FileNode;
  mode: number;
  readonly mount: { readonly opts: { readonly root: string } };
  node_ops: unknown;
  stream_ops: unknown;
  /** The content, once the name of a file that is open was removed. */
  removed?: Uint8Array;
  /** How many streams are open. */
  openCount?: number;
  /** Just made: Emscripten sets the mode that was asked for next. */
  isNew?: boolean;
}

interface FileStream {
  readonly node: FileNode;
  readonly flags: number;
  position: number;
  /** Bytes read ahead, from `start`; good while `changes` is what it was. */
  ahead?: { readonly start: number; readonly bytes: Uint8Array; readonly changes: number };
}

interface Attributes {
  readonly mode?: number;
  readonly size?: number;
  readonly timestamp?: number;
  readonly atime?: number;
  readonly mtime?: number;
}

/** The part of Emscripten's file system that mounts use. */
export interface EmscriptenFs {
  readonly ErrnoError: new (errno: number) => Error;
  createNode(parent: FileNode | null, name: string, mode: number, device?: number): FileNode;
  isDir(mode: number): boolean;
  isFile(mode: number): boolean;
  lookupNode(parent: FileNode, name: string): FileNode;
}

const KIND = { directory: 0o040_000, link: 0o120_000, file: 0o100_000 };
/** Bytes of one crossing between the threads. */
const CROSSING_BYTES = 4 << 20;
const AHEAD_BYTES = 256 << 10;

/** The file system to mount; each name below `opts.root` is the sandbox's name. */
export function createHostFiles(
  backend: Backend,
  FS: EmscriptenFs,
  PATH: { join(...parts: string[]): string },
): object {
  let changes = 0;

  function told<T>(call: () => T): T {
    try {
      return call();
    } catch (error) {
      if (error instanceof FS.ErrnoError) throw error;
      throw new FS.ErrnoError(errnoOf(error));
    }
  }

  function changed<T>(call: () => T): T {
    changes++;
    return told(call);
  }

  function pathOf(node: FileNode): string {
    const parts: string[] = [];
    let at = node;
    for (; at.parent !== at; at = at.parent) parts.push(at.name);
    return PATH.join(at.mount.opts.root, ...parts.reverse());
  }

  const below = (parent: FileNode, name: string): string => PATH.join(pathOf(parent), name);
  const modeOf = (stat: HostStat): number =>
    (stat.mode & 0o7777) | (stat.isDirectory ? KIND.directory : stat.isSymbolicLink ? KIND.link : KIND.file);

  function makeNode(parent: FileNode | null, name: string, mode: number, device?: number): FileNode {
    const node = FS.createNode(parent, name, mode, device);
    node.node_ops = nodeOps;
    node.stream_ops = streamOps;
    return node;
  }

  function readAt(node: FileNode, position: number, length: number): Uint8Array {
    if (node.removed !== undefined) return node.removed.subarray(position, position + length);
    const size = Math.min(length, CROSSING_BYTES);
    return told(() => backend.filePart(PART.read, pathOf(node), [position, size]));
  }

  function sizeOf(node: FileNode): number {
    return node.removed?.length ?? told(() => backend.lstat(pathOf(node)).size);
  }

  /** Keeps the content of an open file whose name goes away, as the kernel would. */
  function keepContent(parent: FileNode, name: string): void {
    const node = told(() => FS.lookupNode(parent, name));
    if ((node.openCount ?? 0) === 0 || !FS.isFile(node.mode)) return;
    const parts: Uint8Array[] = [];
    for (let at = 0, part = readAt(node, 0, CROSSING_BYTES); part.length > 0; ) {
      parts.push(part);
      at += part.length;
      part = readAt(node, at, CROSSING_BYTES);
    }
    const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      whole.set(part, at);
      at += part.length;
    }
    node.removed = whole;
  }

  const nodeOps = {
    getattr(node: FileNode) {
      const stat =
        node.removed === undefined
          ? told(() => backend.lstat(pathOf(node)))
          : { isDirectory: false, isSymbolicLink: false, mode: 0o600, size: 0, mtime: new Date() };
      const size = node.removed?.length ?? stat.size;
      return {
        dev: 1,
        ino: node.id,
        mode: modeOf(stat),
        nlink: node.removed === undefined ? 1 : 0,
        uid: 1000,
        gid: 1000,
        rdev: 0,
        size,
        atime: stat.mtime,
        mtime: stat.mtime,
        ctime: stat.mtime,
        // What Python takes for the size of its buffers.
        blksize: 65_536,
        blocks: Math.ceil(size / 512),
      };
    },
    setattr(node: FileNode, attributes: Attributes) {
      const { mode, size, timestamp } = attributes;
      // What every new file asks for leaves the mode to the umask of the worker.
      const isUsual = node.isNew === true && mode !== undefined && (mode & 0o777) === 0o666;
      if (mode !== undefined) node.isNew = false;
      if (mode !== undefined && !isUsual) {
        changed(() => backend.chmod(pathOf(node), mode & 0o7777));
        node.mode = mode;
      }
      if (size !== undefined) resize(node, size);
      const mtime = attributes.mtime ?? timestamp;
      if (typeof mtime === "number") {
        const atime = attributes.atime ?? mtime;
        changed(() => backend.filePart(PART.times, pathOf(node), [atime, mtime]));
      }
    },
    lookup(parent: FileNode, name: string) {
      return makeNode(
        parent,
        name,
        told(() => modeOf(backend.lstat(below(parent, name)))),
      );
    },
    mknod(parent: FileNode, name: string, mode: number, device?: number) {
      const path = below(parent, name);
      if (!FS.isDir(mode) && !FS.isFile(mode)) throw new FS.ErrnoError(WASI_ERRNO.EPERM ?? 0);
      changed(() => {
        if (!FS.isDir(mode)) backend.filePart(PART.write, path, [0], new Uint8Array(0));
        else {
          backend.mkdir(path, false);
          if ((mode & 0o777) !== 0o777) backend.chmod(path, mode & 0o777);
        }
      });
      const node = makeNode(parent, name, mode, device);
      node.isNew = FS.isFile(mode);
      return node;
    },
    rename(node: FileNode, directory: FileNode, name: string) {
      changed(() => backend.rename(pathOf(node), below(directory, name)));
      node.name = name;
    },
    unlink(parent: FileNode, name: string) {
      keepContent(parent, name);
      changed(() => backend.rm(below(parent, name), false, false));
    },
    rmdir(parent: FileNode, name: string) {
      changed(() => backend.rm(below(parent, name), false, false));
    },
    readdir(node: FileNode) {
      return told(() => backend.readdir(pathOf(node)));
    },
    symlink(parent: FileNode, name: string, target: string) {
      changed(() => backend.symlink(target, below(parent, name)));
    },
    readlink(node: FileNode) {
      return told(() => backend.readlink(pathOf(node)));
    },
  };

  function resize(node: FileNode, size: number): void {
    if (node.removed === undefined) {
      changed(() => backend.filePart(PART.resize, pathOf(node), [size]));
      return;
    }
    const resized = new Uint8Array(size);
    resized.set(node.removed.subarray(0, size));
    node.removed = resized;
  }

  const streamOps = {
    open(stream: FileStream) {
      const { node } = stream;
      if (!FS.isDir(node.mode)) {
        const path = pathOf(node);
        // Asks for the right at once: Python may look at nothing that a later write answers.
        if ((stream.flags & 3) !== 0) told(() => backend.filePart(PART.write, path, [0], new Uint8Array(0)));
        else told(() => backend.filePart(PART.read, path, [0, 0]));
      }
      node.openCount = (node.openCount ?? 0) + 1;
    },
    close({ node }: FileStream) {
      node.openCount = (node.openCount ?? 1) - 1;
    },
    read(stream: FileStream, buffer: Int8Array, offset: number, length: number, position: number) {
      let { ahead } = stream;
      const isAhead =
        ahead?.changes === changes && position >= ahead.start && position < ahead.start + ahead.bytes.length;
      if (ahead === undefined || !isAhead) {
        const bytes = readAt(stream.node, position, Math.max(length, AHEAD_BYTES));
        ahead = { start: position, bytes, changes };
        stream.ahead = ahead;
      }
      const from = position - ahead.start;
      const found = ahead.bytes.subarray(from, from + length);
      buffer.set(found, offset);
      return found.length;
    },
    write({ node }: FileStream, buffer: Int8Array, offset: number, length: number, position: number) {
      const bytes = new Uint8Array(buffer.buffer, buffer.byteOffset + offset, length);
      if (node.removed !== undefined) {
        if (position + length > node.removed.length) resize(node, position + length);
        node.removed.set(bytes, position);
        changes++;
        return length;
      }
      const part = bytes.slice(0, CROSSING_BYTES);
      changed(() => backend.filePart(PART.write, pathOf(node), [position], part));
      return part.length;
    },
    llseek(stream: FileStream, offset: number, whence: number) {
      const start = whence === 1 ? stream.position : whence === 2 ? sizeOf(stream.node) : 0;
      const position = start + offset;
      if (!Number.isSafeInteger(position) || position < 0) throw new FS.ErrnoError(WASI_ERRNO.EINVAL ?? 0);
      return position;
    },
  };

  return {
    mount: () => makeNode(null, "/", KIND.directory | 0o755, 0),
    createNode: makeNode,
    node_ops: nodeOps,
    stream_ops: streamOps,
  };
}

/** Emscripten's number for a failure that the file system told in Node's form. */
export function errnoOf(error: unknown): number {
  const message = error instanceof Error ? error.message : String(error);
  const name = /^(E[A-Z0-9]+): /.exec(message)?.[1] ?? "EIO";
  // The field for a path that crosses between the threads holds 4096 bytes, as a kernel's does.
  const code = message.startsWith("Path too long") ? "ENAMETOOLONG" : name;
  return WASI_ERRNO[code] ?? WASI_ERRNO.EIO ?? 29;
}
