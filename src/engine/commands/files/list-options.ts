/** Options of `ls`. */
import type { GnuArguments, GnuProgram } from "../gnu-options.ts";
import { patternOf } from "./name-match.ts";
import { quoteValue } from "./quote-name.ts";

const OPTIONS = {
  all: { short: "a", long: "all" },
  almostAll: { short: "A", long: "almost-all" },
  author: { long: "author" },
  escape: { short: "b", long: "escape" },
  blockSize: { long: "block-size", value: "required" },
  ignoreBackups: { short: "B", long: "ignore-backups" },
  changeTime: { short: "c" },
  columns: { short: "C" },
  color: { long: "color", value: "optional" },
  directory: { short: "d", long: "directory" },
  dired: { short: "D", long: "dired" },
  unsortedAll: { short: "f" },
  classifyShort: { short: "F" },
  classify: { long: "classify", value: "optional" },
  fileType: { long: "file-type" },
  format: { long: "format", value: "required" },
  fullTime: { long: "full-time" },
  noOwner: { short: "g" },
  foldersFirst: { long: "group-directories-first" },
  noGroup: { short: "G", long: "no-group" },
  human: { short: "h", long: "human-readable" },
  si: { long: "si" },
  followOperands: { short: "H", long: "dereference-command-line" },
  followToFolders: { long: "dereference-command-line-symlink-to-dir" },
  hide: { long: "hide", value: "required" },
  hyperlink: { long: "hyperlink", value: "optional" },
  indicators: { long: "indicator-style", value: "required" },
  inode: { short: "i", long: "inode" },
  ignore: { short: "I", long: "ignore", value: "required" },
  kibibytes: { short: "k", long: "kibibytes" },
  long: { short: "l" },
  follow: { short: "L", long: "dereference" },
  commas: { short: "m" },
  numeric: { short: "n", long: "numeric-uid-gid" },
  literal: { short: "N", long: "literal" },
  longNoGroup: { short: "o" },
  slash: { short: "p" },
  hideControls: { short: "q", long: "hide-control-chars" },
  showControls: { long: "show-control-chars" },
  quoteNames: { short: "Q", long: "quote-name" },
  quoting: { long: "quoting-style", value: "required" },
  reverse: { short: "r", long: "reverse" },
  recursive: { short: "R", long: "recursive" },
  size: { short: "s", long: "size" },
  bySize: { short: "S" },
  sort: { long: "sort", value: "required" },
  byTime: { short: "t" },
  time: { long: "time", value: "required" },
  timeStyle: { long: "time-style", value: "required" },
  tabSize: { short: "T", long: "tabsize", value: "required" },
  accessTime: { short: "u" },
  unsorted: { short: "U" },
  byVersion: { short: "v" },
  width: { short: "w", long: "width", value: "required" },
  across: { short: "x" },
  byExtension: { short: "X" },
  context: { short: "Z", long: "context" },
  onePerLine: { short: "1" },
  zero: { long: "zero" },
} as const;

type Key = keyof typeof OPTIONS;

export const LS: GnuProgram<Key> = {
  name: "ls",
  usageStatus: 2,
  compatibleWith: "GNU coreutils 9.1",
  options: OPTIONS,
  help: `Usage: ls [OPTION]... [FILE]...
List information about the FILEs (the current directory by default).
Sort entries alphabetically if none of -cftuvSUX nor --sort is specified.

  -a, -A          entries that begin with a dot too (-A: without . and ..)
  -b, -N, -q, -Q  how names with odd characters are shown
  -c, -u          time of change, of access
  -C, -x, -m, -1  columns, lines, commas, one entry a line
  -d              directories themselves, not what is in them
  -F, -p, --file-type  a sign behind each name
  -g, -o, -G, -n  without owner, without group, with numbers
  -h, --si, --block-size=SIZE, -k  units of sizes
  -i, -s          number and blocks before each name
  -I, -B, --hide=PATTERN  entries to leave out
  -l, --full-time, --time-style=STYLE  one line of facts for each entry
  -L, -H          facts of what links lead to
  -r, -S, -t, -U, -v, -X, --sort=WORD, --group-directories-first  order
  -R              directories with all that is below
  -w, --width=COLS  width of the output
      --color[=WHEN]  colors: always, auto, never
      --zero      end each name with NUL
`,
};

/** What was asked for. */
export interface ListOptions {
  readonly operands: readonly string[];
  readonly dots: "none" | "almost" | "all";
  readonly hidden: readonly RegExp[];
  readonly format: "lines" | "long" | "columns" | "across" | "commas";
  readonly recursive: boolean;
  readonly reverse: boolean;
  readonly directories: boolean;
  readonly indicators: "none" | "slash" | "file-type" | "classify";
  readonly inode: boolean;
  readonly blocks: boolean;
  readonly numeric: boolean;
  readonly owner: boolean;
  readonly group: boolean;
  readonly foldersFirst: boolean;
  readonly follow: "never" | "operands" | "folders" | "always";
  readonly sort: "name" | "size" | "time" | "version" | "extension" | "none";
  readonly time: "mtime" | "atime" | "ctime";
  readonly timeStyle: string;
  readonly quoting: string;
  readonly color: boolean;
  readonly width: number;
  readonly end: string;
  /** Bytes of one unit; a power of it with a letter when `human`. */
  readonly unit: { readonly size: number; readonly suffix: string; readonly human?: 1024 | 1000 };
}

const SORTS: Readonly<Record<string, ListOptions["sort"]>> = {
  name: "name",
  none: "none",
  size: "size",
  time: "time",
  version: "version",
  extension: "extension",
};
const SORT_KEYS: Partial<Record<Key, ListOptions["sort"]>> = {
  unsortedAll: "none",
  bySize: "size",
  byTime: "time",
  unsorted: "none",
  byVersion: "version",
  byExtension: "extension",
};
const FORMATS: Readonly<Record<string, ListOptions["format"]>> = {
  long: "long",
  verbose: "long",
  commas: "commas",
  horizontal: "across",
  across: "across",
  vertical: "columns",
  "single-column": "lines",
};
const FORMAT_KEYS: Partial<Record<Key, ListOptions["format"]>> = {
  long: "long",
  numeric: "long",
  longNoGroup: "long",
  noOwner: "long",
  fullTime: "long",
  columns: "columns",
  across: "across",
  commas: "commas",
};
const TIMES: Readonly<Record<string, ListOptions["time"]>> = {
  atime: "atime",
  access: "atime",
  use: "atime",
  ctime: "ctime",
  status: "ctime",
  mtime: "mtime",
  modification: "mtime",
  birth: "ctime",
  creation: "ctime",
};
const TIME_STYLES = ["full-iso", "long-iso", "iso", "locale"];

/** The options, or the value that is none of its option's. */
export function readListOptions(
  args: GnuArguments<Key>,
  env: ReadonlyMap<string, string>,
): ListOptions | string {
  const { given, operands, has, value } = args;
  let format: ListOptions["format"] = "lines";
  let sort: ListOptions["sort"] | undefined;
  let time: ListOptions["time"] = "mtime";
  let indicators: ListOptions["indicators"] = "none";
  let quoting = "literal";
  const hidden: string[] = [];
  const wrong = (option: string, text: string | undefined): string =>
    `invalid argument ${quoteValue(text ?? "")} for ${quoteValue(`--${option}`)}`;
  for (const { key, value: text } of given) {
    format = FORMAT_KEYS[key] ?? format;
    sort = SORT_KEYS[key] ?? sort;
    if (key === "onePerLine" && format !== "long") format = "lines";
    if (key === "accessTime") time = "atime";
    if (key === "changeTime") time = "ctime";
    if (key === "slash") indicators = "slash";
    if (key === "fileType") indicators = "file-type";
    if (
      key === "classifyShort" ||
      (key === "classify" && (text === undefined || /^(always|yes|force)$/.test(text)))
    ) {
      indicators = "classify";
    }
    if (key === "escape") quoting = "escape";
    if (key === "quoteNames") quoting = "c";
    if (key === "literal") quoting = "literal";
    if (key === "quoting") quoting = text ?? "literal";
    if (key === "hideControls") quoting = "hide";
    if (key === "ignore") hidden.push(text ?? "");
    if (key === "hide" && !has("all") && !has("almostAll")) hidden.push(text ?? "");
    if (key === "ignoreBackups") hidden.push("*~", ".*~");
    if (key === "indicators") {
      if (!/^(none|slash|file-type|classify)$/.test(text ?? "")) return wrong("indicator-style", text);
      indicators = text as ListOptions["indicators"];
    }
    if (key === "sort") {
      const known = SORTS[text ?? ""];
      if (known === undefined) return wrong("sort", text);
      sort = known;
    }
    if (key === "format") {
      const known = FORMATS[text ?? ""];
      if (known === undefined) return wrong("format", text);
      format = known;
    }
    if (key === "time") {
      const known = TIMES[text ?? ""];
      if (known === undefined) return wrong("time", text);
      time = known;
    }
  }
  const style = (
    has("fullTime") ? "full-iso" : (value("timeStyle") ?? env.get("TIME_STYLE") ?? "locale")
  ).replace(/^posix-/, "");
  if (!style.startsWith("+") && !TIME_STYLES.includes(style)) return wrong("time-style", style);
  const unit = unitOf(args);
  if (typeof unit === "string") return unit;
  const width = Number(value("width") ?? env.get("COLUMNS") ?? 80);
  return {
    operands: operands.length === 0 ? ["."] : operands,
    dots: has("all") || has("unsortedAll") ? "all" : has("almostAll") ? "almost" : "none",
    hidden: hidden.map((pattern) => patternOf(pattern)),
    format,
    recursive: has("recursive"),
    reverse: has("reverse"),
    directories: has("directory"),
    indicators,
    inode: has("inode"),
    blocks: has("size"),
    numeric: has("numeric"),
    owner: !has("noOwner"),
    group: !has("noGroup") && !has("longNoGroup"),
    foldersFirst: has("foldersFirst"),
    follow: has("follow")
      ? "always"
      : has("followOperands")
        ? "operands"
        : has("followToFolders")
          ? "folders"
          : "never",
    // Without `-l`, a time that is asked for is the order too.
    sort: sort ?? (time !== "mtime" && format !== "long" ? "time" : "name"),
    time,
    timeStyle: style,
    quoting,
    color: has("color") && /^(always|yes|force)$/.test(value("color") ?? "always") && knowsColors(env),
    width: width > 0 ? width : Number.POSITIVE_INFINITY,
    end: has("zero") ? "\0" : "\n",
    unit,
  };
}

/** Without a terminal of a known kind GNU's `ls` shows no colors, whatever is asked for. */
function knowsColors(env: ReadonlyMap<string, string>): boolean {
  if ((env.get("LS_COLORS") ?? "") !== "" || (env.get("COLORTERM") ?? "") !== "") return true;
  return /^(ansi|linux|cygwin|eterm|gnome|konsole|kterm|putty|rxvt|screen|st|terminator|tmux|vt100|vt220|xterm|.*color|alacritty|foot)/i.test(
    env.get("TERM") ?? "",
  );
}

const UNIT_POWERS = "KMGTPE";

function unitOf({ given, has, value }: GnuArguments<Key>): ListOptions["unit"] | string {
  const last = given.findLast(({ key }) => key === "human" || key === "si" || key === "blockSize")?.key;
  if (last === "human" || last === "si")
    return { size: 1024, suffix: "", human: last === "si" ? 1000 : 1024 };
  const text = value("blockSize");
  if (text === undefined) return { size: has("kibibytes") ? 1024 : 1, suffix: "" };
  if (text === "human-readable") return { size: 1024, suffix: "", human: 1024 };
  if (text === "si") return { size: 1024, suffix: "", human: 1000 };
  const match = /^'?(\d*)([KMGTPE]?)(i?B)?$/i.exec(text);
  if (match === null) return `invalid --block-size argument '${text}'`;
  const [, count = "", letter = "", ending] = match;
  const power = letter === "" ? 0 : UNIT_POWERS.indexOf(letter.toUpperCase()) + 1;
  const base = ending === "B" ? 1000 : 1024;
  return {
    size: Number(count || 1) * base ** power,
    suffix: count === "" ? `${letter.toUpperCase()}${ending ?? ""}` : "",
  };
}
