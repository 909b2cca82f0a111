/** Files → members of an archive. */
import type { CommandContext } from "just-bash";
import { joinShown, type Look, look, OWNER } from "../look.ts";
import type { ModeChange } from "../mode-change.ts";
import type { Report } from "../report.ts";
import type { Member, MemberKind } from "./archive.ts";

/** How files become members. */
export interface CreateRequest {
  readonly follow: boolean;
  readonly hardLinks: boolean;
  readonly recursive: boolean;
  readonly absolute: boolean;
  readonly isExcluded: (name: string) => boolean;
  readonly transform: (name: string) => string;
  readonly owner: { readonly name: string; readonly id: number };
  readonly group: { readonly name: string; readonly id: number };
  readonly mode: ModeChange | undefined;
  /** Seconds since 1970. */
  readonly mtime: number | undefined;
  /** The archive itself is left out. */
  readonly archivePath: string | undefined;
  /** Only what is newer than the member of the same name. */
  readonly newerThan: ReadonlyMap<string, number> | undefined;
}

export class Collector {
  readonly members: Member[] = [];
  /** Paths of what was taken, children before their directories. */
  readonly taken: string[] = [];
  readonly #ctx: CommandContext;
  readonly #report: Report;
  readonly #request: CreateRequest;
  readonly #onMember: (member: Member) => void;
  readonly #firstNames = new Map<string, string>();
  readonly #notes = new Set<string>();

  constructor(
    ctx: CommandContext,
    report: Report,
    request: CreateRequest,
    onMember: (member: Member) => void,
  ) {
    this.#ctx = ctx;
    this.#report = report;
    this.#request = request;
    this.#onMember = onMember;
  }

  async add(shown: string, directory: string): Promise<void> {
    await this.#add(shown, this.#ctx.fs.resolvePath(directory, shown), true);
  }

  async #add(shown: string, path: string, isOperand: boolean): Promise<void> {
    const { follow, isExcluded, recursive, archivePath, newerThan } = this.#request;
    if (isExcluded(shown)) return;
    let entry: Look;
    try {
      entry = await look(this.#ctx.fs, path, follow);
    } catch (error) {
      this.#report.failed(`${shown}: Cannot stat`, error, 2);
      return;
    }
    if (path === archivePath) {
      this.#report.stderr += `tar: ${shown}: file is the archive; not dumped\n`;
      return;
    }
    if (!entry.isDirectory && !entry.isFile && !entry.isSymbolicLink) {
      this.#report.fail(`${shown}: special file left out: Operation not supported`, 2);
      return;
    }
    const bare = entry.isDirectory ? `${shown.replace(/(?<=.)\/+$/, "")}${shown === "/" ? "" : "/"}` : shown;
    const known = newerThan?.get(bare);
    const isOld = known !== undefined && known >= Math.floor(entry.mtimeMs / 1000);
    if (!isOld && !(newerThan !== undefined && entry.isDirectory && known !== undefined)) {
      if (!(await this.#take(bare, path, entry))) return;
    }
    if (!entry.isDirectory || !recursive) return;
    let names: string[];
    try {
      names = await this.#ctx.fs.readdir(path);
    } catch (error) {
      this.#report.failed(`${shown}: Cannot open`, error, 2);
      return;
    }
    for (const name of names) await this.#add(joinShown(bare, name), joinShown(path, name), false);
    if (isOperand) return;
  }

  async #take(shown: string, path: string, entry: Look): Promise<boolean> {
    const { owner, group, mode, mtime, hardLinks } = this.#request;
    const identity = `${entry.dev}:${entry.ino}`;
    const first = hardLinks && entry.isFile && entry.nlink > 1 ? this.#firstNames.get(identity) : undefined;
    let content: Uint8Array = new Uint8Array(0);
    let target = "";
    try {
      if (entry.isSymbolicLink) target = await this.#ctx.fs.readlink(path);
      else if (first !== undefined) target = first;
      else if (entry.isFile) content = await this.#ctx.fs.readFileBuffer(path);
    } catch (error) {
      this.#report.failed(`${shown}: Cannot open`, error, 2);
      return false;
    }
    const name = this.#request.transform(this.#relative(shown));
    if (name === "") return true;
    const kind: MemberKind = entry.isDirectory
      ? "directory"
      : entry.isSymbolicLink
        ? "symbolic link"
        : first !== undefined
          ? "hard link"
          : "file";
    if (entry.isFile && first === undefined) this.#firstNames.set(identity, name);
    const bits = entry.isSymbolicLink ? 0o777 : entry.mode & 0o7777;
    const member: Member = {
      name,
      kind,
      mode: mode === undefined ? bits : mode(bits, entry.isDirectory),
      mtime: mtime ?? Math.floor(entry.mtimeMs / 1000),
      uid: owner.id,
      gid: group.id,
      user: owner.name,
      group: group.name,
      target,
      content,
    };
    this.members.push(member);
    this.taken.unshift(path);
    this.#onMember(member);
    return true;
  }

  /** Members have no slash in front, and lead out of no directory. */
  #relative(shown: string): string {
    if (this.#request.absolute) return shown;
    const [prefix = ""] = /^(?:.*(?:^|\/)\.\.(?:\/|$))?\/*/s.exec(shown) ?? [];
    if (prefix === "") return shown;
    if (!this.#notes.has(prefix)) {
      this.#notes.add(prefix);
      this.#report.stderr += `tar: Removing leading \`${prefix}' from member names\n`;
    }
    return shown.slice(prefix.length) || "./";
  }
}

/** `name`, `name:id` or a number, as `--owner` takes it. */
export function ownerOf(text: string | undefined): { name: string; id: number } {
  if (text === undefined) return OWNER;
  const [name = "", number] = text.split(":");
  if (number !== undefined) return { name, id: Number(number) };
  const id = name === "root" ? 0 : OWNER.id;
  if (!/^\d+$/.test(name)) return { name, id };
  return { name: name === "0" ? "root" : Number(name) === OWNER.id ? OWNER.name : "", id: Number(name) };
}
