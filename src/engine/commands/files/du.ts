import { type Command, type CommandContext, decodeBytesToUtf8, defineCommand } from "just-bash";
import { parseGnuOptions, usageError } from "../gnu-options.ts";
import { formatTime, instantOfDate } from "./format-time.ts";
import { humanSize } from "./human-size.ts";
import { joinShown, type Look, look, pathOf } from "./look.ts";
import { patternOf } from "./name-match.ts";
import { quoteName, quoteValue } from "./quote-name.ts";
import { Report } from "./report.ts";
import { timeZone } from "./time-zone.ts";

const PROGRAM = {
  name: "du",
  help: `Usage: du [OPTION]... [FILE]...
Summarize device usage of the set of FILEs, recursively for directories.

  -0, --null            end each output line with NUL, not newline
  -a, --all             write counts for all files, not just directories
      --apparent-size   print apparent sizes rather than device usage
  -B, --block-size=SIZE  scale sizes by SIZE before printing them
  -b, --bytes           equivalent to '--apparent-size --block-size=1'
  -c, --total           produce a grand total
  -d, --max-depth=N     print the total for a directory only if it is N or
                          fewer levels below the command line argument
  -h, --human-readable  print sizes in human readable format
      --si              like -h, but use powers of 1000 not 1024
      --inodes          list inode usage information instead of block usage
  -k, -m                like --block-size=1K, --block-size=1M
  -L, --dereference     dereference all symbolic links
  -D, -H                dereference only symlinks that are listed
  -l, --count-links     count sizes many times if hard linked
  -S, --separate-dirs   for directories do not include size of subdirectories
  -s, --summarize       display only a total for each argument
  -t, --threshold=SIZE  exclude entries smaller than SIZE if positive,
                          or entries greater than SIZE if negative
      --time            show time of the last modification
  -X, --exclude-from=FILE  exclude files that match any pattern in FILE
      --exclude=PATTERN  exclude files that match PATTERN
`,
  compatibleWith: "GNU coreutils 9.1",
  options: {
    nul: { short: "0", long: "null" },
    all: { short: "a", long: "all" },
    apparent: { long: "apparent-size" },
    blockSize: { short: "B", long: "block-size", value: "required" },
    bytes: { short: "b", long: "bytes" },
    total: { short: "c", long: "total" },
    operandLinks: { short: "D", long: "dereference-args" },
    operandLinksToo: { short: "H" },
    maxDepth: { short: "d", long: "max-depth", value: "required" },
    filesFrom: { long: "files0-from", value: "required" },
    human: { short: "h", long: "human-readable" },
    si: { long: "si" },
    inodes: { long: "inodes" },
    kibibytes: { short: "k" },
    mebibytes: { short: "m" },
    follow: { short: "L", long: "dereference" },
    countLinks: { short: "l", long: "count-links" },
    noFollow: { short: "P", long: "no-dereference" },
    separate: { short: "S", long: "separate-dirs" },
    summarize: { short: "s", long: "summarize" },
    threshold: { short: "t", long: "threshold", value: "required" },
    time: { long: "time", value: "optional" },
    timeStyle: { long: "time-style", value: "required" },
    excludeFrom: { short: "X", long: "exclude-from", value: "required" },
    exclude: { long: "exclude", value: "required" },
    oneFileSystem: { short: "x", long: "one-file-system" },
  },
} as const;

/** What is counted of a tree. */
interface Usage {
  readonly size: number;
  readonly mtime: Date;
}

interface Request {
  readonly all: boolean;
  readonly maxDepth: number;
  readonly separate: boolean;
  readonly countLinks: boolean;
  readonly follow: "never" | "operands" | "always";
  readonly excluded: readonly RegExp[];
  readonly sizeOf: (entry: Look) => number;
  readonly show: (usage: Usage, name: string) => void;
}

/** `du` as coreutils has it. The engine's own counts bytes for blocks and lacks most options. */
export const du: Command = defineCommand("du", async (args, ctx) => {
  const parsed = parseGnuOptions(PROGRAM, args);
  if (!parsed.ok) return parsed.result;
  const { given, operands, has, value } = parsed.args;
  const report = new Report("du");
  const depthText = value("maxDepth");
  if (depthText !== undefined && !/^\d+$/.test(depthText)) {
    return usageError(PROGRAM, `invalid maximum depth ${quoteValue(depthText)}`);
  }
  if (has("all") && has("summarize"))
    return usageError(PROGRAM, "cannot both summarize and show all entries");
  let unit = 1024;
  let human: 1024 | 1000 | undefined;
  for (const { key, value: text } of given) {
    if (["bytes", "kibibytes", "mebibytes", "blockSize", "human", "si"].includes(key)) human = undefined;
    if (key === "bytes") unit = 1;
    if (key === "kibibytes") unit = 1024;
    if (key === "mebibytes") unit = 1 << 20;
    if (key === "human") human = 1024;
    if (key === "si") human = 1000;
    if (key === "blockSize") {
      const size = sizeOfText(text ?? "");
      if (size === null) return usageError(PROGRAM, `invalid --block-size argument '${text}'`);
      unit = size;
    }
  }
  const threshold = sizeOfText(value("threshold")?.replace(/^-/, "") ?? "0") ?? 0;
  const isMost = value("threshold")?.startsWith("-") === true;
  const zone = timeZone(ctx.env.get("TZ"));
  const style = value("timeStyle");
  const timeFormat = style?.startsWith("+")
    ? style.slice(1)
    : style === "full-iso"
      ? "%Y-%m-%d %H:%M:%S.%N %z"
      : style === "iso"
        ? "%Y-%m-%d"
        : "%Y-%m-%d %H:%M";
  const apparent = has("apparent") || has("bytes");
  const show = ({ size, mtime }: Usage, name: string): void => {
    if (isMost ? size > threshold : size < threshold) return;
    const shown = has("inodes")
      ? String(size)
      : human === undefined
        ? String(Math.ceil(size / unit))
        : humanSize(size, human);
    const time = has("time") ? `\t${formatTime(timeFormat, instantOfDate(mtime), zone)}` : "";
    report.print(`${shown}${time}\t${name}${has("nul") ? "\0" : "\n"}`);
  };
  const patterns = given.flatMap(({ key, value: text }) => (key === "exclude" ? [text ?? ""] : []));
  const names = [...operands];
  const readLines = async (file: string, separator: string): Promise<string[]> => {
    const text =
      file === "-" ? decodeBytesToUtf8(ctx.stdin) : await ctx.fs.readFile(ctx.fs.resolvePath(ctx.cwd, file));
    return text.split(separator).filter((line) => line !== "");
  };
  try {
    const excludeFile = value("excludeFrom");
    if (excludeFile !== undefined) patterns.push(...(await readLines(excludeFile, "\n")));
    const listFile = value("filesFrom");
    if (listFile !== undefined) names.push(...(await readLines(listFile, "\0")));
  } catch (error) {
    report.failed(value("excludeFrom") ?? value("filesFrom") ?? "", error);
    return report.result();
  }
  const counter = new Counter(ctx, report, {
    all: has("all"),
    maxDepth: has("summarize") ? 0 : Number(depthText ?? Number.POSITIVE_INFINITY),
    separate: has("separate"),
    countLinks: has("countLinks"),
    follow: has("follow") ? "always" : has("operandLinks") || has("operandLinksToo") ? "operands" : "never",
    excluded: patterns.map((one) => patternOf(one)),
    sizeOf: (entry) =>
      has("inodes")
        ? 1
        : apparent
          ? entry.isFile || entry.isDirectory || entry.isSymbolicLink
            ? entry.size
            : 0
          : entry.blocks * 512,
    show,
  });
  let total = 0;
  let latest = new Date(0);
  for (const name of names.length === 0 ? ["."] : names) {
    const usage = await counter.count(name);
    total += usage?.size ?? 0;
    if (usage !== null && usage.mtime > latest) latest = usage.mtime;
  }
  if (has("total")) show({ size: total, mtime: latest }, "total");
  return report.result();
});

function sizeOfText(text: string): number | null {
  const match = /^(\d*)([KMGTPE]?)(i?B)?$/i.exec(text);
  if (match === null || text === "") return null;
  const [, count = "", letter = "", ending] = match;
  const power = letter === "" ? 0 : "KMGTPE".indexOf(letter.toUpperCase()) + 1;
  return Number(count || 1) * (ending === "B" ? 1000 : 1024) ** power;
}

class Counter {
  readonly #ctx: CommandContext;
  readonly #report: Report;
  readonly #request: Request;
  /** Files with several names, and operands inside others, count once. */
  readonly #seen = new Set<string>();

  constructor(ctx: CommandContext, report: Report, request: Request) {
    this.#ctx = ctx;
    this.#report = report;
    this.#request = request;
  }

  async count(operand: string): Promise<Usage | null> {
    return this.#count(operand, pathOf(this.#ctx.fs, this.#ctx.cwd, operand), 0);
  }

  async #count(shown: string, path: string, depth: number): Promise<Usage | null> {
    const { follow, excluded, countLinks, all, maxDepth, sizeOf, show, separate } = this.#request;
    const name = shown.replace(/(?<=.)\/+$/, "").replace(/^.*\/(?=.)/s, "");
    if (excluded.some((pattern) => pattern.test(name) || pattern.test(shown))) return null;
    let entry: Look;
    try {
      entry = await look(this.#ctx.fs, path, follow === "always" || (follow === "operands" && depth === 0));
    } catch (error) {
      this.#report.failed(`cannot access ${quoteName(shown)}`, error);
      return null;
    }
    const identity = `${entry.dev}:${entry.ino}`;
    if (!countLinks || entry.isDirectory) {
      if (this.#seen.has(identity)) return null;
      if (entry.nlink > 1 || entry.isDirectory || depth === 0) this.#seen.add(identity);
    }
    let size = sizeOf(entry);
    let mtime = entry.mtime;
    if (!entry.isDirectory) {
      if (depth === 0 || (all && depth <= maxDepth)) show({ size, mtime }, shown);
      return { size, mtime };
    }
    let names: string[] = [];
    try {
      names = await this.#ctx.fs.readdir(path);
    } catch (error) {
      this.#report.failed(`cannot read directory ${quoteName(shown)}`, error);
    }
    let below = 0;
    for (const child of names) {
      const at = joinShown(path, child);
      const usage = await this.#count(joinShown(shown, child), at, depth + 1);
      if (usage === null) continue;
      if (usage.mtime > mtime) mtime = usage.mtime;
      const isFolder = separate && "isFolder" in usage;
      if (isFolder) below += usage.size;
      else size += usage.size;
    }
    if (depth <= maxDepth) show({ size, mtime }, shown);
    // With `-S` a line leaves out what is in directories below; the total of all does not.
    const result = { size: size + below, mtime, isFolder: true };
    return result;
  }
}
