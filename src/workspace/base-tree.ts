/**
 * Everything outside the mounts: a small tree in memory, read-only for scripts. The engine fills in its
 * command stubs and `/proc` while it is built.
 */
import { nameOfVirtualPath, parentOfVirtualPath } from "../shared/virtual-path.ts";
import type { Device } from "./devices.ts";

/** An entry outside the mounts. */
export type BaseNode =
  | {
      readonly kind: "directory";
      readonly ino: number;
      readonly names: Set<string>;
      readonly hidden: Set<string>;
    }
  | { readonly kind: "file"; readonly ino: number; readonly bytes: Uint8Array; readonly mode: number }
  | { readonly kind: "device"; readonly ino: number; readonly device: Device };

const directories = [
  "/bin",
  "/dev/fd",
  "/etc",
  "/home/user",
  "/opt",
  "/proc/self/fd",
  "/root",
  "/tmp",
  "/usr/bin",
  "/usr/local/bin",
  "/var/tmp",
];

const files: Readonly<Record<string, string>> = {
  "/etc/group": "root:x:0:\nuser:x:1000:\n",
  "/etc/hostname": "sandbox\n",
  "/etc/hosts": "127.0.0.1\tlocalhost\n",
  "/etc/os-release": 'NAME="little-harness"\nID=little-harness\nPRETTY_NAME="little-harness sandbox"\n',
  "/etc/passwd": "root:x:0:0:root:/root:/bin/bash\nuser:x:1000:1000:user:/home/user:/bin/bash\n",
};

const encoder = new TextEncoder();

/** The tree outside the mounts. Paths are normalised. */
export class BaseTree {
  /** Modification time of everything in it. */
  mtime = new Date();
  readonly #nodes = new Map<string, BaseNode>();
  #lastIno = 1;

  constructor() {
    this.#nodes.set("/", { kind: "directory", ino: 1, names: new Set(), hidden: new Set() });
    for (const path of directories) this.addDirectory(path);
    for (const [path, text] of Object.entries(files)) this.addFile(path, text);
  }

  get(path: string): BaseNode | undefined {
    return this.#nodes.get(path);
  }

  /** Adds a directory and those above it; what is there already stays. */
  addDirectory(path: string, hidden = false): void {
    if (this.#nodes.has(path)) return;
    this.#add(path, { kind: "directory", ino: ++this.#lastIno, names: new Set(), hidden: new Set() }, hidden);
  }

  /** Adds or replaces a file. A device or directory at the path stays as it is. */
  addFile(path: string, content: string | Uint8Array): void {
    const there = this.#nodes.get(path)?.kind;
    if (there === "device" || there === "directory") return;
    const bytes = typeof content === "string" ? encoder.encode(content) : content.slice();
    const isCommand = /^\/(usr\/)?bin\//.test(path);
    this.#add(path, { kind: "file", ino: ++this.#lastIno, bytes, mode: isCommand ? 0o755 : 0o644 });
  }

  /**
   * Puts a device at a path, over whatever was there; the function returned takes it away again. Directories
   * that it needs are made, and go with it when it is hidden and was the last in them.
   */
  addDevice(path: string, device: Device): () => void {
    const before = this.#nodes.get(path);
    const node: BaseNode = { kind: "device", ino: ++this.#lastIno, device };
    this.#add(path, node, device.hidden === true);
    return () => {
      if (this.#nodes.get(path) !== node) return;
      if (before === undefined) this.#remove(path);
      else this.#add(path, before, before.kind === "device" && before.device.hidden === true);
    };
  }

  #add(path: string, node: BaseNode, hidden = false): void {
    const parent = parentOfVirtualPath(path);
    this.addDirectory(parent, hidden);
    const directory = this.#nodes.get(parent);
    if (directory?.kind === "directory") {
      const name = nameOfVirtualPath(path);
      (hidden ? directory.names : directory.hidden).delete(name);
      (hidden ? directory.hidden : directory.names).add(name);
    }
    this.#nodes.set(path, node);
  }

  #remove(path: string): void {
    this.#nodes.delete(path);
    const parent = parentOfVirtualPath(path);
    const name = nameOfVirtualPath(path);
    const directory = this.#nodes.get(parent);
    if (directory?.kind !== "directory") return;
    directory.names.delete(name);
    const wasHidden = directory.hidden.delete(name);
    if (wasHidden && directory.names.size + directory.hidden.size === 0) this.#remove(parent);
  }

  /** Names in a directory, sorted; hidden devices are left out. */
  namesIn(path: string): string[] {
    const node = this.#nodes.get(path);
    return node?.kind === "directory" ? [...node.names].sort() : [];
  }
}
