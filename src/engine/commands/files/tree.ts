import { type Command, type CommandContext, defineCommand } from "just-bash";
import { formatTime, instantOfDate } from "./format-time.ts";
import { humanSize } from "./human-size.ts";
import { joinShown, type Look, lookIfThere, modeText, OWNER, pathOf } from "./look.ts";
import { Report } from "./report.ts";
import { timeZone } from "./time-zone.ts";
import { readTreeArguments, type TreeOptions } from "./tree-options.ts";

const UNICODE = { bar: "│\u00a0\u00a0 ", middle: "├── ", last: "└── " };
const ASCII = { bar: "|   ", middle: "|-- ", last: "`-- " };

/** One entry with what is below it. */
interface Branch {
  readonly name: string;
  readonly shown: string;
  readonly entry: Look | null;
  readonly target: string | undefined;
  readonly end: Look | null;
  readonly children: Branch[] | null;
  /** Said in place of what is below. */
  readonly note?: string;
}

/** `tree` 2.1. The engine's own lacks most options and counts otherwise. */
export const tree: Command = defineCommand("tree", async (args, ctx) => {
  const options = readTreeArguments(args);
  if ("exitCode" in options) return options;
  const report = new Report("tree");
  await new Grower(ctx, report, options).grow();
  return report.result();
});

class Grower {
  readonly #ctx: CommandContext;
  readonly #report: Report;
  readonly #options: TreeOptions;
  #folders = 0;
  #files = 0;

  constructor(ctx: CommandContext, report: Report, options: TreeOptions) {
    this.#ctx = ctx;
    this.#report = report;
    this.#options = options;
  }

  async grow(): Promise<void> {
    const { operands, json, noReport, onlyFolders, output } = this.#options;
    const roots: Branch[] = [];
    for (const operand of operands) {
      const path = pathOf(this.#ctx.fs, this.#ctx.cwd, operand);
      const entry = await lookIfThere(this.#ctx.fs, path, true);
      const shown = operand.replace(/(?<=.)\/+$/, "");
      if (entry?.isDirectory !== true) {
        if (entry !== null) this.#files++;
        else this.#report.exitCode = 2;
        roots.push({
          name: shown,
          shown,
          entry,
          target: undefined,
          end: null,
          children: null,
          note: "error opening dir",
        });
        continue;
      }
      const { children, note } = await this.#below(path, shown, 1, [entry]);
      if (children === null || children.length > 0) this.#folders++;
      roots.push({
        name: shown,
        shown,
        entry,
        target: undefined,
        end: null,
        children,
        ...(note === undefined ? {} : { note }),
      });
    }
    const parts: string[] = [];
    if (json) {
      const rows = roots.map((root) => this.#json(root, "  "));
      const counts = `{"type":"report","directories":${this.#folders}${onlyFolders ? "" : `,"files":${this.#files}`}}`;
      parts.push(`[\n${rows.join(",\n")}\n${noReport ? "" : `,\n  ${counts}\n`}]\n`);
    } else {
      for (const root of roots) this.#draw(root, "", "", parts);
      const folders = `${this.#folders} director${this.#folders === 1 ? "y" : "ies"}`;
      const files = `, ${this.#files} file${this.#files === 1 ? "" : "s"}`;
      if (!noReport) parts.push(`\n${folders}${onlyFolders ? "" : files}\n`);
    }
    if (output === undefined) this.#report.print(parts.join(""));
    else {
      try {
        await this.#ctx.fs.writeFile(this.#ctx.fs.resolvePath(this.#ctx.cwd, output), parts.join(""));
      } catch (error) {
        this.#report.failed(`invalid filename '${output}'`, error);
      }
    }
  }

  async #below(
    path: string,
    shown: string,
    depth: number,
    above: readonly Look[],
  ): Promise<{ children: Branch[] | null; note?: string }> {
    const { maxDepth, all, onlyFolders, fileLimit, followLinks, prune } = this.#options;
    if (depth > maxDepth) return { children: null };
    let names: string[];
    try {
      names = await this.#ctx.fs.readdir(path);
    } catch {
      return { children: null, note: "error opening dir" };
    }
    if (!all) names = names.filter((name) => !name.startsWith("."));
    if (fileLimit > 0 && names.length > fileLimit) {
      return { children: null, note: `${names.length} entries exceeds filelimit, not opening dir` };
    }
    const found: {
      name: string;
      at: string;
      entry: Look | null;
      end: Look | null;
      target: string | undefined;
    }[] = [];
    for (const name of names) {
      const at = joinShown(path, name);
      const entry = await lookIfThere(this.#ctx.fs, at, false);
      const isLink = entry?.isSymbolicLink === true;
      const end = isLink ? await lookIfThere(this.#ctx.fs, at, true) : null;
      const target = isLink ? await this.#ctx.fs.readlink(at).catch(() => "") : undefined;
      const isFolder = (end ?? entry)?.isDirectory === true;
      if (onlyFolders && !isFolder) continue;
      if (!this.#isWanted(name, entry?.isDirectory === true)) continue;
      found.push({ name, at, entry, end, target });
    }
    const children: Branch[] = [];
    for (const { name, at, entry, end, target } of this.#sorted(found)) {
      const branch = { name, shown: joinShown(shown, name), entry, target, end };
      const isFolder = (end ?? entry)?.isDirectory === true;
      const opens = isFolder && (entry?.isDirectory === true || followLinks);
      const into = end ?? entry;
      const isLoop = into !== null && above.some((one) => one.ino === into.ino && one.dev === into.dev);
      const [folders, files] = [this.#folders, this.#files];
      const inside =
        opens && into !== null && !isLoop
          ? await this.#below(at, branch.shown, depth + 1, [...above, into])
          : isLoop
            ? { children: null, note: "recursive, not followed" }
            : { children: null };
      if (prune && isFolder && (inside.children?.length ?? 0) === 0) {
        [this.#folders, this.#files] = [folders, files];
        continue;
      }
      if (isFolder) this.#folders++;
      else this.#files++;
      children.push({ ...branch, ...inside });
    }
    return { children };
  }

  #isWanted(name: string, isFolder: boolean): boolean {
    const { ignored, wanted, matchFolders } = this.#options;
    if (ignored.some((pattern) => pattern.test(name) || (isFolder && pattern.test(`${name}/`)))) return false;
    if (wanted.length === 0 || (isFolder && !matchFolders)) return true;
    return isFolder || wanted.some((pattern) => pattern.test(name));
  }

  #sorted<Item extends { name: string; entry: Look | null; end: Look | null }>(
    items: readonly Item[],
  ): Item[] {
    const { sort, reverse, first } = this.#options;
    const byName = (a: Item, b: Item): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
    const order = (a: Item, b: Item): number => {
      if (sort === "none") return 0;
      if (sort === "size") return (b.entry?.size ?? 0) - (a.entry?.size ?? 0) || byName(a, b);
      if (sort === "mtime") return (a.entry?.mtimeMs ?? 0) - (b.entry?.mtimeMs ?? 0) || byName(a, b);
      if (sort === "version") return a.name.localeCompare(b.name, "en", { numeric: true }) || byName(a, b);
      return byName(a, b);
    };
    const sorted = [...items].sort((a, b) => (reverse ? order(b, a) : order(a, b)));
    if (first === undefined) return sorted;
    const isFolder = ({ entry, end }: Item): boolean => (end ?? entry)?.isDirectory === true;
    const weight = (item: Item): number => (isFolder(item) === (first === "folders") ? 0 : 1);
    return sorted.sort((a, b) => weight(a) - weight(b));
  }

  #draw(branch: Branch, prefix: string, lead: string, parts: string[]): void {
    const { ascii, indent } = this.#options;
    const lines = ascii ? ASCII : UNICODE;
    parts.push(
      `${indent ? prefix + lead : ""}${this.#label(branch)}${branch.note === undefined ? "" : `  [${branch.note}]`}\n`,
    );
    const below = lead === "" ? prefix : prefix + (lead === lines.last ? "    " : lines.bar);
    const children = branch.children ?? [];
    for (const [at, child] of children.entries()) {
      this.#draw(child, below, at === children.length - 1 ? lines.last : lines.middle, parts);
    }
  }

  #label({ name, shown, entry, target, end }: Branch): string {
    const { fullPath, color, quoteNames, sign } = this.#options;
    const facts = entry === null ? [] : this.#facts(entry);
    const text = fullPath ? shown : name;
    const quoted = quoteNames ? `"${text}"` : text;
    const painted = color ? `\x1b[${colorOf(entry)}m${quoted}\x1b[0m` : quoted;
    const link =
      target === undefined
        ? ""
        : ` -> ${color ? `\x1b[${colorOf(end)}m${target}\x1b[0m` : quoteNames ? `"${target}"` : target}`;
    const mark = sign ? signOf(end ?? entry) : "";
    const inner = name === "/" || text.endsWith("/") ? "" : mark;
    return `${facts.length === 0 ? "" : `[${facts.join(" ")}]  `}${painted}${link}${inner}`;
  }

  #facts(entry: Look): string[] {
    const { permissions, size, human, si, owner, group, inode, time, timeFormat } = this.#options;
    const facts: string[] = [];
    if (inode) facts.push(String(entry.ino).padStart(7));
    if (permissions) facts.push(modeText(entry));
    if (owner) facts.push(OWNER.name.padEnd(8));
    if (group) facts.push(OWNER.name.padEnd(8));
    if (human || si) facts.push(humanSize(entry.size, si ? 1000 : 1024).padStart(4));
    else if (size) facts.push(String(entry.size).padStart(11));
    if (time)
      facts.push(
        formatTime(
          timeFormat ?? "%b %e %H:%M",
          instantOfDate(entry.mtime),
          timeZone(this.#ctx.env.get("TZ")),
        ),
      );
    return facts;
  }

  #json({ name, shown, entry, target, children, note }: Branch, indent: string): string {
    const kind = entry?.isDirectory ? "directory" : entry?.isSymbolicLink ? "link" : "file";
    const text = JSON.stringify(this.#options.fullPath ? shown : name);
    const link = target === undefined ? "" : `,"target":${JSON.stringify(target)}`;
    const size = this.#options.size && entry !== null ? `,"size":${entry.size}` : "";
    const mode =
      this.#options.permissions && entry !== null
        ? `,"mode":"0${entry.mode.toString(8)}","prot":"${modeText(entry)}"`
        : "";
    const head = `${indent}{"type":"${kind}","name":${text}${link}${mode}${size}`;
    if (note !== undefined) return `${head},"contents":[{"error": "${note}"}]}`;
    if (kind === "file" || target !== undefined) return `${head}}`;
    const rows = (children ?? []).map((child) => this.#json(child, `${indent}  `));
    return rows.length === 0 ? `${head}}` : `${head},"contents":[\n${rows.join(",\n")}\n${indent}]}`;
  }
}

function signOf(entry: Look | null): string {
  if (entry === null) return "";
  if (entry.isDirectory) return "/";
  if (entry.isSymbolicLink) return "@";
  return (entry.mode & 0o111) !== 0 ? "*" : "";
}

function colorOf(entry: Look | null): string {
  if (entry === null) return "00";
  if (entry.isDirectory) return "01;34";
  if (entry.isSymbolicLink) return "01;36";
  return (entry.mode & 0o111) !== 0 ? "01;32" : "00";
}
