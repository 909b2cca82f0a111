import { type Command, type CommandContext, defineCommand } from "just-bash";
import { parseGnuOptions, usageError } from "../gnu-options.ts";
import { type Listed, longLines, nameLines, Painter, totalLine } from "./list-lines.ts";
import { type ListOptions, LS, readListOptions } from "./list-options.ts";
import { joinShown, type Look, look, lookIfThere, pathOf } from "./look.ts";
import { quoteName } from "./quote-name.ts";
import { Report } from "./report.ts";
import { timeZone } from "./time-zone.ts";
import { compareVersions } from "./version-order.ts";

/**
 * `ls` as coreutils prints it to a pipe. The engine's own shows one mode for every file, follows each link, calls
 * a dangling one an empty file, and puts blank lines between operands.
 */
export const ls: Command = defineCommand("ls", async (args, ctx) => {
  const parsed = parseGnuOptions(LS, args);
  if (!parsed.ok) return parsed.result;
  const options = readListOptions(parsed.args, ctx.env);
  if (typeof options === "string") return usageError(LS, options);
  const lister = new Lister(ctx, options);
  await lister.list();
  return lister.report.result();
});

class Lister {
  readonly report = new Report("ls");
  readonly #ctx: CommandContext;
  readonly #options: ListOptions;
  readonly #painter = new Painter();
  readonly #nowMs = Date.now();
  #isFirst = true;

  constructor(ctx: CommandContext, options: ListOptions) {
    this.#ctx = ctx;
    this.#options = options;
  }

  async list(): Promise<void> {
    const { operands, directories, format, indicators, follow, recursive } = this.#options;
    const { fs, cwd } = this.#ctx;
    // A link on the command line is followed to a directory, unless what it is was asked for.
    const isPlain = follow === "never" && format !== "long" && indicators !== "classify" && !directories;
    const alone: Listed[] = [];
    const folders: Listed[] = [];
    for (const operand of operands) {
      const path = pathOf(fs, cwd, operand);
      let entry: Look;
      try {
        entry = await look(fs, path, false);
      } catch (error) {
        this.report.failed(`cannot access ${quoteName(operand)}`, error, 2);
        continue;
      }
      if (entry.isSymbolicLink) {
        const end = await lookIfThere(fs, path, true);
        const follows =
          follow === "always" ||
          follow === "operands" ||
          ((isPlain || follow === "folders") && end?.isDirectory);
        if (follows && end !== null) entry = end;
      }
      const listed = await this.#listed(operand, path, entry);
      (entry.isDirectory && !directories ? folders : alone).push(listed);
    }
    if (alone.length > 0) this.#print(this.#sorted(alone), false);
    const withHeader = operands.length > 1 || recursive;
    for (const { name, path } of this.#sorted(folders)) await this.#folder(name, path, withHeader);
  }

  async #listed(name: string, path: string, entry: Look | null): Promise<Listed> {
    if (entry?.isSymbolicLink !== true || this.#options.format !== "long") return { name, path, entry };
    const text = await this.#ctx.fs.readlink(path).catch(() => "?");
    return { name, path, entry, target: { text, entry: await lookIfThere(this.#ctx.fs, path, true) } };
  }

  async #folder(name: string, path: string, withHeader: boolean): Promise<void> {
    const {
      dots,
      hidden,
      recursive,
      format,
      indicators,
      sort,
      inode,
      blocks,
      foldersFirst,
      follow,
      color,
      end,
    } = this.#options;
    let names: string[];
    try {
      names = await this.#ctx.fs.readdir(path);
    } catch (error) {
      this.report.failed(`cannot open directory ${quoteName(name)}`, error, 2);
      return;
    }
    if (dots === "none") names = names.filter((entry) => !entry.startsWith("."));
    names = names.filter((entry) => !hidden.some((pattern) => pattern.test(entry)));
    const looks =
      format === "long" || indicators !== "none" || inode || blocks || recursive || foldersFirst || color;
    const needsLook = looks || sort === "size" || sort === "time";
    const entries: Listed[] = [];
    for (const entry of dots === "all" ? [".", "..", ...names] : names) {
      const at =
        entry === "." || entry === ".." ? this.#ctx.fs.resolvePath(path, entry) : joinShown(path, entry);
      const found = needsLook ? await this.#look(at, follow === "always") : null;
      entries.push(await this.#listed(entry, at, found));
    }
    if (withHeader) this.report.print(`${this.#isFirst ? "" : "\n"}${name}:${end}`);
    const sorted = this.#sorted(entries);
    this.#print(sorted, true);
    if (!recursive) return;
    for (const { name: below, path: at, entry } of sorted) {
      if (entry?.isDirectory !== true || below === "." || below === "..") continue;
      await this.#folder(joinShown(name, below), at, true);
    }
  }

  async #look(path: string, follow: boolean): Promise<Look | null> {
    const end = follow ? await lookIfThere(this.#ctx.fs, path, true) : null;
    return end ?? (await lookIfThere(this.#ctx.fs, path, false));
  }

  #print(entries: readonly Listed[], isFolder: boolean): void {
    const options = this.#options;
    this.#isFirst = false;
    if (isFolder && (options.format === "long" || options.blocks))
      this.report.print(totalLine(entries, options));
    this.report.print(
      options.format === "long"
        ? longLines(entries, options, this.#painter, timeZone(this.#ctx.env.get("TZ")), this.#nowMs)
        : nameLines(entries, options, this.#painter),
    );
  }

  #sorted(entries: readonly Listed[]): Listed[] {
    const { sort, reverse, foldersFirst, time } = this.#options;
    if (sort === "none") return [...entries];
    const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
    const timeOf = ({ entry }: Listed): number =>
      entry === null ? 0 : time === "mtime" ? entry.mtimeMs : entry[time].getTime();
    const extension = ({ name }: Listed): string =>
      name.includes(".") ? name.slice(name.lastIndexOf(".")) : "";
    const order = (a: Listed, b: Listed): number => {
      if (sort === "size") return (b.entry?.size ?? 0) - (a.entry?.size ?? 0);
      if (sort === "time") return timeOf(b) - timeOf(a);
      if (sort === "version") return compareVersions(a.name, b.name);
      return sort === "extension" ? byText(extension(a), extension(b)) : 0;
    };
    const sorted = [...entries].sort((a, b) => order(a, b) || byText(a.name, b.name));
    if (reverse) sorted.reverse();
    if (foldersFirst)
      sorted.sort((a, b) => Number(b.entry?.isDirectory ?? 0) - Number(a.entry?.isDirectory ?? 0));
    return sorted;
  }
}
