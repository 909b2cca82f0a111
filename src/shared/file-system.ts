/** The `fs` of a sandbox. Types only. Paths are POSIX paths inside the sandbox; relative ones start at its cwd. */

/** What `stat` and `lstat` tell. */
export interface FileStat {
  readonly isFile: boolean;
  readonly isDirectory: boolean;
  readonly isSymbolicLink: boolean;
  /** Permission bits. */
  readonly mode: number;
  /** Bytes. */
  readonly size: number;
  readonly mtime: Date;
}

/** One entry of a directory. */
export interface DirectoryEntry {
  readonly name: string;
  readonly isFile: boolean;
  readonly isDirectory: boolean;
  readonly isSymbolicLink: boolean;
}

/**
 * Files of a sandbox, with the rights of its mounts. Every method rejects with a `SandboxError` of code
 * `FS_ERROR` whose `data.errno` is the POSIX name (`ENOENT`, `EROFS`, `EISDIR`, …) and `data.path` the path.
 */
export interface SandboxFileSystem {
  /** Reads a file as UTF-8 text. */
  readFile(path: string): Promise<string>;
  readFileBuffer(path: string): Promise<Uint8Array>;
  /** Creates or replaces a file; its directory must exist. Strings are written as UTF-8. */
  writeFile(path: string, content: string | Uint8Array): Promise<void>;
  appendFile(path: string, content: string | Uint8Array): Promise<void>;
  stat(path: string): Promise<FileStat>;
  lstat(path: string): Promise<FileStat>;
  readdir(path: string): Promise<string[]>;
  readdirWithFileTypes(path: string): Promise<DirectoryEntry[]>;
  mkdir(path: string, options?: { recursive?: boolean }): Promise<void>;
  rm(path: string, options?: { recursive?: boolean; force?: boolean }): Promise<void>;
  mv(source: string, destination: string): Promise<void>;
  cp(source: string, destination: string, options?: { recursive?: boolean }): Promise<void>;
  exists(path: string): Promise<boolean>;
  realpath(path: string): Promise<string>;
  chmod(path: string, mode: number): Promise<void>;
  symlink(target: string, linkPath: string): Promise<void>;
  readlink(path: string): Promise<string>;
  /** Paths that match a pattern (`*`, `?`, `[…]`, `**`), sorted. */
  glob(pattern: string, options?: { cwd?: string }): Promise<string[]>;
}
