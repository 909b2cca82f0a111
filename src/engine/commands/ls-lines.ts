/** Options and lines of `ls`. */
import type { FsStat } from "just-bash";

/** One entry to list; `stat` is null when it was not asked for or cannot be had. */
export interface Listed {
  readonly name: string;
  readonly path: string;
  readonly stat: FsStat | null;
}

/** What was asked for. */
export interface ListOptions {
  readonly operands: readonly string[];
  readonly all: boolean;
  readonly almostAll: boolean;
  readonly long: boolean;
  readonly human: boolean;
  readonly recursive: boolean;
  readonly reverse: boolean;
  readonly directories: boolean;
  readonly classify: boolean;
  readonly slash: boolean;
  readonly inode: boolean;
  readonly numeric: boolean;
  readonly noOwner: boolean;
  readonly noGroup: boolean;
  readonly foldersFirst: boolean;
  readonly sort: "name" | "size" | "time" | "none";
}

const LONG_NAMES: Readonly<Record<string, string>> = {
  all: "a",
  "almost-all": "A",
  directory: "d",
  recursive: "R",
  reverse: "r",
  "human-readable": "h",
  inode: "i",
  "numeric-uid-gid": "n",
  classify: "F",
  "no-group": "G",
  "group-directories-first": "\u0001",
};
const KNOWN = "aAldhRrStUfFp1inogGCxmkcuqNQbsXv\u0001";

/** The options, or why they are none. */
export function readListOptions(args: readonly string[]): ListOptions | string {
  const letters = new Set<string>();
  const operands: string[] = [];
  let sort: ListOptions["sort"] = "name";
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--") {
      operands.push(...args.slice(at + 1));
      break;
    }
    if (arg.startsWith("--")) {
      const [name = "", value] = arg.slice(2).split("=");
      if (["color", "time-style", "quoting-style", "format"].includes(name)) continue;
      if (name === "sort" && (value === "size" || value === "time" || value === "none")) sort = value;
      else if (LONG_NAMES[name] !== undefined) letters.add(LONG_NAMES[name]);
      else return `unrecognized option '${arg}'`;
    } else if (arg.startsWith("-") && arg !== "-") {
      for (const letter of arg.slice(1)) {
        if (!KNOWN.includes(letter)) return `invalid option -- '${letter}'`;
        letters.add(letter);
        if (letter === "S") sort = "size";
        if (letter === "t") sort = "time";
        if (letter === "U" || letter === "f") sort = "none";
      }
    } else operands.push(arg);
  }
  const has = (letter: string): boolean => letters.has(letter);
  return {
    operands: operands.length === 0 ? ["."] : operands,
    all: has("a") || has("f"),
    almostAll: has("A"),
    long: has("l") || has("n") || has("o") || has("g"),
    human: has("h"),
    recursive: has("R"),
    reverse: has("r"),
    directories: has("d"),
    classify: has("F"),
    slash: has("p"),
    inode: has("i"),
    numeric: has("n"),
    noOwner: has("g"),
    noGroup: has("o") || has("G"),
    foldersFirst: has("\u0001"),
    sort,
  };
}

/** The name as listed, with the number and the sign that were asked for. */
export function nameOf({ name, stat }: Listed, { classify, slash, inode }: ListOptions): string {
  let sign = "";
  if (stat?.isDirectory && (classify || slash)) sign = "/";
  else if (classify && stat?.isSymbolicLink) sign = "@";
  else if (classify && stat?.isFile && (stat.mode & 0o111) !== 0) sign = "*";
  return `${inode ? `${stat?.ino ?? 0} ` : ""}${name}${sign}`;
}

/** The lines of `ls -l`, columns as wide as their widest. */
export async function longLines(
  entries: readonly Listed[],
  options: ListOptions,
  withTotal: boolean,
  readLink: (path: string) => Promise<string>,
): Promise<string> {
  const rows: { entry: Listed; size: string; target: string }[] = [];
  for (const entry of entries) {
    const isLink = entry.stat?.isSymbolicLink === true;
    const target = isLink ? ` -> ${await readLink(entry.path).catch(() => "?")}` : "";
    rows.push({ entry, size: sizeOf(entry.stat?.size ?? 0, options.human), target });
  }
  const width = Math.max(0, ...rows.map(({ size }) => size.length));
  const owner = options.numeric ? "1000" : "user";
  const owners = [...(options.noOwner ? [] : [owner]), ...(options.noGroup ? [] : [owner])].join(" ");
  const now = Date.now();
  const lines = rows.map(({ entry, size, target }) => {
    const { stat } = entry;
    const shown = options.classify && stat?.isSymbolicLink ? { ...options, classify: false } : options;
    const kind = stat === null ? "??????????" : modeText(stat);
    const time = timeText(stat?.mtime ?? new Date(0), now);
    const inode = options.inode ? `${stat?.ino ?? 0} ` : "";
    const name = nameOf(entry, { ...shown, inode: false });
    return `${inode}${kind} 1 ${owners} ${size.padStart(width)} ${time} ${name}${target}\n`;
  });
  const blocks = entries.reduce((sum, { stat }) => sum + blocksOf(stat), 0);
  return (
    (withTotal ? `total ${options.human ? sizeOf(blocks * 1024, true) : blocks}\n` : "") + lines.join("")
  );
}

/** Kibibytes on a disk of 4 KiB blocks. */
function blocksOf(stat: FsStat | null): number {
  if (stat === null || stat.isSymbolicLink) return 0;
  return Math.ceil(stat.size / 4096) * 4;
}

/** `drwxr-xr-x`. */
function modeText({ mode, isDirectory, isSymbolicLink, isFile }: FsStat): string {
  const kind = isDirectory ? "d" : isSymbolicLink ? "l" : isFile ? "-" : "?";
  const bits = [...mode.toString(8).padStart(4, "0").slice(-3)]
    .map((digit) => [4, 2, 1].map((bit, at) => (Number(digit) & bit ? "rwx"[at] : "-")).join(""))
    .join("");
  if ((mode & 0o1000) === 0) return kind + bits;
  return kind + bits.slice(0, -1) + (bits.endsWith("x") ? "t" : "T");
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const HALF_A_YEAR_MS = 15_778_476_000;

function timeText(time: Date, now: number): string {
  const day = String(time.getUTCDate()).padStart(2);
  const isRecent = time.getTime() <= now && time.getTime() > now - HALF_A_YEAR_MS;
  const clock = `${String(time.getUTCHours()).padStart(2, "0")}:${String(time.getUTCMinutes()).padStart(2, "0")}`;
  return `${MONTHS[time.getUTCMonth()]} ${day} ${isRecent ? clock : ` ${time.getUTCFullYear()}`}`;
}

function sizeOf(bytes: number, human: boolean): string {
  if (!human || bytes < 1024) return String(bytes);
  let value = bytes;
  let unit = 0;
  for (; value >= 1024 && unit < 4; unit++) value /= 1024;
  const shown = value < 10 ? (Math.ceil(value * 10) / 10).toFixed(1) : String(Math.ceil(value));
  return `${shown}${["", "K", "M", "G", "T"][unit]}`;
}
