/** Members of an archive → files. */
import type { CommandContext } from "just-bash";
import { codeOf } from "../../reason.ts";
import { lookIfThere, UMASK } from "../look.ts";
import type { Report } from "../report.ts";
import type { Member } from "./archive.ts";

/** How members become files. */
export interface ExtractRequest {
  readonly directory: string;
  readonly existing: "replace" | "fail" | "skip" | "keep newer";
  readonly exactModes: boolean;
  readonly keepTimes: boolean;
  readonly absolute: boolean;
}

export class Extractor {
  readonly #ctx: CommandContext;
  readonly #report: Report;
  readonly #request: ExtractRequest;
  /** Modes and times of directories, set when all is in them. */
  readonly #later: { path: string; member: Member }[] = [];
  readonly #notes = new Set<string>();

  constructor(ctx: CommandContext, report: Report, request: ExtractRequest) {
    this.#ctx = ctx;
    this.#report = report;
    this.#request = request;
  }

  /** Puts a member at its name below the directory. `linkName` is where a hard link's first name lies. */
  async extract(member: Member, name: string, linkName: string): Promise<void> {
    const safe = this.#relative(name, "member names");
    if (safe === null) return;
    const path = this.#ctx.fs.resolvePath(this.#request.directory, safe);
    try {
      await this.#makeParents(path);
      if (member.kind === "directory") return await this.#makeDirectory(path, member);
      if (!(await this.#makeRoom(path, safe, member))) return;
      await this.#make(path, safe, member, linkName);
    } catch (error) {
      const verb =
        member.kind === "directory"
          ? "Cannot mkdir"
          : member.kind === "symbolic link"
            ? `Cannot create symlink to ‘${member.target}’`
            : "Cannot open";
      this.#report.failed(`${safe}: ${verb}`, error, 2);
    }
  }

  async finish(): Promise<void> {
    for (const { path, member } of this.#later.reverse()) {
      try {
        await this.#setFacts(path, member);
      } catch (error) {
        this.#report.failed(`${member.name}: Cannot change mode`, error, 2);
      }
    }
  }

  async #makeParents(path: string): Promise<void> {
    const parent = this.#ctx.fs.resolvePath(path, "..");
    if ((await lookIfThere(this.#ctx.fs, parent, true)) === null)
      await this.#ctx.fs.mkdir(parent, { recursive: true });
  }

  async #makeDirectory(path: string, member: Member): Promise<void> {
    const there = await lookIfThere(this.#ctx.fs, path, true);
    if (there !== null && !there.isDirectory) await this.#ctx.fs.rm(path);
    if (!there?.isDirectory) await this.#ctx.fs.mkdir(path);
    this.#later.push({ path, member });
  }

  /** False when what is there stays. */
  async #makeRoom(path: string, shown: string, member: Member): Promise<boolean> {
    const { fs } = this.#ctx;
    const there = await lookIfThere(fs, path, false);
    if (there === null) return true;
    const { existing } = this.#request;
    if (existing === "skip") return false;
    if (existing === "fail") {
      const verb =
        member.kind === "symbolic link" ? `Cannot create symlink to ‘${member.target}’` : "Cannot open";
      this.#report.fail(`${shown}: ${verb}: File exists`, 2);
      return false;
    }
    if (existing === "keep newer" && there.mtime.getTime() >= member.mtime * 1000) {
      this.#report.stderr += `tar: Current ‘${shown}’ is newer or same age\n`;
      return false;
    }
    if (there.isDirectory) {
      try {
        await fs.rm(path);
      } catch (error) {
        if (codeOf(error) !== "ENOTEMPTY") throw error;
        throw Object.assign(new Error(), { code: member.kind === "file" ? "EISDIR" : "EEXIST" });
      }
    } else if (member.kind !== "file" || there.isSymbolicLink || there.nlink > 1) await fs.rm(path);
    return true;
  }

  async #make(path: string, shown: string, member: Member, linkName: string): Promise<void> {
    const { fs } = this.#ctx;
    if (member.kind === "symbolic link") {
      await fs.symlink(member.target, path);
    } else if (member.kind === "hard link") {
      const target = this.#relative(linkName, "hard link targets");
      if (target === null) return;
      try {
        await fs.link(fs.resolvePath(this.#request.directory, target), path);
      } catch (error) {
        this.#report.failed(`${shown}: Cannot hard link to ‘${linkName}’`, error, 2);
      }
    } else if (member.kind === "other") {
      this.#report.fail(`${shown}: Cannot make a special file: Operation not permitted`, 2);
    } else {
      await fs.writeFile(path, member.content);
      await this.#setFacts(path, member);
    }
  }

  async #setFacts(path: string, { mode, mtime }: Member): Promise<void> {
    const { exactModes, keepTimes } = this.#request;
    await this.#ctx.fs.chmod(path, exactModes ? mode : mode & 0o777 & ~UMASK);
    if (keepTimes) await this.#ctx.fs.utimes(path, new Date(), new Date(mtime * 1000));
  }

  #relative(name: string, of: string): string | null {
    if (this.#request.absolute) return name;
    if (/(^|\/)\.\.(\/|$)/.test(name)) {
      this.#report.fail(`${name}: Member name contains '..'`, 2);
      return null;
    }
    const bare = name.replace(/^\/+/, "");
    if (bare !== name && !this.#notes.has(of)) {
      this.#notes.add(of);
      this.#report.stderr += `tar: Removing leading \`/' from ${of}\n`;
    }
    return bare === "" ? "." : bare;
  }
}
