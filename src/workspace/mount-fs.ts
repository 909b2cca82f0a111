/**
 * The workspace as one file system: mounts with their rights, devices, and a read-only tree around them.
 * Shaped like just-bash's `IFileSystem`, so the engine takes it as it is; a host may call it directly too.
 *
 * Border: paths and content come from scripts and are not trusted. Every path goes through `walk`, every change
 * through `WriteGuard`, and every failure leaves through `#shown`, which knows the sandbox's paths only.
 * What a method does is one synchronous step: no other call can come between a check and its use. A change that
 * must be told first is told, and then begun anew with all its checks.
 * Longer than most files because the engine's interface is one class; what it does lies in the files around it.
 */
import type { DirectoryEntry } from "../shared/file-system.ts";
import { isAtOrBelow, resolveVirtualPath } from "../shared/virtual-path.ts";
import type { HarnessMount } from "../shared/workspace-spec.ts";
import { BaseTree } from "./base-tree.ts";
import { type EncodingOption, encodingOf, MAX_TEXT_LENGTH, toBytes, toPieces, toText } from "./content.ts";
import { copyTree, namesIn } from "./copy-tree.ts";
import { builtInDevices, type Device } from "./devices.ts";
import { type CreateFsError, Failure, FsError, toErrno } from "./fs-error.ts";
import {
  createHostFile,
  NOT_REGULAR,
  openHostFilePieces,
  readHostFile,
  readHostFilePart,
  resizeHostFile,
  writeHostFile,
  writeHostFilePart,
} from "./host-file.ts";
import type { HostPath } from "./host-path.ts";
import { changeMode, changeTimes, makeDirectory, makeHardLink, makeLink } from "./make-entry.ts";
import { MountTable } from "./mount-table.ts";
import { movePath } from "./move.ts";
import {
  type ExistingPlace,
  existing,
  hostOfMissing,
  isDirectory,
  isLink,
  type Place,
  readLinkTarget,
  type WalkScope,
  walk,
} from "./path-walk.ts";
import { entriesOf, type PlaceStat, statOf } from "./place-info.ts";
import { type RemoveOptions, removePath } from "./remove-tree.ts";
import { type TouchLog, Untold } from "./touch-log.ts";
import { WriteGuard, WriteLedger } from "./write-guard.ts";

/** What a `MountFs` is made from. */
export interface MountFsOptions {
  readonly mounts: readonly HarnessMount[];
  /** Makes the errors that callers see. @default an `FsError` */
  readonly createError?: CreateFsError;
  /**
   * Bytes that may be written until `forgetWrittenBytes`, 4096 more for each entry created; above it writes fail
   * with `EDQUOT`. @default no limit
   */
  readonly maxWriteBytes?: number;
}

/** What the views of one file system share. */
interface Shared {
  readonly table: MountTable;
  readonly base: BaseTree;
  readonly ledger: WriteLedger;
  readonly createError: CreateFsError;
  isSealed: boolean;
  lastNumber: number;
}

/** A range of a file, in bytes. */
export interface FilePart {
  readonly offset: number;
  readonly length: number;
}

/** Takes a file piece by piece. A piece is to be used before the promise resolves: its buffer is filled anew. */
export interface FilePieces {
  take(piece: Uint8Array): Promise<void>;
}

/**
 * Where a write goes that does not replace the content: over what is there; nowhere, to give the file a size; or
 * into a file that must not be there yet, which gets the mode given less the umask.
 */
export type WritePlace =
  | { readonly offset: number }
  | { readonly size: number }
  | { readonly newWithMode: number };

/** One sandbox's file system. */
export class MountFs {
  readonly #options: MountFsOptions;
  readonly #shared: Shared;
  readonly #scope: WalkScope;
  readonly #base: BaseTree;
  readonly #table: MountTable;
  readonly #guard: WriteGuard;
  readonly #touched: TouchLog | undefined;

  /** Throws an `Error` that names the mount whose backing path is not an existing directory. */
  constructor(options: MountFsOptions, view?: { readonly shared: Shared; readonly touched: TouchLog }) {
    this.#options = options;
    this.#shared = view?.shared ?? {
      table: new MountTable(options.mounts),
      base: new BaseTree(),
      ledger: new WriteLedger(options.maxWriteBytes ?? Number.POSITIVE_INFINITY),
      createError: options.createError ?? ((info) => new FsError(info)),
      isSealed: false,
      lastNumber: 0,
    };
    this.#table = this.#shared.table;
    this.#base = this.#shared.base;
    this.#scope = this.#shared;
    this.#touched = view?.touched;
    this.#guard = new WriteGuard(this.#table, this.#shared.ledger, this.#touched);
    if (view !== undefined) return;
    for (const [path, device] of Object.entries(builtInDevices)) this.#base.addDevice(path, device);
    this.setReadOnlyPrefixes([]);
  }

  /** The same file system for somebody whose changes are told beforehand. */
  view(touched: TouchLog): MountFs {
    return new MountFs(this.#options, { shared: this.#shared, touched });
  }

  // ---- set up by the host

  /** Sets the read-only prefixes that come on top of those of the mounts; replaces the ones set before. */
  setReadOnlyPrefixes(paths: readonly string[]): void {
    const prefixes = paths.map((path) => resolveVirtualPath("/", path));
    this.#table.setReadOnlyPrefixes(prefixes, (prefix) => {
      try {
        return walk(this.#scope, prefix, true).path;
      } catch {
        return undefined; // leads nowhere: its own text is protected all the same
      }
    });
  }

  /**
   * For a file system that was made before its workspace was known: these mounts and this limit from now on, as if
   * it was made now. Throws as the constructor does.
   */
  setMounts(mounts: readonly HarnessMount[], maxWriteBytes: number): void {
    this.#table.replaceMounts(mounts);
    this.#shared.ledger.maxWriteBytes = maxWriteBytes;
    this.#base.mtime = new Date();
    this.setReadOnlyPrefixes([]);
  }

  /** A number that no other caller gets: each shell names its devices by one. */
  nextNumber(): number {
    return ++this.#shared.lastNumber;
  }

  /** Puts a device at an absolute path outside the mounts; the function returned takes it away again. */
  addDevice(path: string, device: Device): () => void {
    return this.#base.addDevice(resolveVirtualPath("/", path), device);
  }

  /** Begins to count towards `maxWriteBytes` from zero. */
  forgetWrittenBytes(): void {
    this.#shared.ledger.writtenBytes = 0;
  }

  /** For the engine while it is built: adds a directory outside the mounts. Below a mount it does nothing. */
  mkdirSync(path: string, _options?: { recursive?: boolean }): void {
    this.#fill("mkdir", path, (at) => this.#base.addDirectory(at));
  }

  /** For the engine while it is built: adds a file outside the mounts. Devices and mounts stay as they are. */
  writeFileSync(path: string, content: string | Uint8Array): void {
    this.#fill("open", path, (at) => this.#base.addFile(at, content));
  }

  /** Ends the filling of the tree outside the mounts: `mkdirSync` and `writeFileSync` fail with `EROFS` then. */
  sealBase(): void {
    this.#shared.isSealed = true;
  }

  // ---- content

  /** The content as text; under the default encoding what is not UTF-8 is escaped, and comes back when it is written. */
  async readFile(path: string, options?: EncodingOption): Promise<string> {
    const bytes = await this.#read(path, MAX_TEXT_LENGTH);
    return this.#run("read", path, () => toText(bytes, encodingOf(options)));
  }

  /** The content with one byte per character. */
  async readFileBytes(path: string): Promise<string> {
    return this.readFile(path, "latin1");
  }

  /**
   * With a `part`: at most `length` bytes from `offset`, fewer at the end of the file. With `pieces`: what was not
   * handed out, which is nothing for a file in a mount.
   */
  async readFileBuffer(path: string, part?: FilePart | FilePieces): Promise<Uint8Array> {
    if (part === undefined) return this.#read(path, Number.POSITIVE_INFINITY);
    return "take" in part ? this.#readPieces(path, part) : this.#readPart(path, part);
  }

  /** Creates or replaces a file; mode and hard links of one that is there stay. A `place` leaves the rest as it is. */
  async writeFile(
    path: string,
    content: string | Uint8Array,
    options?: EncodingOption,
    place?: WritePlace,
  ): Promise<void> {
    if (place === undefined) await this.#write(path, content, options, false);
    else if ("size" in place) await this.#resize(path, place.size);
    else if ("newWithMode" in place)
      await this.#create(path, toBytes(content, encodingOf(options)), place.newWithMode);
    else await this.#writePart(path, toBytes(content, encodingOf(options)), place.offset);
  }

  async appendFile(path: string, content: string | Uint8Array, options?: EncodingOption): Promise<void> {
    await this.#write(path, content, options, true);
  }

  // ---- what is there

  /** False for whatever cannot be reached, for any reason. */
  async exists(path: string): Promise<boolean> {
    try {
      return walk(this.#scope, path, true).in !== "nowhere";
    } catch {
      return false; // the question has no third answer
    }
  }

  async stat(path: string): Promise<PlaceStat> {
    return this.#run("stat", path, () => statOf(this.#existing(path, true), this.#base.mtime));
  }

  async lstat(path: string): Promise<PlaceStat> {
    return this.#run("lstat", path, () => statOf(this.#existing(path, false), this.#base.mtime));
  }

  /** Names, sorted by code units. */
  async readdir(path: string): Promise<string[]> {
    return this.#run("scandir", path, () => namesIn(this.#scope, this.#directory(path)));
  }

  async readdirWithFileTypes(path: string): Promise<DirectoryEntry[]> {
    return this.#run("scandir", path, () => entriesOf(this.#scope, this.#directory(path)));
  }

  async readlink(path: string): Promise<string> {
    return this.#run("readlink", path, () => {
      const place = this.#existing(path, false);
      if (!isLink(place)) throw new Failure("EINVAL");
      return readLinkTarget(this.#table, place);
    });
  }

  async realpath(path: string): Promise<string> {
    return this.#run("realpath", path, () => this.#existing(path, true).path);
  }

  /** Joins and normalises by text alone. */
  resolvePath(base: string, path: string): string {
    return resolveVirtualPath(base, path);
  }

  /** Empty: the engine lists directories where this says nothing. */
  getAllPaths(): string[] {
    return [];
  }

  // ---- changes of entries

  async mkdir(path: string, options: { recursive?: boolean | undefined } = {}): Promise<void> {
    await this.#change("mkdir", path, () =>
      makeDirectory(this.#scope, this.#guard, path, options.recursive === true),
    );
  }

  async rm(path: string, options: RemoveOptions = {}): Promise<void> {
    await this.#change("rm", path, () => removePath(this.#scope, this.#guard, path, options));
  }

  /** Copies; links inside a tree as links, the named source itself only when `recursive`. */
  async cp(
    source: string,
    destination: string,
    options: { recursive?: boolean | undefined } = {},
  ): Promise<void> {
    const recursive = options.recursive === true;
    const from = this.#run("cp", source, () => this.#existing(source, !recursive));
    const to = this.#run("cp", destination, () => walk(this.#scope, destination, true));
    if (deviceAt(from) !== undefined || deviceAt(to) !== undefined) {
      await this.writeFile(destination, await this.readFileBuffer(source));
      return;
    }
    await this.#change("cp", source, () => {
      const source = walk(this.#scope, from.path, false);
      copyTree(this.#scope, this.#guard, existing(source), destination, { recursive, exact: false });
    });
  }

  async mv(source: string, destination: string): Promise<void> {
    await this.#change("rename", source, () => movePath(this.#scope, this.#guard, source, destination));
  }

  /** Set-user-id and set-group-id are left out: no script can make a file that runs as its owner. */
  async chmod(path: string, mode: number): Promise<void> {
    await this.#change("chmod", path, () => changeMode(this.#guard, this.#existing(path, true), mode));
  }

  /** The target is stored as given and means a path of the sandbox, also when it is absolute. */
  async symlink(target: string, linkPath: string): Promise<void> {
    await this.#change("symlink", linkPath, () => makeLink(this.#scope, this.#guard, target, linkPath));
  }

  /** A hard link; `EXDEV` between mounts. */
  async link(existingPath: string, newPath: string): Promise<void> {
    await this.#change("link", newPath, () =>
      makeHardLink(this.#scope, this.#guard, this.#existing(existingPath, false), newPath),
    );
  }

  async utimes(path: string, atime: Date, mtime: Date): Promise<void> {
    await this.#change("utime", path, () =>
      changeTimes(this.#guard, this.#existing(path, true), atime, mtime),
    );
  }

  // ---- inside

  async #read(path: string, maxBytes: number): Promise<Uint8Array> {
    const place = this.#run("open", path, () => this.#existing(path, true));
    const device = deviceAt(place);
    if (device !== undefined) {
      try {
        return (await device.read?.()) ?? new Uint8Array(0);
      } catch (error) {
        throw this.#shown(error, "read", path);
      }
    }
    return this.#run("read", path, () => {
      if (isDirectory(place)) throw new Failure("EISDIR");
      if (place.in === "mount") {
        if (!place.stats.isFile()) throw new Failure(NOT_REGULAR);
        return readHostFile(place.host, maxBytes);
      }
      return place.node.kind === "file" ? place.node.bytes.slice() : new Uint8Array(0);
    });
  }

  async #readPart(path: string, { offset, length }: FilePart): Promise<Uint8Array> {
    const place = this.#run("open", path, () => this.#existing(path, true));
    const device = deviceAt(place);
    if (device?.readPart !== undefined) return device.readPart(length);
    if (place.in !== "mount")
      return (await this.#read(path, MAX_TEXT_LENGTH)).subarray(offset, offset + length);
    return this.#run("read", path, () => {
      if (isDirectory(place)) throw new Failure("EISDIR");
      if (!place.stats.isFile()) throw new Failure(NOT_REGULAR);
      return readHostFilePart(place.host, offset, length);
    });
  }

  async #readPieces(path: string, pieces: FilePieces): Promise<Uint8Array> {
    const place = this.#run("open", path, () => this.#existing(path, true));
    if (place.in !== "mount" || !place.stats.isFile()) return this.#read(path, MAX_TEXT_LENGTH);
    const { host } = place;
    const file = this.#run("open", path, () => openHostFilePieces(host));
    try {
      for (;;) {
        const piece = this.#run("read", path, () => file.next());
        if (piece.length === 0) return piece;
        await pieces.take(piece);
      }
    } finally {
      file.close();
    }
  }

  /** A device takes a part as it takes any write. */
  async #writePart(path: string, bytes: Uint8Array, offset: number): Promise<void> {
    if (this.#run("open", path, () => deviceAt(walk(this.#scope, path, true))) !== undefined) {
      await this.#write(path, bytes, undefined, true);
      return;
    }
    await this.#change("open", path, () => {
      const place = walk(this.#scope, path, true);
      const host = this.#hostToWrite(place, bytes.length, path.endsWith("/"));
      writeHostFilePart(host, bytes, offset, this.#guard);
    });
  }

  async #create(path: string, bytes: Uint8Array, mode: number): Promise<void> {
    await this.#change("open", path, () => {
      // A link that leads nowhere is in the way too.
      const place = walk(this.#scope, path, false);
      if (place.in !== "nowhere") throw new Failure("EEXIST");
      createHostFile(this.#hostToWrite(place, bytes.length, path.endsWith("/")), bytes, mode);
    });
  }

  async #resize(path: string, size: number): Promise<void> {
    await this.#change("truncate", path, () => {
      const place = this.#existing(path, true);
      if (deviceAt(place) === undefined)
        resizeHostFile(this.#hostToWrite(place, 0, false), size, this.#guard);
    });
  }

  async #write(
    path: string,
    content: string | Uint8Array,
    options: EncodingOption | undefined,
    append: boolean,
  ): Promise<void> {
    const device = this.#run("open", path, () => deviceAt(walk(this.#scope, path, true)));
    if (device !== undefined) {
      try {
        if (device.write === undefined) throw new Failure("EACCES");
        for (const piece of toPieces(content, encodingOf(options))) await device.write(piece);
      } catch (error) {
        throw this.#shown(error, "write", path);
      }
      return;
    }
    const bytes = this.#run("write", path, () => toBytes(content, encodingOf(options)));
    await this.#change("open", path, () => {
      const place = walk(this.#scope, path, true);
      this.#writeToHost(place, bytes, append, path.endsWith("/"));
    });
  }

  #writeToHost(place: Place, bytes: Uint8Array, append: boolean, asDirectory: boolean): void {
    writeHostFile(this.#hostToWrite(place, bytes.length, asDirectory), bytes, append, this.#guard);
  }

  /** Where the content goes, once every right is given and the bytes are paid for. */
  #hostToWrite(place: Place, byteCount: number, asDirectory: boolean): HostPath {
    if (place.in === "nowhere" ? asDirectory : isDirectory(place)) throw new Failure("EISDIR");
    if (place.in === "mount" && !place.stats.isFile()) throw new Failure(NOT_REGULAR);
    this.#guard.requireWritable(place);
    if (place.in === "base") throw new Failure("EROFS");
    this.#guard.touch(place.path);
    if (place.in === "nowhere") this.#guard.chargeEntry();
    this.#guard.charge(byteCount);
    return place.in === "mount" ? place.host : hostOfMissing(place);
  }

  #existing(path: string, follow: boolean): ExistingPlace {
    return existing(walk(this.#scope, path, follow));
  }

  #directory(path: string): ExistingPlace {
    const place = this.#existing(path, true);
    if (!isDirectory(place)) throw new Failure("ENOTDIR");
    return place;
  }

  #fill(syscall: string, path: string, add: (path: string) => void): void {
    const at = resolveVirtualPath("/", path);
    this.#run(syscall, at, () => {
      if (this.#shared.isSealed) throw new Failure("EROFS");
      if (!this.#table.mounts.some((mount) => isAtOrBelow(at, mount.path))) add(at);
    });
  }

  /** One synchronous step, begun anew when something has to be told first: it may then find another state. */
  async #change(syscall: string, path: string, body: () => void): Promise<void> {
    for (;;) {
      try {
        body();
        return;
      } catch (error) {
        if (!(error instanceof Untold)) throw this.#shown(error, syscall, path);
        await this.#touched?.tell(error.paths).catch((failure: unknown) => {
          throw this.#shown(failure, syscall, path);
        });
      }
    }
  }

  #run<T>(syscall: string, path: string, body: () => T): T {
    try {
      return body();
    } catch (error) {
      throw this.#shown(error, syscall, path);
    }
  }

  #shown(error: unknown, syscall: string, path: string): Error {
    const inner = error instanceof Failure ? error.path : undefined;
    return this.#shared.createError({ errno: toErrno(error), syscall, path: inner ?? path });
  }
}

function deviceAt(place: Place): Device | undefined {
  return place.in === "base" && place.node.kind === "device" ? place.node.device : undefined;
}
