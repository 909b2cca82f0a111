/** What `cp` does with one source: decides by kind and options, copies trees entry by entry, says what fails. */
import type { CommandContext, IFileSystem } from "just-bash";
import { asks, type Backup, putAside } from "./destinations.ts";
import {
  type Answers,
  baseName,
  isSameFile,
  joinShown,
  type Look,
  look,
  lookIfThere,
  pathOf,
  UMASK,
} from "./look.ts";
import { quoteName } from "./quote-name.ts";
import type { Report } from "./report.ts";

/** What was asked for. */
export interface CopyRequest {
  readonly recursive: boolean;
  /** Which symbolic links are copied as what they lead to. */
  readonly follows: "always" | "operands" | "never";
  readonly keepMode: boolean;
  readonly keepTimes: boolean;
  /** Several names of one file stay names of one file. */
  readonly keepLinks: boolean;
  readonly makes: "copy" | "hard link" | "symbolic link" | "attributes";
  readonly onExisting: "replace" | "keep" | "ask";
  readonly update: boolean;
  readonly verbose: boolean;
  readonly force: boolean;
  readonly removeFirst: boolean;
  readonly parents: boolean;
  readonly backup: Backup;
  readonly answers: Answers;
}

export class Copier {
  readonly #ctx: CommandContext;
  readonly #fs: IFileSystem;
  readonly #report: Report;
  readonly #request: CopyRequest;
  /** Destinations made by this call, which no later source may replace. */
  readonly #made = new Set<string>();
  /** Files with several names → the first copy. */
  readonly #copies = new Map<string, string>();

  constructor(ctx: CommandContext, report: Report, request: CopyRequest) {
    this.#ctx = ctx;
    this.#fs = ctx.fs;
    this.#report = report;
    this.#request = request;
  }

  async copyOperand(source: string, destination: string, root: string): Promise<void> {
    if (this.#request.parents && !(await this.#makeParents(source, root))) return;
    // `cp -r dir/. other` copies what is in it.
    const isDot = /(^|\/)\.{1,2}\/*$/.test(source) && destination.endsWith(`/${baseName(source)}`);
    await this.#copy(source, isDot ? destination.replace(/\/\.{1,2}$/, "") : destination, true);
  }

  async #makeParents(source: string, root: string): Promise<boolean> {
    const parts = source.replace(/\/+$/, "").replace(/^\/+/, "").split(/\/+/).slice(0, -1);
    for (let count = 1; count <= parts.length; count++) {
      const below = parts.slice(0, count).join("/");
      const path = this.#path(joinShown(root, below));
      if ((await lookIfThere(this.#fs, path, true)) !== null) continue;
      try {
        await this.#fs.mkdir(path);
        const shown = source.startsWith("/") ? `/${below}` : below;
        if (this.#request.verbose) this.#report.print(`${shown} -> ${joinShown(root, below)}\n`);
      } catch (error) {
        this.#report.failed(`cannot make directory ${quoteName(joinShown(root, below))}`, error);
        return false;
      }
    }
    return true;
  }

  #path(shown: string): string {
    return pathOf(this.#fs, this.#ctx.cwd, shown);
  }

  async #copy(source: string, destination: string, isOperand: boolean): Promise<void> {
    const { follows, recursive, verbose, onExisting, update, removeFirst, backup, makes } = this.#request;
    const report = this.#report;
    const follow = follows === "always" || (follows === "operands" && isOperand);
    let from: Look;
    try {
      from = await look(this.#fs, this.#path(source), follow);
    } catch (error) {
      report.failed(`cannot stat ${quoteName(source)}`, error);
      return;
    }
    if (from.isDirectory && !recursive) {
      report.fail(`-r not specified; omitting directory ${quoteName(source)}`);
      return;
    }
    const path = this.#path(destination);
    const there = await lookIfThere(this.#fs, path, false);
    const to = there?.isSymbolicLink ? await lookIfThere(this.#fs, path, true) : there;
    if (from.isDirectory) return this.#copyDirectory(source, destination, from, to);
    if (to?.isDirectory) {
      report.fail(
        `cannot overwrite directory ${quoteName(destination)} with non-directory ${quoteName(source)}`,
      );
      return;
    }
    if (there !== null) {
      const same = isSameFile(from.isSymbolicLink ? there : (to ?? there), from);
      if (update && (to ?? there).mtime.getTime() >= from.mtime.getTime()) return;
      if (onExisting === "keep") return;
      if (same && makes === "hard link") return;
      const isReplaced =
        removeFirst || backup.kind !== "none" || from.isSymbolicLink || makes === "symbolic link";
      if (same && !(isReplaced && there.ino !== from.ino)) {
        report.fail(`${quoteName(source)} and ${quoteName(destination)} are the same file`);
        return;
      }
      if (this.#made.has(path)) {
        report.fail(`will not overwrite just-created ${quoteName(destination)} with ${quoteName(source)}`);
        return;
      }
      if (onExisting === "ask") {
        asks(report, "cp", destination);
        if (!this.#request.answers.isYes()) return;
      }
      if (to === null && there.isSymbolicLink && !isReplaced && !from.isSymbolicLink) {
        report.fail(`not writing through dangling symlink ${quoteName(destination)}`);
        return;
      }
    }
    let kept: string | undefined;
    try {
      if (there !== null && backup.kind !== "none") kept = await putAside(this.#ctx, destination, backup);
      else if (there !== null && removeFirst) await this.#fs.rm(path);
    } catch (error) {
      report.failed(
        `cannot ${backup.kind !== "none" ? "backup" : "remove"} ${quoteName(destination)}`,
        error,
      );
      return;
    }
    if (verbose) {
      const note = kept === undefined ? "" : ` (backup: ${quoteName(kept)})`;
      report.print(`${quoteName(source)} -> ${quoteName(destination)}${note}\n`);
    }
    await this.#copyFile(source, destination, from, kept === undefined && !removeFirst ? there : null);
  }

  async #copyFile(source: string, destination: string, from: Look, there: Look | null): Promise<void> {
    const { keepLinks, makes, force } = this.#request;
    const path = this.#path(destination);
    const identity = `${from.dev}:${from.ino}`;
    const first = keepLinks && from.nlink > 1 ? this.#copies.get(identity) : undefined;
    try {
      if (makes === "symbolic link") await this.#makeSymbolicLink(source, destination, there);
      else if (makes === "hard link" || first !== undefined) {
        if (there !== null) await this.#fs.rm(path);
        await this.#fs.link(first ?? this.#path(source), path);
      } else if (from.isSymbolicLink) {
        const target = await this.#fs.readlink(this.#path(source));
        if (there !== null) await this.#fs.rm(path);
        await this.#fs.symlink(target, path);
      } else {
        if (destination.endsWith("/"))
          throw Object.assign(new Error(), { code: there === null ? "ENOTDIR" : "EISDIR" });
        try {
          if (makes === "attributes") await this.#fs.appendFile(path, "");
          else await this.#fs.cp(this.#path(source), path);
        } catch (error) {
          if (!force || there === null) throw error;
          await this.#fs.rm(path);
          await this.#fs.cp(this.#path(source), path);
        }
        await this.#keepAttributes(path, from, there === null);
      }
      this.#made.add(path);
      this.#copies.set(identity, path);
    } catch (error) {
      const isUnreadable = (await lookIfThere(this.#fs, this.#path(source), true)) === null;
      const what = from.isSymbolicLink || makes === "symbolic link" ? "symbolic link" : "regular file";
      if (isUnreadable && !from.isSymbolicLink)
        this.#report.failed(`cannot open ${quoteName(source)} for reading`, error);
      else this.#report.failed(`cannot create ${what} ${quoteName(destination)}`, error);
    }
  }

  async #makeSymbolicLink(source: string, destination: string, there: Look | null): Promise<void> {
    if (!source.startsWith("/") && destination.includes("/")) {
      this.#report.fail(
        `${quoteName(destination)}: can make relative symbolic links only in current directory`,
      );
      return;
    }
    if (there !== null && this.#request.force) await this.#fs.rm(this.#path(destination));
    await this.#fs.symlink(source, this.#path(destination));
  }

  async #keepAttributes(path: string, from: Look, isNew: boolean): Promise<void> {
    const { keepMode, keepTimes } = this.#request;
    if (keepMode) await this.#fs.chmod(path, from.mode);
    else if (isNew) await this.#fs.chmod(path, from.mode & 0o777 & ~UMASK);
    if (keepTimes) await this.#fs.utimes(path, from.atime, from.mtime);
  }

  async #copyDirectory(source: string, destination: string, from: Look, to: Look | null): Promise<void> {
    const report = this.#report;
    if (to !== null && !to.isDirectory) {
      report.fail(
        `cannot overwrite non-directory ${quoteName(destination)} with directory ${quoteName(source)}`,
      );
      return;
    }
    const sourcePath = this.#fs.resolvePath("/", this.#path(source));
    const path = this.#fs.resolvePath("/", this.#path(destination));
    const isInside = `${path}/`.startsWith(sourcePath === "/" ? "/" : `${sourcePath}/`);
    if (to !== null && isSameFile(from, to)) {
      report.fail(`${quoteName(source)} and ${quoteName(destination)} are the same file`);
      return;
    }
    let names: string[];
    try {
      names = await this.#fs.readdir(sourcePath);
    } catch (error) {
      report.failed(`cannot access ${quoteName(source)}`, error);
      return;
    }
    if (isInside) {
      report.fail(`cannot copy a directory, ${quoteName(source)}, into itself, ${quoteName(destination)}`);
      return;
    }
    if (to === null) {
      try {
        await this.#fs.mkdir(path);
        if (this.#request.verbose) report.print(`${quoteName(source)} -> ${quoteName(destination)}\n`);
      } catch (error) {
        report.failed(`cannot create directory ${quoteName(destination)}`, error);
        return;
      }
    }
    for (const name of names) await this.#copy(joinShown(source, name), joinShown(destination, name), false);
    try {
      await this.#keepAttributes(path, from, to === null);
    } catch (error) {
      report.failed(`setting attributes of ${quoteName(destination)}`, error);
    }
  }
}
