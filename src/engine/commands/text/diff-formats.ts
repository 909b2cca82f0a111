/** The forms in which `diff` shows differences. */
import { groups, type Hunk } from "./diff-lines.ts";

/** One side: its lines, and whether the last one lacks its line feed. */
export interface DiffSide {
  readonly lines: readonly string[];
  readonly isOpen: boolean;
}

const NO_FEED = "\\ No newline at end of file\n";

/** A line behind a mark, with what is said of a last line without its end. */
function marked(mark: string, { lines, isOpen }: DiffSide, at: number): string {
  const feed = isOpen && at === lines.length - 1 ? `\n${NO_FEED}` : "\n";
  return mark + lines[at] + feed;
}

function all(mark: string, side: DiffSide, start: number, end: number): string {
  let text = "";
  for (let at = start; at < end; at++) text += marked(mark, side, at);
  return text;
}

/** `3` or `3,5`, from 1; for no line at all the one before. */
function range(start: number, end: number): string {
  if (end === start) return String(start);
  return end === start + 1 ? String(end) : `${start + 1},${end}`;
}

function letterOf(hunk: Hunk): "a" | "c" | "d" {
  if (hunk.aStart === hunk.aEnd) return "a";
  return hunk.bStart === hunk.bEnd ? "d" : "c";
}

export function normal(hunks: readonly Hunk[], a: DiffSide, b: DiffSide): string {
  return hunks
    .map((hunk) => {
      const { aStart, aEnd, bStart, bEnd } = hunk;
      const letter = letterOf(hunk);
      const divider = letter === "c" ? "---\n" : "";
      return `${range(aStart, aEnd)}${letter}${range(bStart, bEnd)}\n${all("< ", a, aStart, aEnd)}${divider}${all("> ", b, bStart, bEnd)}`;
    })
    .join("");
}

/** `heading(line)` names the place of a group for `-p` and `-F`. */
export function unified(
  hunks: readonly Hunk[],
  a: DiffSide,
  b: DiffSide,
  context: number,
  heading: (line: number) => string,
): string {
  const unifiedRange = (start: number, end: number): string => {
    if (end - start === 1) return String(end);
    return `${end === start ? start : start + 1},${end - start}`;
  };
  return groups(hunks, context)
    .map((group) => {
      const span = spanOf(group, a, b, context);
      let text = `@@ -${unifiedRange(span.aStart, span.aEnd)} +${unifiedRange(span.bStart, span.bEnd)} @@${heading(span.aStart)}\n`;
      let at = span.aStart;
      for (const { aStart, aEnd, bStart, bEnd } of group) {
        text += all(" ", a, at, aStart) + all("-", a, aStart, aEnd) + all("+", b, bStart, bEnd);
        at = aEnd;
      }
      return text + all(" ", a, at, span.aEnd);
    })
    .join("");
}

export function contextual(
  hunks: readonly Hunk[],
  a: DiffSide,
  b: DiffSide,
  context: number,
  heading: (line: number) => string,
): string {
  const contextRange = (start: number, end: number): string =>
    end - start <= 1 ? String(end) : `${start + 1},${end}`;
  return groups(hunks, context)
    .map((group) => {
      const span = spanOf(group, a, b, context);
      const side = (
        lines: DiffSide,
        start: "aStart" | "bStart",
        end: "aEnd" | "bEnd",
        mark: string,
      ): string => {
        if (group.every((hunk) => hunk[start] === hunk[end])) return "";
        let text = "";
        let at = span[start];
        for (const hunk of group) {
          const changed = letterOf(hunk) === "c" ? "! " : `${mark} `;
          text += all("  ", lines, at, hunk[start]) + all(changed, lines, hunk[start], hunk[end]);
          at = hunk[end];
        }
        return text + all("  ", lines, at, span[end]);
      };
      return (
        `***************${heading(span.aStart)}\n*** ${contextRange(span.aStart, span.aEnd)} ****\n${side(a, "aStart", "aEnd", "-")}` +
        `--- ${contextRange(span.bStart, span.bEnd)} ----\n${side(b, "bStart", "bEnd", "+")}`
      );
    })
    .join("");
}

/** A script for `ed`: from the end, so that numbers stay right. */
export function edScript(hunks: readonly Hunk[], b: DiffSide): string {
  return [...hunks]
    .reverse()
    .map((hunk) => {
      const { aStart, aEnd, bStart, bEnd } = hunk;
      const letter = letterOf(hunk);
      const lines =
        letter === "d"
          ? ""
          : `${b.lines
              .slice(bStart, bEnd)
              .map((line) => `${line}\n`)
              .join("")}.\n`;
      return `${range(aStart, aEnd)}${letter}\n${lines}`;
    })
    .join("");
}

export function rcs(hunks: readonly Hunk[], b: DiffSide): string {
  return hunks
    .map(({ aStart, aEnd, bStart, bEnd }) => {
      const removed = aEnd > aStart ? `d${aStart + 1} ${aEnd - aStart}\n` : "";
      const added = bEnd > bStart ? `a${aEnd} ${bEnd - bStart}\n${all("", b, bStart, bEnd)}` : "";
      return removed + added;
    })
    .join("");
}

/** How two columns stand beside each other. */
export interface ColumnLayout {
  readonly width: number;
  readonly suppressCommon: boolean;
  readonly leftColumn: boolean;
}

const TAB = 8;

export function sideBySide(hunks: readonly Hunk[], a: DiffSide, b: DiffSide, layout: ColumnLayout): string {
  const second = Math.floor((layout.width + TAB + 3) / (2 * TAB)) * TAB;
  const half = Math.max(0, Math.min(second - 3, layout.width - second));
  const row = (left: string | undefined, sign: string, right: string | undefined): string => {
    const shownLeft = left === undefined ? { text: "", column: 0 } : clip(left, half, 0);
    let { text, column } = shownLeft;
    if (sign !== " ") {
      const middle = Math.floor((half + second - 1) / 2);
      text += blanks(column, middle) + sign;
      column = middle + 1;
    }
    if (right !== undefined && right !== "") text += blanks(column, second) + clip(right, half, 0).text;
    return `${text}\n`;
  };
  let text = "";
  let at = 0;
  const common = (end: number, offset: number): void => {
    for (; at < end; at++) {
      if (layout.suppressCommon) continue;
      text += layout.leftColumn
        ? row(a.lines[at], "(", undefined)
        : row(a.lines[at], " ", b.lines[at + offset]);
    }
  };
  let offset = 0;
  for (const { aStart, aEnd, bStart, bEnd } of hunks) {
    common(aStart, offset);
    const both = Math.min(aEnd - aStart, bEnd - bStart);
    for (let index = 0; index < both; index++)
      text += row(a.lines[aStart + index], "|", b.lines[bStart + index]);
    for (let index = aStart + both; index < aEnd; index++) text += row(a.lines[index], "<", undefined);
    for (let index = bStart + both; index < bEnd; index++) text += row(undefined, ">", b.lines[index]);
    at = aEnd;
    offset = bEnd - aEnd;
  }
  common(a.lines.length, offset);
  return text;
}

/** As much of a line as fits, and the column where it ends; tabs reach to every eighth column. */
function clip(line: string, width: number, start: number): { text: string; column: number } {
  let text = "";
  let column = start;
  for (const char of line) {
    const next = char === "\t" ? column + TAB - (column % TAB) : column + 1;
    if (next > width) break;
    text += char;
    column = next;
  }
  return { text, column };
}

/** Tabs and blanks from one column to another. */
function blanks(from: number, to: number): string {
  let text = "";
  let column = from;
  for (; (Math.floor(column / TAB) + 1) * TAB <= to; column = (Math.floor(column / TAB) + 1) * TAB)
    text += "\t";
  return text + " ".repeat(Math.max(0, to - column));
}

/** What `--old-line-format` and its like say of each line. */
export interface LineFormats {
  readonly old: string;
  readonly new: string;
  readonly unchanged: string;
}

export function byLineFormats(
  hunks: readonly Hunk[],
  a: DiffSide,
  b: DiffSide,
  formats: LineFormats,
): string {
  const one = (format: string, side: DiffSide, at: number): string => {
    const feed = side.isOpen && at === side.lines.length - 1 ? "" : "\n";
    return format.replace(/%(?:([lL%])|(\d*)dn|c'(\\n|.)')/g, (_, kind, _width, char) => {
      if (kind === "%") return "%";
      if (char !== undefined) return char === "\\n" ? "\n" : char;
      if (kind === undefined) return String(at + 1);
      return (side.lines[at] ?? "") + (kind === "L" ? feed : "");
    });
  };
  let text = "";
  let at = 0;
  for (const { aStart, aEnd, bStart, bEnd } of hunks) {
    for (; at < aStart; at++) text += one(formats.unchanged, a, at);
    for (; at < aEnd; at++) text += one(formats.old, a, at);
    for (let index = bStart; index < bEnd; index++) text += one(formats.new, b, index);
  }
  for (; at < a.lines.length; at++) text += one(formats.unchanged, a, at);
  return text;
}

function spanOf(group: readonly Hunk[], a: DiffSide, b: DiffSide, context: number): Hunk {
  const [first] = group;
  const last = group[group.length - 1];
  if (first === undefined || last === undefined) throw new Error("a group of no differences");
  const before = Math.min(context, first.aStart, first.bStart);
  const after = Math.min(context, a.lines.length - last.aEnd, b.lines.length - last.bEnd);
  return {
    aStart: first.aStart - before,
    aEnd: last.aEnd + after,
    bStart: first.bStart - before,
    bEnd: last.bEnd + after,
  };
}
