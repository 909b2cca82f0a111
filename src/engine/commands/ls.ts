import { type Command, defineCommand, type IFileSystem } from "just-bash";
import { type Listed, type ListOptions, longLines, nameOf, readListOptions } from "./ls-lines.ts";
import { reasonOf } from "./reason.ts";

/**
 * `ls` as coreutils prints it to a pipe. The engine's own shows one mode for every file, follows each link, calls
 * a dangling one an empty file, and puts blank lines between operands.
 */
export const ls: Command = defineCommand("ls", async (args, { fs, cwd, origCommand }) => {
  if (args.includes("--help") && origCommand !== undefined) return origCommand(args);
  const options = readListOptions(args);
  if (typeof options === "string") return { stdout: "", stderr: `ls: ${options}\n`, exitCode: 2 };
  const lister = new Lister(fs, options);
  await lister.list(cwd);
  return { stdout: lister.stdout, stderr: lister.stderr, exitCode: lister.exitCode };
});

class Lister {
  stdout = "";
  stderr = "";
  exitCode = 0;
  readonly #fs: IFileSystem;
  readonly #options: ListOptions;
  #isFirst = true;

  constructor(fs: IFileSystem, options: ListOptions) {
    this.#fs = fs;
    this.#options = options;
  }

  async list(cwd: string): Promise<void> {
    const { operands, directories: showDirectories, long, classify } = this.#options;
    const alone: Listed[] = [];
    const folders: Listed[] = [];
    for (const operand of operands) {
      const path = this.#fs.resolvePath(cwd, operand);
      const entry = await this.#look(operand, operand.endsWith("/") ? `${path}/` : path);
      if (entry === null) continue;
      // A link on the command line is followed to a directory, unless what it is was asked for.
      const end =
        entry.stat?.isSymbolicLink && !long && !classify ? await this.#fs.stat(path).catch(() => null) : null;
      const isFolder = (end ?? entry.stat)?.isDirectory === true;
      (isFolder && !showDirectories ? folders : alone).push(entry);
    }
    if (alone.length > 0) await this.#print(this.#sorted(alone), false);
    const withHeader = operands.length > 1 || this.#options.recursive;
    for (const { name, path } of this.#sorted(folders)) await this.#folder(name, path, withHeader);
  }

  async #folder(name: string, path: string, withHeader: boolean): Promise<void> {
    let names: string[];
    try {
      names = await this.#fs.readdir(path);
    } catch (error) {
      this.#fail(`cannot open directory '${name}': ${reasonOf(error)}`, 2);
      return;
    }
    const { all, almostAll, recursive, long, classify, slash, sort, inode, foldersFirst } = this.#options;
    if (!all && !almostAll) names = names.filter((entry) => !entry.startsWith("."));
    const needsStat = long || classify || slash || inode || recursive || foldersFirst || sort !== "name";
    const entries: Listed[] = [];
    const seen = all ? [".", "..", ...names] : names;
    for (const entry of seen) {
      const at = this.#fs.resolvePath(path, entry);
      entries.push({
        name: entry,
        path: at,
        stat: needsStat ? await this.#fs.lstat(at).catch(() => null) : null,
      });
    }
    if (withHeader) this.stdout += `${this.#isFirst ? "" : "\n"}${name}:\n`;
    const sorted = this.#sorted(entries);
    await this.#print(sorted, true);
    if (!recursive) return;
    for (const entry of sorted) {
      if (entry.stat?.isDirectory !== true || entry.name === "." || entry.name === "..") continue;
      await this.#folder(name.endsWith("/") ? name + entry.name : `${name}/${entry.name}`, entry.path, true);
    }
  }

  async #look(name: string, path: string): Promise<Listed | null> {
    try {
      return { name, path, stat: await this.#fs.lstat(path) };
    } catch (error) {
      this.#fail(`cannot access '${name}': ${reasonOf(error)}`, 2);
      return null;
    }
  }

  async #print(entries: readonly Listed[], isFolder: boolean): Promise<void> {
    this.#isFirst = false;
    if (this.#options.long) {
      this.stdout += await longLines(entries, this.#options, isFolder, (path) => this.#fs.readlink(path));
    } else {
      this.stdout += entries.map((entry) => `${nameOf(entry, this.#options)}\n`).join("");
    }
  }

  #sorted(entries: readonly Listed[]): Listed[] {
    const { sort, reverse, foldersFirst } = this.#options;
    if (sort === "none") return [...entries];
    const byName = (a: Listed, b: Listed): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
    const weight = ({ stat }: Listed): number =>
      sort === "size" ? (stat?.size ?? 0) : sort === "time" ? (stat?.mtime.getTime() ?? 0) : 0;
    const sorted = [...entries].sort((a, b) => weight(b) - weight(a) || byName(a, b));
    if (reverse) sorted.reverse();
    if (foldersFirst) sorted.sort((a, b) => Number(b.stat?.isDirectory) - Number(a.stat?.isDirectory));
    return sorted;
  }

  #fail(why: string, exitCode: number): void {
    this.stderr += `ls: ${why}\n`;
    this.exitCode = exitCode;
  }
}
