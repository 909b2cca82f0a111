/** Reads unified and normal differences, as `patch` takes them. */

export interface PatchHunk {
  /** First line in the old file, from 1; 0 for an empty one. */
  readonly oldStart: number;
  readonly newStart: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** Lines that both share at the start and at the end: a fuzzy match may leave some of them out. */
  readonly leading: number;
  readonly trailing: number;
  /** Whether the last line of a side lacks its line feed. */
  readonly oldIsOpen: boolean;
  readonly newIsOpen: boolean;
}

export interface FilePatch {
  /** As the header names them; null where there is none. */
  readonly oldName: string | null;
  readonly newName: string | null;
  readonly hunks: readonly PatchHunk[];
}

const HEADER = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;
const NORMAL = /^(\d+)(?:,(\d+))?([acd])(\d+)(?:,(\d+))?$/;

/** The patches of the files in a text, or the line where it breaks off. */
export function parsePatch(text: string): FilePatch[] | { readonly badLine: number } {
  const lines = text.split("\n");
  if (lines[lines.length - 1] === "") lines.pop();
  const patches: { oldName: string | null; newName: string | null; hunks: PatchHunk[] }[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? "";
    if (line.startsWith("--- ") && lines[at + 1]?.startsWith("+++ ") && HEADER.test(lines[at + 2] ?? "")) {
      patches.push({ oldName: nameOf(line), newName: nameOf(lines[at + 1] ?? ""), hunks: [] });
      at += 2;
    } else if (HEADER.test(line)) {
      if (patches.length === 0) patches.push({ oldName: null, newName: null, hunks: [] });
      const read = readUnified(lines, at);
      if (read === null) return { badLine: at + 1 };
      patches[patches.length - 1]?.hunks.push(read.hunk);
      at = read.next;
    } else if (NORMAL.test(line)) {
      if (patches.length === 0) patches.push({ oldName: null, newName: null, hunks: [] });
      const read = readNormal(lines, at);
      if (read === null) return { badLine: at + 1 };
      patches[patches.length - 1]?.hunks.push(read.hunk);
      at = read.next;
    } else at++;
  }
  return patches;
}

/** A name ends at a tab, or at the time that stands behind it. */
function nameOf(line: string): string {
  const text = line.slice(4);
  const tab = text.indexOf("\t");
  return tab >= 0 ? text.slice(0, tab) : text.replace(/\s+\d{4}-\d\d-\d\d .*$/, "").trimEnd();
}

function readUnified(lines: readonly string[], start: number): { hunk: PatchHunk; next: number } | null {
  const [, oldStart = "", oldCount = "1", newStart = "", newCount = "1"] =
    HEADER.exec(lines[start] ?? "") ?? [];
  const [before, after, marks]: [string[], string[], string[]] = [[], [], []];
  let [oldIsOpen, newIsOpen] = [false, false];
  let at = start + 1;
  const isOpenNext = (): boolean => (lines[at + 1] ?? "").startsWith("\\");
  while (before.length < Number(oldCount) || after.length < Number(newCount)) {
    const line = lines[at];
    if (line === undefined) return null;
    // An empty line is a line of context whose blank an editor took away.
    const mark = line === "" ? " " : (line[0] ?? "");
    const rest = line.slice(1);
    if (mark === " " || mark === "-") before.push(rest);
    if (mark === " " || mark === "+") after.push(rest);
    if (!" -+".includes(mark)) return null;
    if (isOpenNext()) {
      if (mark !== "+") oldIsOpen = true;
      if (mark !== "-") newIsOpen = true;
      at++;
    }
    marks.push(mark);
    at++;
  }
  const changed = marks.findIndex((mark) => mark !== " ");
  const leading = changed < 0 ? marks.length : changed;
  const trailing = changed < 0 ? 0 : [...marks].reverse().findIndex((mark) => mark !== " ");
  const hunk = {
    oldStart: Number(oldStart),
    newStart: Number(newStart),
    before,
    after,
    leading,
    trailing,
    oldIsOpen,
    newIsOpen,
  };
  return { hunk, next: at };
}

function readNormal(lines: readonly string[], start: number): { hunk: PatchHunk; next: number } | null {
  const [, from = "", to = from, letter = "", newFrom = "", newTo = newFrom] =
    NORMAL.exec(lines[start] ?? "") ?? [];
  const [before, after]: [string[], string[]] = [[], []];
  let [oldIsOpen, newIsOpen] = [false, false];
  let at = start + 1;
  const take = (mark: string, count: number, into: string[]): boolean => {
    for (let left = count; left > 0; left--) {
      const line = lines[at++];
      if (!line?.startsWith(mark)) return false;
      into.push(line.slice(2));
    }
    return true;
  };
  if (letter !== "a" && !take("<", Number(to) - Number(from) + 1, before)) return null;
  if (lines[at]?.startsWith("\\")) {
    oldIsOpen = true;
    at++;
  }
  if (letter === "c" && lines[at++] !== "---") return null;
  if (letter !== "d" && !take(">", Number(newTo) - Number(newFrom) + 1, after)) return null;
  if (letter !== "d" && lines[at]?.startsWith("\\")) {
    newIsOpen = true;
    at++;
  }
  const oldStart = letter === "a" ? Number(from) + 1 : Number(from);
  const hunk = {
    oldStart,
    newStart: Number(newFrom),
    before,
    after,
    leading: 0,
    trailing: 0,
    oldIsOpen,
    newIsOpen,
  };
  return { hunk, next: at };
}
