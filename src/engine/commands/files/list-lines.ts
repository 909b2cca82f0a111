/** Lines of `ls`: names with their signs, the long format, columns. */
import { formatTime, instantOfDate } from "./format-time.ts";
import { humanSize } from "./human-size.ts";
import type { ListOptions } from "./list-options.ts";
import { type Look, modeText, OWNER } from "./look.ts";
import { quoteName, quoteNameIfNeeded } from "./quote-name.ts";
import type { TimeZone } from "./time-zone.ts";

/** One entry to list; `entry` is null when nothing of it can be seen. */
export interface Listed {
  readonly name: string;
  readonly path: string;
  readonly entry: Look | null;
  /** Of a symbolic link: where it leads, and what is there. */
  readonly target?: { readonly text: string; readonly entry: Look | null };
}

/** Letters that are as wide as two. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const COMBINING = /[\p{Mn}\p{Me}\p{Cf}]/u;

/** Columns that a text takes on a terminal. */
function widthOf(text: string): number {
  let width = 0;
  for (const char of text) width += COMBINING.test(char) ? 0 : WIDE.test(char) ? 2 : 1;
  return width;
}

function signOf(entry: Look | null, { indicators }: ListOptions): string {
  if (entry === null || indicators === "none") return "";
  if (entry.isDirectory) return "/";
  if (indicators === "slash") return "";
  if (entry.isSymbolicLink) return "@";
  if (!entry.isFile) return "|";
  return indicators === "classify" && (entry.mode & 0o111) !== 0 && !entry.isDevice ? "*" : "";
}

/** Names of the C library's characters in quotes. */
function quoted(name: string, style: string): string {
  switch (style) {
    case "c":
    case "c-maybe":
      return `"${escaped(name, '"')}"`;
    case "escape":
      return escaped(name, " ");
    case "shell":
    case "shell-escape":
      return quoteNameIfNeeded(name);
    case "shell-always":
    case "shell-escape-always":
      return quoteName(name);
    case "hide":
      return name.replace(/\p{Cc}/gu, "?");
    default:
      return name;
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  "\n": "\\n",
  "\t": "\\t",
  "\r": "\\r",
  "\b": "\\b",
  "\f": "\\f",
  "\v": "\\v",
};

function escaped(name: string, special: string): string {
  return name
    .replaceAll("\\", "\\\\")
    .replaceAll(special, `\\${special}`)
    .replace(/\p{Cc}/gu, (char) => ESCAPES[char] ?? `\\${char.charCodeAt(0).toString(8).padStart(3, "0")}`);
}

/** Colors of `dircolors` as they are without a database. */
function colorOf(entry: Look | null): string {
  if (entry === null) return "";
  if (entry.isDirectory)
    return (entry.mode & 0o1002) === 0o1002 ? "30;42" : (entry.mode & 0o002) !== 0 ? "34;42" : "01;34";
  if (entry.isSymbolicLink) return "01;36";
  if (entry.isDevice) return "01;33";
  if (!entry.isFile) return "33";
  return (entry.mode & 0o111) !== 0 ? "01;32" : "";
}

/** Names in color; the first of all begins with a reset, as GNU's does. */
export class Painter {
  #isFirst = true;

  paint(text: string, entry: Look | null, { color }: ListOptions): string {
    const code = color ? colorOf(entry) : "";
    if (code === "") return text;
    const reset = this.#isFirst ? "\x1b[0m" : "";
    this.#isFirst = false;
    return `${reset}\x1b[${code}m${text}\x1b[0m`;
  }
}

/** One cell: what is printed, and how wide it is. */
interface Cell {
  readonly text: string;
  readonly width: number;
}

function cellOf(
  listed: Listed,
  options: ListOptions,
  painter: Painter,
  blockWidth: number,
  inodeWidth: number,
): Cell {
  const name = quoted(listed.name, options.quoting);
  const sign = signOf(listed.entry, options);
  const inode = options.inode ? `${String(listed.entry?.ino ?? "?").padStart(inodeWidth)} ` : "";
  const blocks = options.blocks ? `${blocksOf(listed.entry, options).padStart(blockWidth)} ` : "";
  const text = inode + blocks + painter.paint(name, listed.entry, options) + sign;
  return { text, width: inode.length + blocks.length + widthOf(name) + sign.length };
}

function blocksOf(entry: Look | null, { unit }: ListOptions): string {
  const bytes = (entry?.blocks ?? 0) * 512;
  if (unit.human !== undefined) return humanSize(bytes, unit.human);
  return `${Math.ceil(bytes / (unit.size === 1 ? 1024 : unit.size))}${unit.suffix}`;
}

/** The names of one directory, or of the operands, in the form that was asked for. */
export function nameLines(entries: readonly Listed[], options: ListOptions, painter: Painter): string {
  const aligns = options.format !== "commas";
  const widest = (texts: readonly string[]): number =>
    aligns ? Math.max(0, ...texts.map((text) => text.length)) : 0;
  const blockWidth = options.blocks ? widest(entries.map(({ entry }) => blocksOf(entry, options))) : 0;
  const inodeWidth = options.inode ? widest(entries.map(({ entry }) => String(entry?.ino ?? "?"))) : 0;
  const cells = entries.map((one) => cellOf(one, options, painter, blockWidth, inodeWidth));
  if (options.format === "commas") return commas(cells, options);
  if (options.format === "lines") return cells.map(({ text }) => text + options.end).join("");
  return columns(cells, options);
}

function commas(cells: readonly Cell[], { width, end }: ListOptions): string {
  let text = "";
  let at = 0;
  for (const [index, cell] of cells.entries()) {
    if (index > 0) {
      const fits = at + 2 + cell.width < width;
      text += fits ? ", " : ",\n";
      at = fits ? at + 2 : 0;
    }
    text += cell.text;
    at += cell.width;
  }
  return cells.length === 0 ? "" : text + end;
}

const MIN_COLUMN_WIDTH = 3;
const TAB_SIZE = 8;

function columns(cells: readonly Cell[], { format, width, end }: ListOptions): string {
  if (cells.length === 0) return "";
  const isAcross = format === "across";
  const most = Math.min(cells.length, Math.max(1, Math.floor(Math.min(width, 1e6) / MIN_COLUMN_WIDTH)));
  let widths: number[] = [];
  let count = most;
  for (; count >= 1; count--) {
    const rows = Math.ceil(cells.length / count);
    widths = new Array<number>(count).fill(MIN_COLUMN_WIDTH);
    for (const [index, cell] of cells.entries()) {
      const column = isAcross ? index % count : Math.floor(index / rows);
      const needed = cell.width + (column === count - 1 ? 0 : 2);
      widths[column] = Math.max(widths[column] ?? 0, needed);
    }
    if (widths.reduce((sum, one) => sum + one, 0) < width) break;
  }
  count = Math.max(count, 1);
  const rows = Math.ceil(cells.length / count);
  const lines: string[] = [];
  for (let row = 0; row < rows; row++) {
    let line = "";
    let at = 0;
    let start = 0;
    for (let column = 0; column < count; column++) {
      const cell = cells[isAcross ? row * count + column : column * rows + row];
      if (cell === undefined) break;
      line += indent(at, start) + cell.text;
      at = start + cell.width;
      start += widths[column] ?? 0;
    }
    lines.push(line + end);
  }
  return lines.join("");
}

function indent(from: number, to: number): string {
  let text = "";
  let at = from;
  while (at < to) {
    if (Math.floor(to / TAB_SIZE) > Math.floor((at + 1) / TAB_SIZE)) {
      text += "\t";
      at += TAB_SIZE - (at % TAB_SIZE);
    } else {
      text += " ";
      at++;
    }
  }
  return text;
}

/** The lines of `ls -l`, columns as wide as their widest. */
export function longLines(
  entries: readonly Listed[],
  options: ListOptions,
  painter: Painter,
  zone: TimeZone,
  nowMs: number,
): string {
  const rows = entries.map(({ entry }) => ({
    inode: String(entry?.ino ?? "?"),
    blocks: blocksOf(entry, options),
    links: String(entry?.nlink ?? "?"),
    size: entry === null ? "?" : sizeOf(entry.size, options),
    time: entry === null ? "?" : timeText(entry[options.time], options.timeStyle, zone, nowMs),
  }));
  const widest = (key: keyof (typeof rows)[number]): number =>
    Math.max(0, ...rows.map((row) => row[key].length));
  const widths = {
    inode: widest("inode"),
    blocks: widest("blocks"),
    links: widest("links"),
    size: widest("size"),
    time: widest("time"),
  };
  const owner = options.numeric ? String(OWNER.id) : OWNER.name;
  return rows
    .map((row, index) => {
      const { name, entry, target } = entries[index] ?? { name: "", entry: null };
      const shown = painter.paint(quoted(name, options.quoting), entry, options);
      const ending =
        target === undefined
          ? signOf(entry, options)
          : ` -> ${painter.paint(quoted(target.text, options.quoting), target.entry, options)}${signOf(target.entry, options)}`;
      const words = [
        ...(options.inode ? [row.inode.padStart(widths.inode)] : []),
        ...(options.blocks ? [row.blocks.padStart(widths.blocks)] : []),
        entry === null ? "?????????" : modeText(entry),
        row.links.padStart(widths.links),
        ...(options.owner ? [owner] : []),
        ...(options.group ? [owner] : []),
        row.size.padStart(widths.size),
        row.time.padStart(widths.time),
        shown + ending,
      ];
      return words.join(" ") + options.end;
    })
    .join("");
}

/** The line above a directory's entries in the long format, and with `-s`. */
export function totalLine(entries: readonly Listed[], options: ListOptions): string {
  const blocks = entries.reduce((sum, { entry }) => sum + (entry?.blocks ?? 0), 0);
  return `total ${blocksOf({ blocks } as Look, options)}${options.end}`;
}

function sizeOf(bytes: number, { unit }: ListOptions): string {
  if (unit.human !== undefined) return humanSize(bytes, unit.human);
  return `${Math.ceil(bytes / unit.size)}${unit.suffix}`;
}

const HALF_A_YEAR_MS = 15_778_476_000;

function timeText(time: Date, style: string, zone: TimeZone, nowMs: number): string {
  const ms = time.getTime();
  const isRecent = ms <= nowMs && ms > nowMs - HALF_A_YEAR_MS;
  const styles: Readonly<Record<string, readonly [string, string]>> = {
    "full-iso": ["%Y-%m-%d %H:%M:%S.%N %z", "%Y-%m-%d %H:%M:%S.%N %z"],
    "long-iso": ["%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M"],
    iso: ["%m-%d %H:%M", "%Y-%m-%d "],
    locale: ["%b %e %H:%M", "%b %e  %Y"],
  };
  const [old = "", recent = old] = style.startsWith("+") ? style.slice(1).split("\n") : [];
  const [ofRecent, ofOld] = styles[style] ?? [recent, old];
  return formatTime(isRecent ? ofRecent : ofOld, instantOfDate(time), zone);
}
